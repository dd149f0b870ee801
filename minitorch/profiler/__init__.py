"""torch.profiler: profiles step by step."""

from minitorch.autograd.profiler import kineto_available, record_function
from minitorch.autograd.profiler_util import DeviceType, ProfilerActivity
from minitorch.profiler import itt
from minitorch.profiler.profiler import (
    ExecutionTraceObserver,
    ProfilerAction,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = (
    "DeviceType ExecutionTraceObserver ProfilerAction ProfilerActivity kineto_available profile "
    "record_function schedule supported_activities tensorboard_trace_handler"
).split()
