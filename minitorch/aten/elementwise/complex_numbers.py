"""Complex numbers: conj, real, imag, angle, sgn, and how they are put together and taken apart."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.in_formulas import number_like
from minitorch.aten.shape.ordering import matrix_transpose, warn_of_scalar
from minitorch.aten.shape.slicing import select
from minitorch.aten.shape.views import view_as_real
from minitorch.core.arrays import layout
from minitorch.core.arrays.floating_point import has_nan, warn_of_halves
from minitorch.core.arrays.lazy import bits_of, is_numpy, lazy, raw_of, resolved, turned_halves
from minitorch.core.arrays.questions import some
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import is_complex
from minitorch.core.declare.calls import READS_BITS, READS_CONJUGATES
from minitorch.core.declare.families import composite, operator, unary
from minitorch.core.declare.general.writing import check_gradients, deliver
from minitorch.core.declare.out import ALONE, BY_ELEMENT, FOUND, ONCE, InPlace, Out, out_of
from minitorch.core.declare.row import ABSORB, ELEMENTWISE, LINEAR
from minitorch.core.declare.vmap import BROADCASTS, KEEPS_DIMS
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import preserve_format
from minitorch.core.numbers.dispatch import COMPLEX_HALF, EVERY, USUAL
from minitorch.core.numbers.dtype import Kind, get_default_dtype
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
        return on_device(xp, self, conj_forward, True)
    by_conj, by_neg = bits_of(self)
    return lazy(raw_of(self)[...], not by_conj, by_neg)


def on_device(xp: Any, self: Any, function: Any, conjugated: bool) -> Any:
    """The conjugates or negatives of an array in the memory of a device, which has no Lazy."""
    if self.dtype.names and xp.device_type == "cuda":
        return in_strides_of(xp, self, turned_halves(self.copy(), conjugated, not conjugated))
    return in_strides_of(xp, self, function(xp, self))


def in_strides_of(xp: Any, self: Any, x: Any) -> Any:
    """The numbers `x` of a view of `self`, in memory of their own that is strided as the view's."""
    strides = layout.strides_of(self)
    if layout.strides_of(x) == strides or not x.size:
        return x
    laid = xp.empty_strided(self.shape, strides, x.dtype)
    laid[...] = x
    return laid


def negated(xp: Any, self: Any) -> Any:
    """The memory of `self` read negated; the negatives of an array that is not NumPy's."""
    if not is_numpy(self):
        return on_device(xp, self, lambda xp, x: xp.negative(x, out=...), False)
    by_conj, by_neg = bits_of(self)
    return lazy(raw_of(self)[...], by_conj, not by_neg)


conjugate = operator(
    "_conj(Tensor(a) self) -> Tensor(a)",
    node="ConjBackward0",
    forward=conjugated,
    self=lambda F, grad: F._conj(grad),
    result=LINEAR,
    retypes=True,
    vmap=KEEPS_DIMS,
    calls=READS_BITS,
    zeros=ABSORB,
)

negative_view = operator(
    "_neg_view(Tensor(a) self) -> Tensor(a)",
    node="NegViewBackward0",
    forward=negated,
    self=lambda grad: -grad,
    result=LINEAR,
    raw=lambda self: -self,
    retypes=True,
    vmap=KEEPS_DIMS,
)

conj_physical_row = unary(
    "_conj_physical(Tensor self) -> Tensor",
    kernel="conj_cpu",
    node="ConjPhysicalBackward0",
    forward=lambda xp, self: xp.conj(self, out=...),
    self=lambda F, grad: F.conj_physical(grad),
    result=LINEAR,
    variants=(),
    preserves=True,
    knows=USUAL | COMPLEX_HALF,
    calls=READS_CONJUGATES,
)


@composite("conj", calls=READS_BITS)
def conj(input: Any) -> Any:
    """The complex conjugate, a view of the same memory; a real tensor itself."""
    return conjugate(input) if input.is_complex() else input


unary(
    "conj_physical_(Tensor(a!) self) -> Tensor(a!)",
    knows=EVERY,
    node="ConjPhysicalBackward1",
    forward=lambda xp, self: xp.conj(self, out=...),
    self=lambda F, grad: F.conj_physical(grad),
    result=LINEAR,
    variants=("inplace",),
    on=("F",),
    in_place=InPlace(overlaps=Kind.FLOATING, falls_back=ALONE),
)


@composite(
    "conj_physical",
    out=Out(FOUND, operands=1, overlap=BY_ELEMENT, autograd=False),
    calls=READS_CONJUGATES,
)
def conj_physical(input: Any) -> Any:
    """The complex conjugate in memory of its own; a real tensor itself."""
    return conj_physical_row(input) if input.is_complex() else input


@composite("resolve_conj", raw=lambda x: resolved(x) if bits_of(x)[0] else x, calls=READS_BITS)
def resolve_conj(input: Any) -> Any:
    """A copy that is not a conjugate view; `input` itself if it is none."""
    return input.clone() if bits_of(input._array)[0] else input


@composite("resolve_neg", calls=READS_BITS)
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
        return F.zeros_like(self, memory_format=preserve_format)
    slope = grad * self / F.pow_Tensor_Scalar(F.abs(self), 2) * 1j
    return F.where(self == 0.0, number_like(F, self, 0.0), slope)


_PI = numpy.asarray(numpy.pi, numpy.float32)


def angle_forward(xp: Any, self: Any) -> Any:
    """The angles; C-contiguous where torch copies them out of complex results, else as `self`."""
    if self.dtype.kind == "c":
        wide = self.astype(xp.complex128, copy=False)  # rounded once
        return xp.asarray(xp.angle(wide), dtype=self.real.dtype, order="C")
    dtype = self.dtype if self.dtype.kind in "fV" else get_default_dtype().numpy
    if dtype is xp.float32 is self.dtype and self.flags.c_contiguous and self.size > 1:
        out = xp.multiply(xp.less(self, 0), _PI)
        if has_nan(xp, self):
            xp.copyto(out, self, where=xp.isnan(self))
        return out
    strides = layout.elementwise_strides(self.shape, [(self.shape, layout.strides_of(self))])
    out = xp.empty_strided(self.shape, strides, dtype)
    out[...] = xp.where(self < 0, xp.asarray(xp.pi, dtype=dtype), xp.asarray(0, dtype=dtype))
    unknown = xp.isnan(self)
    if some(unknown):
        xp.copyto(out, self, where=unknown)
    return out


angle = operator(
    "angle(Tensor self) -> Tensor",
    node="AngleBackward0",
    forward=angle_forward,
    kernel="angle_cpu",
    knows=EVERY - COMPLEX_HALF,
    self=angle_backward,
    result=ELEMENTWISE,
    variants=("out",),
    elementwise=True,
    out=Out(overlap=BY_ELEMENT, resize=ONCE),
    vmap=BROADCASTS,
)


@composite("real", on=("function",), calls=READS_BITS)
def real(input: Any) -> Any:
    """The real part, as a view; a real tensor itself."""
    if not input.is_complex():
        return input
    return select(view_as_real(conj(input) if is_conj(input) else input), input.dim(), 0)


@composite("imag", on=("function",), calls=READS_BITS)
def imag(input: Any) -> Any:
    """The imaginary part, as a view. RuntimeError for real dtypes."""
    if not input.is_complex():
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if is_conj(input):
        return select(negative_view(view_as_real(conj(input))), input.dim(), 1)
    return select(view_as_real(input), input.dim(), 1)


def _write_real(self: Any, value: Any) -> None:
    _write(real(self), value)


def _write_imag(self: Any, value: Any) -> None:
    _write(imag(self), value)


def _write(part: Any, value: Any) -> None:
    if isinstance(value, TensorBase):
        part.copy_(value)
    else:
        part[...] = value  # with the errors of an assigned number


Tensor.real, Tensor.imag = property(real, _write_real), property(imag, _write_imag)

# ---- complex and polar


def _laid_out(xp: Any, a: Any, b: Any) -> Any:
    """An uninitialised complex array for parts like `a` and `b`, which are checked."""
    own = a.dtype
    if own is b.dtype and own.char in "fd" and a.flags.c_contiguous and b.flags.c_contiguous:
        shape = layout.broadcast(a.shape, b.shape)
        if 1 not in shape and 0 not in shape:  # the ordinary case
            return xp.empty(shape, xp.complex64 if own.char == "f" else xp.complex128)
    kinds = dtypes.of(a), dtypes.of(b)
    if not all(kind.is_floating_point and kind is not dtypes.bfloat16 for kind in kinds):
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{kinds[0].scalar_name} and {kinds[1].scalar_name}"
        )
    if kinds[0] is not kinds[1]:
        raise RuntimeError(
            f"Expected object of scalar type {kinds[0].scalar_name} but got scalar type "
            f"{kinds[1].scalar_name} for second argument"
        )
    shape = layout.broadcast(a.shape, b.shape)
    strides = layout.elementwise_strides(shape, layout.forms_of((a, b)))
    return xp.empty_strided(shape, strides, kinds[0].to_complex().numpy)


def complex_forward(xp: Any, real: Any, imag: Any) -> Any:
    out = _laid_out(xp, real, imag)
    if out.dtype.names:
        if out.size:  # CuPy has no fields of nothing
            out["real"][...], out["imag"][...] = real, imag
    else:
        out.real[...], out.imag[...] = real, imag
    return out


def polar_forward(xp: Any, abs: Any, angle: Any) -> Any:
    out = _laid_out(xp, abs, angle)
    if out.dtype.names:
        raise NotImplementedError("\"polar_cpu\" not implemented for 'Half'")
    out.real[...] = abs * xp.elementary.cos(angle)
    out.imag[...] = abs * xp.elementary.sin(angle)
    return out


complex_row = operator(
    "complex(Tensor real, Tensor imag) -> Tensor",
    node="ComplexBackward0",
    forward=complex_forward,
    # torch saves both parts, though their formulas have no use for them.
    real=lambda F, grad, real: F.real(grad),
    imag=lambda F, grad, imag: F.imag(grad),
    result=lambda F, real_t, imag_t: F.complex(real_t, imag_t),
    on=("F",),
    vmap=BROADCASTS,
)


def polar_backward(F: Any, grad: Any, result: Any, grad_input_mask: Any) -> tuple[Any, Any]:
    """The gradients of the sizes and the angles, both by the conjugate gradient."""
    grad = grad.conj()
    by_abs, by_angle = grad_input_mask
    return (
        F.real(grad * F.sgn(result)) if by_abs else None,
        F.real(grad * F.mul_Scalar(result, 1j)) if by_angle else None,
    )


polar_row = operator(
    "polar(Tensor abs, Tensor angle) -> Tensor",
    node="PolarBackward0",
    forward=polar_forward,
    inputs=polar_backward,
    result=lambda F, abs_p, abs_t, angle_p, angle_t: F.complex(
        abs_t * F.cos(angle_p) - angle_t * abs_p * F.sin(angle_p),
        abs_t * F.sin(angle_p) + angle_t * abs_p * F.cos(angle_p),
    ),
    on=("F",),
    vmap=BROADCASTS,
)


def _into(name: str, row: Any, out: Any, first: Any, second: Any) -> Any:
    """The result of a row, in `out`, whose dtype must be its own."""
    if isinstance(out, TensorBase):
        check_gradients(out_of(name), name, (out,), [first, second])
    kind = first.dtype.to_complex() if first.dtype.is_floating_point else first.dtype
    if isinstance(out, TensorBase) and out.dtype is not kind:
        raise RuntimeError(
            f"Expected object of scalar type {kind.scalar_name} but got scalar type "
            f"{out.dtype.scalar_name} for argument 'out'"
        )
    return deliver(name, row, out, ((first, second), {}))


def _warn_of_half(first: Any, second: Any) -> None:
    if type(first) is Tensor and first._array.dtype.char != "e":
        return
    kinds = [getattr(x, "dtype", None) for x in (first, second)]
    given = dtypes.float16, dtypes.float32, dtypes.float64
    if kinds[0] is dtypes.float16 and kinds[1] in given:
        warn_of_halves()


@composite("complex", on=("function",))
@overloads("Tensor real, Tensor imag, *, Tensor out = None")
def complex(real: Any, imag: Any, *, out: Any = None) -> Any:
    """Complex numbers of real and imaginary parts, both float32 or float64."""
    if out is not None:
        return _into("complex", complex_row, out, real, imag)
    _warn_of_half(real, imag)
    return complex_row(real, imag)


@composite("polar", on=("function",))
@overloads("Tensor abs, Tensor angle, *, Tensor out = None")
def polar(abs: Any, angle: Any, *, out: Any = None) -> Any:
    """Complex numbers of absolute values and angles, both float32 or float64."""
    if out is not None:
        return _into("polar", polar_row, out, abs, angle)
    _warn_of_half(abs, angle)
    return polar_row(abs, angle)
