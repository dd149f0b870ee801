"""torch._check and its kin: conditions that a program holds to be true, and torch._assert."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.protocols.torch_function import (
    functions_off,
    handled_in_python,
    is_taker,
)
from minitorch.core.numbers import dtype as dtypes

_DEFAULT = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please "
    "report an enhancement request to PyTorch.)"
)


def _check_with(
    error_type: type[Exception], cond: Any, message: Callable[[], Any] | None = None
) -> None:
    """Raises `error_type` with the text of `message()` unless `cond` is True. Wants a bool."""
    if not isinstance(cond, bool):
        if isinstance(cond, TensorBase):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use "
                "torch._check_tensor_all() to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(_DEFAULT)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """RuntimeError unless `cond` is True."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """IndexError unless `cond` is True."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """ValueError unless `cond` is True."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """TypeError unless `cond` is True."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """NotImplementedError unless `cond` is True."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: Any, message: Callable[[], Any] | None = None, *, max: Any = None) -> None:
    """RuntimeError unless `i` is at least 0 and at most `max`."""
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(
    error_type: type[Exception], cond: Any, message: Callable[[], Any] | None = None
) -> None:
    """Raises `error_type` unless all elements of the boolean tensor `cond` are true."""
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    dtype = dtypes.of(cond._array)
    if dtype is not dtypes.bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {dtype}")
    _check_with(error_type, cond.all().item(), message)


def _check_tensor_all(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """RuntimeError unless all elements of the boolean tensor `cond` are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert(condition: Any, message: Any) -> Any:
    """AssertionError with `message` unless `condition` holds, a bool or a tensor of one."""
    if not functions_off.get() and is_taker(condition):
        return handled_in_python(_assert, "torch._assert", (condition,), (condition, message), {})
    assert condition, message
    return None
