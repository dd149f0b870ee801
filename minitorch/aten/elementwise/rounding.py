"""Rounding, signs and magnitudes: floor to round, sign, abs, frac, nan_to_num, copysign."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.creation.copies import copied
from minitorch.aten.in_formulas import is_seen, number_like, options_of, zeros
from minitorch.core.arrays.floating_point import has_nan
from minitorch.core.arrays.questions import every
from minitorch.core.arrays.scalars import scalar_like
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, is_complex
from minitorch.core.declare.families import (
    EVERYWHERE,
    METHOD,
    alias,
    binary,
    composite,
    not_differentiable,
    unary,
)
from minitorch.core.declare.general.elementwise import refused, unsupported
from minitorch.core.declare.general.fitting import fit
from minitorch.core.declare.out import (
    ALIGNED,
    ALONE,
    BY_ELEMENT,
    FOUND,
    ONCE,
    InPlace,
    Out,
    exactly,
)
from minitorch.core.declare.row import ELEMENTWISE, LINEAR, ufunc
from minitorch.core.declare.vmap import BROADCASTS
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers.dispatch import COMPLEX_HALF, FLOAT8, LATE_UNSIGNED, USUAL
from minitorch.core.numbers.dtype import FROM_NUMPY, Kind
from minitorch.core.numbers.limits import finfo


def rounded(name: str, function: str) -> Any:
    """A rounding to integers. Integers are left as they are; its gradient is 0."""
    words = {
        Kind.BOOL: f"\"{name}_vml_cpu\" not implemented for 'Bool'",
        Kind.COMPLEX: f"{name} is not supported for complex inputs",
    }

    def check(row: Any, common: Any, operands: Any, **attributes: Any) -> None:
        if common.number_kind in words:
            if name == "round" and common.is_complex:
                unsupported("round_vml_cpu", Kind.COMPLEX)(row, common, operands)
            raise NotImplementedError(words[common.number_kind])

    return unary(
        f"{name}(Tensor self) -> Tensor",
        node=f"{name.capitalize()}Backward0",
        forward=ufunc(function),
        check=check,
        knows=USUAL | LATE_UNSIGNED,
        self=lambda F, grad: F.zeros_like(grad),
        result=ELEMENTWISE,
        out=Out(FOUND, operands=1),
        on=("F",) if name == "round" else ("method", "function"),
    )


floor, ceil = rounded("floor", "floor"), rounded("ceil", "ceil")
trunc, round_default = rounded("trunc", "trunc"), rounded("round", "elementary.rint")


def round_to_decimals(xp: Any, self: Any, decimals: int) -> Any:
    """Scaled by a power of ten, rounded to even, scaled back, each step in the dtype."""
    if decimals == 0:
        return xp.rint(self, out=...)
    ten = scalar_like(10.0 ** abs(decimals), self.dtype, xp)
    if decimals < 0:
        return xp.multiply(xp.rint(xp.true_divide(self, ten, out=...), out=...), ten, out=...)
    return xp.true_divide(xp.rint(xp.multiply(self, ten, out=...), out=...), ten, out=...)


round_decimals = unary(
    "round.decimals(Tensor self, *, int decimals) -> Tensor",
    node="RoundBackward1",
    forward=round_to_decimals,
    check=lambda row, common, operands, decimals: unsupported(
        "round_cpu" if decimals else "round_vml_cpu", Kind.BOOL, Kind.INTEGER, Kind.COMPLEX
    )(row, common, operands),
    self=lambda F, grad: F.zeros_like(grad),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)


@composite(
    "round",
    out=Out(FOUND, operands=1, overlap=BY_ELEMENT, as_element_wise=True),
    inplace=EVERYWHERE,
)
def round(input: Any, *, decimals: int | None = None) -> Any:
    """`input` rounded, halves to even; to `decimals` digits after the point."""
    if decimals is None:
        return round_default(input)
    return round_decimals(input, decimals=decimals)


alias("fix", trunc)

frac = unary(
    "frac(Tensor self) -> Tensor",
    node="FracBackward0",
    forward=lambda xp, self: xp.subtract(self, xp.trunc(self, out=...), out=...),
    check=unsupported("frac_cpu", Kind.BOOL, Kind.INTEGER, Kind.COMPLEX),
    self=lambda grad: grad,
    result=ELEMENTWISE,
    out=Out(FOUND, operands=1),
)


_MANY = 1024  # elements, from which on comparisons are faster than sign(), 24 us of 100,000, not 78


def sign_forward(xp: Any, self: Any) -> Any:
    """-1, 0 or 1; NaN has no sign, which torch calls 0."""
    if self.dtype.kind == "b":
        return self.copy()
    if self.dtype.kind in "iu":
        return xp.sign(self, out=...)
    if self.size >= _MANY and type(self) is numpy.ndarray and self.dtype.kind == "f":
        above, below = numpy.greater(self, 0), numpy.less(self, 0)
        above = above.view(numpy.int8)
        above -= below.view(numpy.int8)
        return above.astype(self.dtype)
    return xp.zeroed(xp.sign(self, out=...), xp.isnan(self))


sign = unary(
    "sign(Tensor self) -> Tensor",
    inplace_on=METHOD,
    node="SignBackward0",
    forward=sign_forward,
    check=refused(
        Kind.COMPLEX,
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
        "torch.sgn instead.",
        NotImplementedError,
    ),
    self=lambda F, grad: F.zeros_like(grad),
    result=ELEMENTWISE,
    out=Out(FOUND, operands=1),
)


def sgn_forward(xp: Any, self: Any) -> Any:
    """z / |z|, 0 at 0; the sign of a real number.

    An infinite number has no direction: torch's vectors of AVX2 give NaN in both parts, those of
    AVX-512 and single elements in the infinite parts alone.
    """
    if self.dtype.kind != "c":
        return sign_forward(xp, self)
    result = xp.sign(self, out=...)
    result[~xp.isfinite(self)] = complex("nan+nanj")
    return result


def sgn_backward(F: Any, grad: Any, self: Any, result: Any) -> Any:
    """The gradient of sgn: what turns the direction of a complex number; 0 for real ones."""
    if not is_complex(self):
        if is_seen(F, grad):
            options = options_of(grad)
            return OPS._efficientzerotensor(grad.shape, **options)
        return F.new_zeros(grad, grad.shape)
    magnitude = F.abs(self)
    turned = (grad - result * result * grad.conj()) / (magnitude * 2.0)
    return F.masked_fill_(turned, magnitude == 0.0, 0)


sgn = unary(
    "sgn(Tensor self) -> Tensor",
    kernel="sign_cpu",
    inplace_on=METHOD,
    node="SgnBackward0",
    forward=sgn_forward,
    self=sgn_backward,
    result=lambda F, self_p, self_t, result: sgn_backward(F, self_t, self_p, result),
    out=Out(FOUND, operands=1),
    knows=USUAL | COMPLEX_HALF,
)


absolute = unary(
    "abs(Tensor self) -> Tensor",
    node="AbsBackward0",
    forward=ufunc("elementary.absolute"),
    dtype="real",
    check=unsupported("abs_cpu", Kind.BOOL),
    self=lambda F, grad, self: grad * F.sgn(self),
    result=ELEMENTWISE,
    dunder=("__abs__",),
    out=Out(FOUND, operands=1, resize=ONCE),
    knows=USUAL | COMPLEX_HALF | FLOAT8,
)
alias("absolute", absolute, inplace_on=METHOD)


def nan_to_num_forward(xp: Any, self: Any, dtype: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    out = copied(self)
    nan, posinf, neginf = [None if x is None else float(x) for x in (nan, posinf, neginf)]
    kind = FROM_NUMPY[dtype]
    if not (kind.is_floating_point or kind.is_complex):
        return out
    if type(self) is numpy.ndarray and every(xp.isfinite(self)):
        return out
    limits = finfo(kind.to_real())
    parts = ((out.real, self.real), (out.imag, self.imag)) if kind.is_complex else ((out, self),)
    for part, x in parts:
        part[xp.isnan(x)] = 0.0 if nan is None else nan
        part[x == math.inf] = limits.max if posinf is None else posinf
        part[x == -math.inf] = limits.min if neginf is None else neginf
    return out


def fit_to_copy(out: Any, self: Any, *limits: Any, **named: Any) -> None:
    """Gives out= the shape of integers, which torch copies, before their memory is looked at."""
    if out.dtype is self.dtype and self.dtype.number_kind < Kind.FLOATING:
        fit(out, self._array.shape)


nan_to_num = unary(
    "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
    kernel="nan_to_num",
    knows=USUAL | LATE_UNSIGNED,
    node="NanToNumBackward0",
    forward=nan_to_num_forward,
    self=lambda F, grad, self: grad * F.isfinite(self),
    result=ELEMENTWISE,
    exact=True,
    preserves=True,
    real_gradients=True,
    in_place=InPlace(overlaps=Kind.INTEGER),
    out=Out(
        exactly(
            "nan_to_num: dtype of out: {out.scalar_name} should be same as input: "
            "{result.scalar_name}"
        ),
        given=fit_to_copy,
    ),
    vmap=BROADCASTS,
)


def refuse_mixture(row: Any, common: Any, operands: Any) -> None:
    """RuntimeError with torch's text for complex numbers, or tensors of two dtypes."""
    if common.is_complex:
        raise RuntimeError(f"{row.name} is not yet implemented for complex tensors.")
    if any(each.dtype is not common for each in operands):
        raise RuntimeError(f"{row.name} is not yet implemented for tensors with different dtypes.")


def heaviside_forward(xp: Any, self: Any, values: Any) -> Any:
    """0 for NaN, where NumPy has NaN."""
    if type(self) is numpy.ndarray and self.dtype.char in "fd":  # a fifth of the time
        found = numpy.heaviside(self, values, out=...)
        if not has_nan(numpy, found):
            return found
    return xp.where(self == 0, values, self > 0)


heaviside = binary(
    "heaviside(Tensor self, Tensor values) -> Tensor",
    node="NotImplemented",
    forward=heaviside_forward,
    tensors_only=True,
    check=refuse_mixture,
    self=not_differentiable("heaviside"),
    values=not_differentiable("heaviside"),
    out=Out(exactly("heaviside is not yet implemented for tensors with different dtypes.")),
    in_place=InPlace(falls_back=ALONE),
)


def scaled_angle(name: str, node: str, factor: float) -> Any:
    """An angle in other units."""
    return unary(
        f"{name}(Tensor self) -> Tensor",
        node=node,
        forward=lambda xp, self: xp.multiply(self, scalar_like(factor, self.dtype, xp), out=...),
        dtype="float",
        preserves=True,
        check=refused(Kind.COMPLEX, f"{name} is not supported for complex tensors."),
        self=lambda grad: grad * factor,
        result=LINEAR,
    )


deg2rad = scaled_angle("deg2rad", "Deg2RadBackward0", math.pi / 180)
rad2deg = scaled_angle("rad2deg", "Rad2DegBackward0", 180 / math.pi)


def copysign_backward(F: Any, grad: Any, self: Any, result: Any) -> Any:
    """The gradient of the magnitude: turned where the sign was, 0 at 0."""
    ratio = F.masked_fill_(result / self, self == 0, 0)
    return grad * ratio


copysign_tensor = binary(
    "copysign.Tensor(Tensor self, Tensor other) -> Tensor",
    node="CopysignBackward0",
    forward=ufunc("copysign"),
    dtype="float",
    check=unsupported("copysign_cpu", Kind.COMPLEX),
    self=copysign_backward,
    other=lambda F, grad, other_geometry: zeros(F, grad, other_geometry[0]),
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)

copysign_scalar = unary(
    "copysign.Scalar(Tensor self, Scalar other) -> Tensor",
    node="CopysignBackward1",
    forward=lambda xp, self, other: xp.copysign(self, scalar_like(other, self.dtype, xp), out=...),
    dtype="float",
    check=unsupported("copysign_cpu", Kind.COMPLEX),
    self=copysign_backward,
    result=ELEMENTWISE,
    on=("F",),
    variants=(),
)


@composite("copysign", out=True, inplace=METHOD, in_place=ALIGNED)
@overloads(
    "Tensor input, Tensor other, *, Tensor out = None",
    "Tensor input, Number other, *, Tensor out = None",
)
def copysign(input: Any, other: Any) -> Any:
    """The magnitude of `input` with the sign of `other`."""
    if isinstance(other, TensorBase):
        return copysign_tensor(input, other)
    return copysign_scalar(input, other)


def next_number(xp: Any, self: Any, other: Any, dtype: Any) -> Any:
    """The next number of `dtype` after `self` in the direction of `other`.

    dtype: of the numbers, before 2-byte floats were lifted. Of these, numbers of one sign are
    ordered as their bits are; NumPy steps from infinity and between zeros otherwise than torch.
    """
    if dtype == self.dtype:
        return xp.nextafter(self, other, out=...)
    bits = xp.asarray(self.astype(dtype)).view(numpy.int16)
    outwards = (self < other) == (self > 0)
    beside = (bits + xp.where(outwards, 1, -1).astype(numpy.int16)).view(dtype).astype(self.dtype)
    least = xp.ones((), numpy.int16).view(dtype).astype(self.dtype)
    beside = xp.where(self == 0, xp.copysign(least, other), beside)
    beside = xp.where(self == other, other, beside)
    return xp.where(xp.isnan(self) | xp.isnan(other), self + other, beside)


nextafter = binary(
    "nextafter(Tensor self, Tensor other) -> Tensor",
    node="NextafterBackward0",
    forward=next_number,
    tensors_only=True,
    self=lambda F, grad, self, other: F.where(self != other, grad, number_like(F, grad)),
    other=lambda F, other: zeros(F, other, other.shape),
    result=ELEMENTWISE,
    check=unsupported("nextafter_cpu", Kind.BOOL, Kind.INTEGER, Kind.COMPLEX),
    in_place=InPlace(falls_back=ALONE),
)
