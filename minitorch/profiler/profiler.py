"""torch.profiler.profiler: profiles step by step."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NoReturn

from minitorch.autograd import profiler as _profiler
from minitorch.autograd.profiler import record_function
from minitorch.autograd.profiler_util import EventList, ProfilerActivity

__all__ = [
    "ExecutionTraceObserver",
    "ProfilerAction",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ProfilerAction(Enum):
    """The actions of a profiler in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


_warned: list[bool] = []
_NONE, _WARMUP, _RECORD, _SAVE, _ = ProfilerAction


def supported_activities() -> set[ProfilerActivity]:
    """The activities that can be profiled: those of the CPU."""
    return {ProfilerActivity.CPU}


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """A schedule: after `skip_first` steps, again and again wait, warm up and record.

    Args:
        wait, warmup, active: how many steps of each in a cycle.
        repeat: how many cycles; 0 for no end.
        skip_first_wait: whether the first cycle does not wait.
    """

    def schedule_fn(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return _NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        length = wait + warmup + active
        if repeat > 0 and step / length >= repeat:
            return _NONE
        step %= length
        if step < wait:
            return _NONE
        if step < wait + warmup:
            return _WARMUP
        return _RECORD if step < length - 1 else _SAVE

    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} "
            f"(need >= 0), active={active} (need > 0), repeat={repeat} (need >= 0), "
            f"skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn(
            "Profiler won't be using warmup, this can skew profiler results", stacklevel=2
        )
    return schedule_fn


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
) -> Callable[[Any], None]:
    """A function for on_trace_ready that writes each trace into a folder."""

    def handler_fn(prof: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except Exception as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        name = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        file = f"{name}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        prof.export_chrome_trace(os.path.join(dir_name, file))

    return handler_fn


class profile:
    """Times the operators that run inside; only in the steps that a schedule names, if any.

    Args:
        activities: what to profile; CUDA is not.
        schedule: step -> ProfilerAction; without one everything is recorded.
        on_trace_ready: called with the profile when a cycle is complete.
        record_shapes, profile_memory, with_stack, with_flops, acc_events: as in
            torch.autograd.profiler.profile.

    As https://docs.pytorch.org/docs/stable/profiler.html.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities: set[Any] = set()
        for each in supported_activities() if activities is None else activities:
            self.activities.update(each if isinstance(each, dict) else [each])
        self.activities = {a for a in self.activities if isinstance(a, ProfilerActivity)}
        if use_cuda is not None:
            warnings.warn(
                "`use_cuda` is deprecated, use `activities` argument instead",
                FutureWarning,
                stacklevel=2,
            )
            self.activities.discard(ProfilerActivity.CUDA)
            self.activities.update([ProfilerActivity.CUDA] if use_cuda else [])
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.use_device = "cuda" if ProfilerActivity.CUDA in self.activities else None
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.on_trace_ready = on_trace_ready
        self.profiler: Any = None
        self.record_steps = schedule is not None
        self.schedule = schedule or (lambda step: _RECORD)
        self.step_num = 0
        self.step_rec_fn: Any = None
        self.current_action = self._action(0)
        self._metadata: dict[str, str] = {}

    def _action(self, step: int) -> ProfilerAction:
        action = self.schedule(step)
        if action is ProfilerAction.DEVICE_STOPPED:
            raise ValueError(
                "ProfilerAction.DEVICE_STOPPED is set internally by the profiler and must not be "
                "returned by a user-provided schedule"
            )
        return action

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begins with step 0."""
        self._change(_NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """Ends the last step."""
        self._end_step()
        self._change(self.current_action, None)

    def step(self) -> None:
        """Ends a step, and begins the next one."""
        self._end_step()
        before = self.current_action
        self.current_action = self._action(self.step_num + 1)
        self.step_num += 1
        self._change(before, self.current_action)
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _change(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """Starts and stops taking times between two steps; `after` is None behind the last one."""
        active = (_RECORD, _SAVE)
        if before is _RECORD and after in (_NONE, _WARMUP):
            warnings.warn(f"Incorrect schedule: RECORD followed by {after.name}", stacklevel=4)
        elif before is _WARMUP and after is _NONE:
            warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=4)
        goes_on = before is _RECORD and after in active
        if before in active and not goes_on:
            self.stop_trace()
            if (before is _SAVE or after is None) and self.on_trace_ready:
                self.on_trace_ready(self)
        if after is _WARMUP and before is not _WARMUP:
            self.prepare_trace()
        elif after in active and not goes_on:
            if before is not _WARMUP:
                self.prepare_trace()
            self.start_trace()

    def prepare_trace(self) -> None:
        """Makes ready for a cycle."""
        if self.profiler is not None and not self.acc_events and not _warned:
            _warned.append(True)  # once, whatever torch.set_warn_always says
            warnings.warn(
                "Warning: Profiler clears events at the end of each cycle. Only events from the "
                "current cycle will be reported. To keep events across cycles, set "
                "acc_events=True.",
                stacklevel=2,
            )
        if self.profiler is None or not self.acc_events:
            self.profiler = _profiler.profile(
                use_cpu=ProfilerActivity.CPU in self.activities,
                use_device=self.use_device,
                record_shapes=self.record_shapes,
                with_flops=self.with_flops,
                profile_memory=self.profile_memory,
                with_stack=self.with_stack,
                with_modules=self.with_modules,
                use_kineto=True,
                acc_events=self.acc_events,
                custom_trace_id_callback=self.custom_trace_id_callback,
                post_processing_timeout_s=self.post_processing_timeout_s,
            )
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        """Begins to take times."""
        self._known("starting trace")._start_trace()

    def stop_trace(self) -> None:
        """Ends it."""
        self._known("stopping trace").__exit__(None, None, None)

    def _known(self, what: str) -> Any:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {what}")
        return self.profiler

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The sums of events with the same name."""
        return self._known("getting key averages").key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def events(self) -> EventList:
        """The events, in the order in which they began."""
        return self._known("accessing events").function_events

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Writes a file for chrome://tracing; compressed if its name ends so."""
        known = self._known("exporting chrome trace")
        known.export_chrome_trace(path.removesuffix(".gz"))
        if path.endswith(".gz"):
            plain = path.removesuffix(".gz")
            with open(plain, "rb") as source, gzip.open(path, "wb") as target:
                shutil.copyfileobj(source, target)
            os.remove(plain)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the stacks of the events with a time each, for flame graphs."""
        self._known("exporting stacks").export_stacks(path, metric)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[Any]) -> None:
        """Stops taking times for a while, or goes on."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def add_metadata(self, key: str, value: str) -> None:
        """Notes a text."""
        escaped = value.replace('"', '\\"')
        self._metadata[key] = f'"{escaped}"'

    def add_metadata_json(self, key: str, value: str) -> None:
        """Notes something in JSON."""
        self._metadata[key] = value

    preset_metadata_json = add_metadata_json

    def export_memory_timeline(self, path: str, device: str | None = None) -> NoReturn:
        """A drawing of the memory: there is none here."""
        raise NotImplementedError("torch.profiler.profile.export_memory_timeline")

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Sets what names the traces."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        """The name of the last trace."""
        return None if self.profiler is None else self.profiler.trace_id


class ExecutionTraceObserver:
    """Traces for replaying: none are written here, and so nothing is ever registered."""

    extra_resources_collection = False
    is_registered = False
    output_file_path = resources_dir = ""

    @staticmethod
    def build_execution_trace_obs_from_env() -> ExecutionTraceObserver | None:
        """An observer if the environment asks for one."""
        if os.environ.get("ENABLE_PYTORCH_EXECUTION_TRACE", "0") != "1":
            return None
        return ExecutionTraceObserver().register_callback("")

    def register_callback(self, output_file_path: str) -> NoReturn:
        """Refuses to write a trace."""
        raise NotImplementedError("torch.profiler.ExecutionTraceObserver")

    def unregister_callback(self) -> None:
        """Does nothing: no callback is registered."""

    start = stop = cleanup = unregister_callback

    def is_running(self) -> bool:
        """Whether calls are written."""
        return False

    def get_output_file_path(self) -> str | None:
        """The file of the trace; None without one."""
        return self.output_file_path or None

    def set_extra_resource_collection(self, val: bool) -> None:
        """Sets whether resources for a replay are kept beside the trace."""
        self.extra_resources_collection = val

    def get_resources_dir(self, can_create: bool = False) -> str | None:
        """The folder of the resources: None."""
        return None

    @staticmethod
    def get_resources_dir_for_et_path(trace_path: str, create_dir: bool = False) -> str | None:
        """The folder of a trace's resources; None if it does not exist."""
        folder = os.path.splitext(trace_path)[0] + "_resources"
        if create_dir:
            os.makedirs(folder, exist_ok=True)
        return folder if os.path.isdir(folder) else None


for _each in (profile, ProfilerAction, ExecutionTraceObserver):
    _each.__module__ = "torch.profiler.profiler"
