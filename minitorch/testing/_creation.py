"""torch.testing.make_tensor: tensors with values by chance, of any dtype and layout."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import minitorch
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.limits import finfo, iinfo

WHOLE = (
    dtypes.bool,
    dtypes.uint8,
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint16,
    dtypes.uint32,
    dtypes.uint64,
)


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Any:
    """A tensor of values drawn evenly from [low, high).

    low, high: -9 and 9 by default, 10 for integers, all of a bool; cut to what the dtype holds.
    noncontiguous: every second element of a larger one.
    exclude_zero: the smallest positive value stands for 0.
    As https://docs.pytorch.org/docs/stable/testing.html.
    """
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        shape = tuple(shape[0])
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous!r} and memory_format={memory_format!r}"
        )
    if requires_grad and dtype in WHOLE:
        raise ValueError(
            "`requires_grad=True` is not supported for boolean and integral dtypes, but got "
            f"dtype={dtype!r}"
        )
    noncontiguous = noncontiguous and math.prod(shape) > 1
    if noncontiguous:
        shape = (*shape[:-1], 2 * shape[-1])
    low, high = _interval(dtype, low, high)
    if dtype in WHOLE:
        out = minitorch.randint(low, high, shape, device=device, dtype=dtype)
    else:
        out = minitorch.empty(shape, device=device, dtype=dtype)
        drawn = minitorch.view_as_real(out) if dtype.is_complex else out
        if high - low >= finfo(dtype).max:
            drawn.uniform_(low / 2, high / 2).mul_(2)
        else:
            drawn.uniform_(low, high)
    if noncontiguous:
        out = out[..., 1::2]
    elif memory_format is not None:
        out = out.clone(memory_format=memory_format)
    if exclude_zero:
        out[out == 0] = 1 if dtype in WHOLE else finfo(dtype).tiny
    if dtype not in WHOLE:
        out.requires_grad = requires_grad
    return out


def _interval(dtype: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The interval to draw from, within what the dtype holds."""
    if dtype is dtypes.bool:
        least, most, usual = 0, 2, (0, 2)
    elif dtype in WHOLE:
        limits = iinfo(dtype)
        least, most, usual = limits.min, limits.max + (dtype is not dtypes.int64), (-9, 10)
    elif isinstance(dtype, dtypes.dtype) and (dtype.is_floating_point or dtype.is_complex):
        least, most, usual = finfo(dtype).min, finfo(dtype).max, (-9, 9)
    else:
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To "
            "request support, file an issue at: https://github.com/pytorch/pytorch/issues"
        )
    low, high = (usual[0] if low is None else low), (usual[1] if high is None else high)
    if any(isinstance(value, float) and math.isnan(value) for value in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and dtype not in WHOLE:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is "
            "deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} "
            f"only supports [{least}, {most})"
        )
    low, high = (min(max(value, least), most) for value in (low, high))
    return (math.ceil(low), math.ceil(high)) if dtype in WHOLE else (low, high)
