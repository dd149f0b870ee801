"""Complex numbers: conj, real, imag, angle, sgn, and how they are put together and taken apart."""

from __future__ import annotations

from typing import Any

from minitorch.aten.ordering import matrix_transpose, warn_of_scalar
from minitorch.aten.parts import select
from minitorch.aten.views import view_as_real
from minitorch.core.arrays import layout
from minitorch.core.arrays.lazy import bits_of, is_numpy, lazy, raw_of, resolved
from minitorch.core.declare.families import composite, operator, unary
from minitorch.core.declare.row import ELEMENTWISE, LINEAR
from minitorch.core.graph.formulas import is_complex
from minitorch.core.numbers.dtype import get_default_dtype
from minitorch.core.tensor.tensor import Tensor


def conj_forward(xp: Any, self: Any) -> Any:
    """The conjugates with the strides of `self`, gaps and all, as those of a view."""
    if self.flags.c_contiguous and self.size:
        return xp.conj(self, out=...)
    out = xp.empty_strided(self.shape, layout.strides_of(self), self.dtype)
    return xp.conj(self, out=out)


def conjugated(xp: Any, self: Any) -> Any:
    """The memory of `self` read conjugated; the conjugates of an array that is not NumPy's."""
    if not is_numpy(self):
        return conj_forward(xp, self)
    by_conj, by_neg = bits_of(self)
    return lazy(raw_of(self)[...], not by_conj, by_neg)


def negated(xp: Any, self: Any) -> Any:
    """The memory of `self` read negated; the negatives of an array that is not NumPy's."""
    if not is_numpy(self):
        return xp.negative(self, out=...)
    by_conj, by_neg = bits_of(self)
    return lazy(raw_of(self)[...], by_conj, not by_neg)


conjugate = operator(
    "_conj(Tensor(a) self) -> Tensor(a)",
    node="ConjBackward0",
    forward=conjugated,
    self=lambda F, grad: F._conj(grad),
    result=LINEAR,
    retypes=True,
)

negative_view = operator(
    "_neg_view(Tensor(a) self) -> Tensor(a)",
    node="NegViewBackward0",
    forward=negated,
    self=lambda grad: -grad,
    result=LINEAR,
    raw=lambda self: -self,
    retypes=True,
)

conj_physical_row = unary(
    "_conj_physical(Tensor self) -> Tensor",
    node="ConjPhysicalBackward0",
    forward=lambda xp, self: xp.conj(self, out=...),
    self=lambda F, grad: F.conj_physical(grad),
    result=LINEAR,
    variants=(),
    preserves=True,
)


@composite("conj")
def conj(input: Any) -> Any:
    """The complex conjugate, a view of the same memory; a real tensor itself."""
    return conjugate(input) if input.is_complex() else input


unary(
    "conj_physical_(Tensor(a!) self) -> Tensor(a!)",
    node="ConjPhysicalBackward1",
    forward=lambda xp, self: xp.conj(self, out=...),
    self=lambda F, grad: F.conj_physical(grad),
    result=LINEAR,
    variants=("inplace",),
    on=("F",),
)


@composite("conj_physical", out=True)
def conj_physical(input: Any) -> Any:
    """The complex conjugate in memory of its own; a real tensor itself."""
    return conj_physical_row(input) if input.is_complex() else input


@composite("resolve_conj", raw=lambda x: resolved(x) if bits_of(x)[0] else x)
def resolve_conj(input: Any) -> Any:
    """A copy that is not a conjugate view; `input` itself if it is none."""
    return input.clone() if bits_of(input._array)[0] else input


@composite("resolve_neg")
def resolve_neg(input: Any) -> Any:
    """A copy that is not a negative view; `input` itself if it is none."""
    return input.clone() if bits_of(input._array)[1] else input


@composite("is_conj")
def is_conj(input: Any) -> bool:
    """Whether `input` is a view that conjugates."""
    return bits_of(input._array)[0]


@composite("is_neg")
def is_neg(input: Any) -> bool:
    """Whether `input` is a view that negates."""
    return bits_of(input._array)[1]


@property
def _mH(self: Any) -> Any:
    """The conjugate transpose of the last two dimensions."""
    if self._array.ndim == 0:
        warn_of_scalar("Tensor.mH", "Consider using x.conj().")
        return conj(self)
    return conj(matrix_transpose(self, "mH"))


@property
def _H(self: Any) -> Any:
    """The conjugate transpose of a matrix."""
    rank = self._array.ndim
    if rank not in (0, 2):
        advice = " For batches of matrices, consider using tensor.mH" if rank > 2 else ""
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {rank}-D tensor.{advice}"
        )
    if rank == 0:
        warn_of_scalar("Tensor.H", "Consider using x.conj().")
    return conj(self.mT) if rank else conj(self)


Tensor.mH, Tensor.H = _mH, _H


def angle_backward(F: Any, grad: Any, self: Any) -> Any:
    """The gradient of angle: 0 for real numbers and at 0."""
    if not is_complex(self):
        return F.zeros_like(self)
    slope = grad * self / F.pow_Tensor_Scalar(F.abs(self), 2) * 1j
    return F.where(self == 0.0, F.new_zeros(self, ()), slope)


def angle_forward(xp: Any, self: Any) -> Any:
    """The angles; C-contiguous where torch copies them out of complex results, else as `self`."""
    if self.dtype.kind == "c":
        wide = self.astype(xp.complex128, copy=False)  # rounded once
        return xp.asarray(xp.angle(wide), dtype=self.real.dtype, order="C")
    dtype = self.dtype if self.dtype.kind in "fV" else get_default_dtype().numpy
    strides = layout.elementwise_strides(self.shape, [(self.shape, layout.strides_of(self))])
    out = xp.empty_strided(self.shape, strides, dtype)
    out[...] = xp.where(self < 0, xp.asarray(xp.pi, dtype=dtype), xp.zeros_like(self, dtype=dtype))
    xp.copyto(out, self, where=xp.isnan(self))
    return out


angle = operator(
    "angle(Tensor self) -> Tensor",
    node="AngleBackward0",
    forward=angle_forward,
    self=angle_backward,
    result=ELEMENTWISE,
    variants=("out",),
    elementwise=True,
)


@composite("real", on=("function",))
def real(input: Any) -> Any:
    """The real part, as a view; a real tensor itself."""
    if not input.is_complex():
        return input
    return select(view_as_real(conj(input) if is_conj(input) else input), input.dim(), 0)


@composite("imag", on=("function",))
def imag(input: Any) -> Any:
    """The imaginary part, as a view. RuntimeError for real dtypes."""
    if not input.is_complex():
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if is_conj(input):
        return select(negative_view(view_as_real(conj(input))), input.dim(), 1)
    return select(view_as_real(input), input.dim(), 1)


def _write_real(self: Any, value: Any) -> None:
    real(self).copy_(value)


def _write_imag(self: Any, value: Any) -> None:
    imag(self).copy_(value)


Tensor.real, Tensor.imag = property(real, _write_real), property(imag, _write_imag)
