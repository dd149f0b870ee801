"""torch.autograd: backward, grad, and the modes that switch recording on and off."""

from importlib import import_module as _import_module
from typing import Any as _Any

from minitorch._public.later import missing as _missing
from minitorch.autograd import grad_mode
from minitorch.autograd.grad_mode import (
    _force_original_view_tracking,
    _unsafe_preserve_version_counter,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from minitorch.autograd.gradcheck import gradcheck, gradgradcheck
from minitorch.autograd.variable import Variable
from minitorch.core.base.above import from_above as _from_above
from minitorch.core.base.formulas import OPS as _OPS
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.graph.backward import backward, grad

__all__ = (
    "Function NestedIOFunction Variable backward detect_anomaly enable_grad "
    "enforce_grad_layout_policy grad grad_mode gradcheck gradgradcheck inference_mode no_grad "
    "set_detect_anomaly set_grad_enabled set_multithreading_enabled variable"
).split()

_asked_for("torch.autograd", {"backward": backward, "grad": grad})

# Submodules that are imported at first use, and the names in them.
_LAZY = (
    "anomaly_mode",
    "forward_ad",
    "function",
    "functional",
    "graph",
    "profiler",
    "profiler_legacy",
    "profiler_util",
)
_ELSEWHERE = {
    "Function": "function",
    "NestedIOFunction": "function",
    "DeviceType": "profiler_util",
    "ProfilerActivity": "profiler_util",
    "detect_anomaly": "anomaly_mode",
    "kineto_available": "profiler",
    "set_detect_anomaly": "anomaly_mode",
}


# The part of grad for is_grads_batched=True, which few programs use.
_OPS.declare("_grad_of_batch", lambda: _from_above("func.mapping.vmap:grad_of_batch"))


def variable(*args: _Any, **kwargs: _Any) -> _Any:
    """An old way to make tensors.

    Raises:
        RuntimeError: always.

    As torch.autograd.variable.
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")


variable.Variable = Variable


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return _import_module(f"minitorch.autograd.{name}")
    if name in _ELSEWHERE:
        found = getattr(_import_module(f"minitorch.autograd.{_ELSEWHERE[name]}"), name)
        return globals().setdefault(name, found)
    if name == "SavedTensor":
        return _import_module("minitorch.core.graph.saved_hooks").SavedTensor
    return _missing("torch.autograd", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
