"""Functions inside torch.optim that optimizers and schedulers of other packages import."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from minitorch.autograd.grad_mode import set_grad_enabled
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
StateDict = dict[str, Any]
DeviceDict = dict[Any, Tensor]
DeviceDtypeDict = dict[Any, Tensor]
TensorListList = list[list[Any]]
Indices = list[int]
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
GlobalOptimizerPreHook = Callable[[Any, Args, Kwargs], tuple[Args, Kwargs] | None]
GlobalOptimizerPostHook = Callable[[Any, Args, Kwargs], None]
R = TypeVar("R")
T = TypeVar("T")

_params_doc = "params (iterable): Parameters, pairs of name and Parameter, or dicts of groups"
_foreach_doc = "foreach (bool, optional): whether all tensors of a group are updated together"
_fused_doc = "fused (bool, optional): whether one kernel makes the whole update"
_capturable_doc = "capturable (bool, optional): whether a step can be captured in a CUDA graph"
_differentiable_doc = "differentiable (bool, optional): whether autograd records the step"
_maximize_doc = "maximize (bool, optional): whether the objective grows instead of shrinking"
_foreach_supported_types = [Tensor, Parameter]
_MOVABLE = ("cuda", "hpu", "xpu")  # devices beside the CPU whose kernels torch knows


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """`func(self, ...)` with gradients recorded if the optimizer's `differentiable` says so."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step


def _get_value(x: Any) -> Any:
    """The number in a Tensor of one element; anything else as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """`x`: only a compiler stacks it."""
    return x


def _to_scalar(x: Any) -> Any:
    """A Tensor of one element without its dimensions; anything else as it is."""
    if isinstance(x, Tensor) and x.dim() != 0:  # type: ignore[attr-defined]
        return x.squeeze()  # type: ignore[attr-defined]
    return x


def _view_as_real(params: Any, *state_and_grads: Any) -> None:
    """Replaces complex tensors of lists by their real views, at the places of complex params."""
    for i, parameter in enumerate(params):
        if parameter.is_complex():
            for each in (params, *state_and_grads):
                each[i] = OPS.view_as_real(each[i])


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """The dtype of an optimizer's step counts: float64 if that is the default dtype."""
    wide = not is_fused and dtypes.get_default_dtype() is dtypes.float64
    return dtypes.float64 if wide else dtypes.float32


def counted(value: float, fused: bool | None = None) -> Any:
    """A number of an optimizer's state, such as its step count, as a tensor."""
    return OPS.tensor(value, dtype=_get_scalar_dtype(fused))


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The types of devices on which steps can be captured."""
    return [*_MOVABLE, *(["xla"] if supports_xla else [])]


def _default_to_fused_or_foreach(
    params: Any, differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Whether a step is fused, and whether it updates all tensors together, if not asked for.

    On the CPU neither: one tensor after the other is the default there.
    """
    if differentiable:
        return False, False
    fused = use_fused and all(
        p is None
        or (
            type(p) in _foreach_supported_types
            and p.device.type in ("cpu", "mps", *_MOVABLE)
            and p.is_floating_point()
        )
        for p in params
    )
    together = not fused and all(
        p is None or (type(p) in _foreach_supported_types and p.device.type in _MOVABLE)
        for p in params
    )
    return fused, together


def _device_dtype_check_for_fused(p: Any, cuda_unsupported: bool = False) -> None:
    """RuntimeError if a parameter's device or dtype has no fused kernel."""
    devices = ["cpu", "mps", *_MOVABLE]
    if cuda_unsupported:
        devices.remove("cuda")
    if p.device.type not in devices or not p.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported "
            f"devices: {devices} but {p.dtype} and {p.device.type}"
        )


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    """A decorator that keeps a function from the compiler: here it changes nothing."""
    return lambda function: function


class _enable_get_lr_call:
    """Within it a scheduler's get_lr() does not warn."""

    def __init__(self, o: Any) -> None:
        self.o = o

    def __enter__(self) -> Any:
        self.o._get_lr_called_within_step = True
        return self

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        self.o._get_lr_called_within_step = False


class _initial_mode:
    """Within it a scheduler makes its first step."""

    def __init__(self, o: Any) -> None:
        self.o = o

    def __enter__(self) -> None:
        self.o._is_initial = True

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        self.o._is_initial = False


def _warn_get_lr_called_within_step(lr_scheduler: Any) -> None:
    """Warns if a scheduler's get_lr() is called outside of its step."""
    lr_scheduler._warn_outside_step()
