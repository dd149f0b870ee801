"""autocast: a region in which operators choose their precision; and Functions that follow it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy

from minitorch import cuda
from minitorch.amp import state
from minitorch.core.base.fields import TensorBase
from minitorch.core.numbers import dtype as dtypes

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

_SUPPORTED = (dtypes.bfloat16, dtypes.float16)


def is_autocast_available(device_type: str) -> bool:
    """Whether there are lists of operators for a type of device."""
    return state._is_autocast_available(device_type)


def autocast_decorator(autocast_instance: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """`func`, called inside a context."""

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


class autocast:
    """Operators inside run in the precision that torch's lists choose for them.

    Args:
        device_type: for tensors on which device.
        dtype: the lower precision, by default bfloat16 on the CPU and float16 on CUDA.
        enabled: False for a region without.
        cache_enabled: whether a leaf, such as a weight, is cast once for all its uses.

    A context and a decorator. As https://docs.pytorch.org/docs/stable/amp.html.
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        _check_str(device_type)
        self.fast_dtype = state.get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(
                f"User specified an unsupported autocast device_type '{device_type}'"
            )
        self.custom_backend_name = "privateuseone"
        cached = state.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._cache_enabled = cached
        self._enabled = enabled and self._supported() and enabled

    def _supported(self) -> bool:
        """Whether this machine can do so; a warning if not."""
        if self.device == "cuda":
            if not cuda.is_available():
                warnings.warn(
                    "CUDA is not available or torch_xla is imported. Disabling autocast.",
                    stacklevel=3,
                )
                return False
            if self.fast_dtype is dtypes.bfloat16 and not cuda.is_bf16_supported():
                raise RuntimeError(
                    "Current CUDA Device does not support bfloat16. Please switch dtype to float16."
                )
        elif self.fast_dtype not in _SUPPORTED:
            name = self.device.upper()
            warnings.warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of {', '.join(map(str, _SUPPORTED))} "
                "currently.",
                stacklevel=3,
            )
            return False
        return True

    def __enter__(self) -> Any:
        self.prev_cache_enabled = state.is_autocast_cache_enabled()
        self.prev = state.is_autocast_enabled(self.device)
        self.prev_fastdtype = state.get_autocast_dtype(self.device)
        state.set_autocast_enabled(self.device, self._enabled)
        state.set_autocast_dtype(self.device, self.fast_dtype)
        state.autocast_increment_nesting()
        state.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Any:
        if state.autocast_decrement_nesting() == 0:
            state.clear_autocast_cache()
        state.set_autocast_enabled(self.device, self.prev)
        state.set_autocast_dtype(self.device, self.prev_fastdtype)
        state.set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                f"Did you mean to use autocast as a context manager? For example:\n"
                f"    with torch.autocast(device_type=...):\n"
                f"        output = model(input)"
            )
        return autocast_decorator(self, func)


def _overrides() -> Any:
    """The module minitorch.overrides where a function mode sees calls; else None."""
    from minitorch import _C, overrides  # start-up: 2 ms; graphs alone ask

    return overrides if _C._is_torch_function_mode_enabled() else None


def _enter_autocast(*vals: Any) -> Any:
    """An autocast that has begun, for graphs: `_exit_autocast` ends it."""
    overrides = _overrides()
    if overrides is not None:
        return overrides.handle_torch_function(_enter_autocast, [], *vals)
    return autocast(*vals).__enter__()


def _exit_autocast(mode: Any) -> Any:
    """Ends what `_enter_autocast` began."""
    overrides = _overrides()
    if overrides is not None:
        return overrides.handle_torch_function(_exit_autocast, [], mode)
    return mode.__exit__(None, None, None)


def _check_str(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """The floating-point tensors on a device in another dtype, in containers too; not float64."""
    if isinstance(value, TensorBase):
        floating = value.is_floating_point() and value.dtype is not dtypes.float64
        return value.to(dtype) if floating and value.device.type == device_type else value
    if isinstance(value, (str, bytes, numpy.ndarray)) or not isinstance(value, Iterable):
        return value
    if isinstance(value, Mapping):
        return {
            _cast(key, device_type, dtype): _cast(each, device_type, dtype)
            for key, each in value.items()
        }
    cast = (_cast(each, device_type, dtype) for each in value)
    return type(value)(cast) if isinstance(value, (list, tuple)) else cast


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Any = None
) -> Any:
    """Decorates `forward` of a Function: notes the state of autocast for `custom_bwd`; with
    `cast_inputs` casts the inputs and runs without autocast where it is on."""
    _check_str(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        ctx, on = args[0], state.is_autocast_enabled(device_type)
        ctx._dtype = state.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(
                *_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs)
            )

    return decorate_fwd


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Any:
    """Decorates `backward` of a Function: runs it with autocast as `forward` ran."""
    _check_str(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        with autocast(
            device_type=device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype
        ):
            return bwd(*args, **kwargs)

    return decorate_bwd
