"""Variance and standard deviation, alone and with the mean."""

from __future__ import annotations

import math
from typing import Any

from minitorch.aten.in_formulas import after
from minitorch.aten.reduction.reduction import (
    axes_of,
    compact,
    counted,
    listed,
    mean_backward,
    restored,
)
from minitorch.core.arrays import summation
from minitorch.core.arrays.floating_point import cast, widened
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.row import REDUCTION
from minitorch.core.declare.vmap import NAMES_DIMS
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.numbers.scalars import fitted
from minitorch.core.warning import warn

_FEW = (
    "(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
    "(input numel divided by output numel)."
)


def deviation(
    xp: Any, self: Any, dim: Any, correction: Any, keepdim: bool, name: str, with_mean: bool
) -> Any:
    """The variance ("var") or its square root ("std") over `dim`, all if there is none."""
    called = f"{name}_mean" if with_mean else name
    if self.dtype.kind in "biu":
        subject = called if with_mean else "std and var"
        raise RuntimeError(f"{subject} only support floating point and complex dtypes")
    if is_complex_half(self.dtype):
        wide = deviation(xp, widened(self), dim, correction, keepdim, name, with_mean)
        if not with_mean:
            return wide.astype(xp.float16)
        return wide[0].astype(xp.float16), cast(wide[1], self.dtype)
    correction = 1 if correction is None else correction
    if type(correction) is not int or abs(correction) > self.size:
        correction = fitted(correction, dtypes.float64)
    axes = axes_of(dim, self.ndim)
    count = counted(self.shape, axes) if self.size else 0
    few = count - correction <= 0
    if few:
        for _ in range(1 + (self.dtype.kind == "c")):  # of both parts
            warn(called + _FEW)
    half = self.dtype if self.dtype.itemsize == 2 else None
    x = self if half is None else self.astype(xp.float32)
    kernel = summation.var if name == "var" else summation.std
    apart = few or correction != correction
    if apart and x.dtype.kind == "c":  # a part that does not vary makes it NaN, as in torch
        parts = [summation.var(xp, part, axes, correction, keepdim) for part in (x.real, x.imag)]
        out = parts[0] + parts[1] if name == "var" else xp.sqrt(parts[0] + parts[1])
    else:
        out = kernel(xp, x, axes, correction, keepdim)
    out = compact(xp, out if half is None else out.astype(half))
    return (out, compact(xp, summation.mean(xp, self, axes, keepdim))) if with_mean else out


def var_backward(F: Any, grad: Any, self: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """The gradient of a variance: twice the deviation from the mean, over n - correction."""
    sizes = self.shape
    freedom = counted(sizes, dim) - (1 if correction is None else correction)
    if not dim or not sizes:
        mean = F.mean(self)
        if freedom <= 0:
            infinite = F.full_like(self, math.inf)
            return grad * F.where(self == mean, F.full_like(self, math.nan), infinite)
        deviation = self - mean  # before the rest, as in torch
        return (2.0 / freedom) * grad * deviation
    if len(sizes) > 1:  # a vector's spreads by itself
        grad = restored(F, grad, len(sizes), dim, keepdim)
    factor = 2.0 / freedom if freedom else math.inf
    deviation = self - F.mean(self, dim, True)
    return factor * grad * deviation


def std_backward(
    F: Any, grad: Any, result: Any, self: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    """The gradient of a standard deviation; zero where it is zero."""
    inner = after(F, "masked_fill", grad / (result * 2), result == 0, 0)
    return var_backward(F, inner, self, dim, correction, keepdim)


def joint_backward(
    F: Any,
    grads: Any,
    result0: Any,
    self: Any,
    dim: Any,
    correction: Any,
    keepdim: bool,
) -> Any:
    """The gradient of (variance, mean), or of (deviation, mean) if its `result0` is given."""
    spread, mean = grads
    total = None
    if spread is not None:
        if result0 is None:
            total = var_backward(F, spread, self, dim, correction, keepdim)
        else:
            total = std_backward(F, spread, result0, self, dim, correction, keepdim)
    if mean is not None:
        part = mean_backward(F, mean, self.shape, dim, keepdim)
        total = part if total is None else total + part
    return total


def moments_tangents(
    F: Any, result0: Any, self_p: Any, self_t: Any, dim: Any, correction: Any, keepdim: bool
) -> Any:
    """The tangents of (variance, mean), or of (deviation, mean) if its `result0` is given."""
    ones = F.ones_like(F.mean(self_p.abs(), dim, keepdim))
    if result0 is None:
        slope = var_backward(F, ones, self_p, dim, correction, keepdim)
    else:
        slope = std_backward(F, ones, result0, self_p, dim, correction, keepdim)
    dims = dim or tuple(range(len(self_p.shape)))
    spread = F.sum_dim_IntList(self_t * slope.conj(), dims, keepdim)
    return F.real(spread), F.mean(self_t, dim, keepdim)


var_correction = operator(
    "var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False)"
    " -> Tensor",
    node="VarBackward0",
    forward=lambda xp, self, dim, correction, keepdim: deviation(
        xp, self, dim, correction, keepdim, "var", False
    ),
    self=var_backward,
    result=REDUCTION,
    on=("F",),
    elementwise=True,
    vmap=NAMES_DIMS.but(vectors=True),
)

std_correction = operator(
    "std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False)"
    " -> Tensor",
    node="StdBackward0",
    forward=lambda xp, self, dim, correction, keepdim: deviation(
        xp, self, dim, correction, keepdim, "std", False
    ),
    self=std_backward,
    result=REDUCTION,
    on=("F",),
    elementwise=True,
    vmap=NAMES_DIMS.but(vectors=True),
)

var_mean_correction = operator(
    "var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None,"
    " bool keepdim=False) -> (Tensor, Tensor)",
    node="VarMeanBackward0",
    forward=lambda xp, self, dim, correction, keepdim: deviation(
        xp, self, dim, correction, keepdim, "var", True
    ),
    self=lambda F, grads, self, dim, correction, keepdim: joint_backward(
        F, grads, None, self, dim, correction, keepdim
    ),
    result=lambda F, self_p, self_t, dim, correction, keepdim: moments_tangents(
        F, None, self_p, self_t, dim, correction, keepdim
    ),
    elementwise=True,
    on=("F",),
    vmap=NAMES_DIMS,
)

std_mean_correction = operator(
    "std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None,"
    " bool keepdim=False) -> (Tensor, Tensor)",
    node="StdMeanBackward0",
    forward=lambda xp, self, dim, correction, keepdim: deviation(
        xp, self, dim, correction, keepdim, "std", True
    ),
    self=joint_backward,
    result=lambda F, result0, self_p, self_t, dim, correction, keepdim: moments_tangents(
        F, result0, self_p, self_t, dim, correction, keepdim
    ),
    elementwise=True,
    on=("F",),
    vmap=NAMES_DIMS,
)


def _overloads(name: str, row: Any, on: tuple[str, ...], summary: str) -> Any:
    """The public function over the overloads: (unbiased), (dim, unbiased, keepdim), correction=."""

    def function(
        input: Any,
        dim: Any = UNSET,
        unbiased: Any = UNSET,
        keepdim: bool = False,
        *,
        correction: Any = UNSET,
        out: Any = None,
    ) -> Any:
        if out is not None:
            how = {"unbiased": unbiased, "keepdim": keepdim, "correction": correction}
            return deliver(name, function, out, ((input, dim), how))
        if type(dim) is bool and unbiased is UNSET:
            if keepdim:
                raise TypeError  # worded by the signatures
            dim, unbiased = None, dim
        if unbiased is not UNSET:
            if correction is not UNSET:
                raise TypeError(f"{name}() received an invalid combination of arguments")
            correction = int(bool(unbiased))
        elif correction is UNSET:
            # torch's overload (dim, unbiased, keepdim) says 1, the one without dim says nothing
            correction = None if dim is UNSET else 1
        if dim is UNSET:
            dim = None
        return row(input, listed(dim), correction=correction, keepdim=keepdim)

    function.__doc__ = summary
    composite(name, on=on)(function)
    return function


_METHOD, _BOTH = ("function",), ("method", "function")
var = _overloads("var", var_correction, _BOTH, "The variance, in all or over `dim`.")
std = _overloads("std", std_correction, _BOTH, "The standard deviation, in all or over `dim`.")
var_mean = _overloads("var_mean", var_mean_correction, _METHOD, "(variance, mean).")
std_mean = _overloads("std_mean", std_mean_correction, _METHOD, "(standard deviation, mean).")
