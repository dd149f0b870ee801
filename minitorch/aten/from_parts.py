"""Complex tensors made of real ones: complex and polar."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import layout
from minitorch.core.arrays.floating_point import warn_of_halves
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.signatures import overloads
from minitorch.core.declare.writing import deliver
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import TensorBase


def _laid_out(xp: Any, a: Any, b: Any) -> Any:
    """An uninitialised complex array for parts like `a` and `b`, which are checked."""
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
    inputs = [(x.shape, layout.strides_of(x)) for x in (a, b)]
    return xp.empty_strided(
        shape, layout.elementwise_strides(shape, inputs), kinds[0].to_complex().numpy
    )


def complex_forward(xp: Any, real: Any, imag: Any) -> Any:
    out = _laid_out(xp, real, imag)
    if out.dtype.names:
        out["real"], out["imag"] = real, imag
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
)

polar_row = operator(
    "polar(Tensor abs, Tensor angle) -> Tensor",
    node="PolarBackward0",
    forward=polar_forward,
    abs=lambda F, grad, result: F.real(grad.conj() * F.sgn(result)),
    angle=lambda F, grad, result: F.real(grad.conj() * F.mul_Scalar(result, 1j)),
    result=lambda F, abs_p, abs_t, angle_p, angle_t: F.complex(
        abs_t * F.cos(angle_p) - angle_t * abs_p * F.sin(angle_p),
        abs_t * F.sin(angle_p) + angle_t * abs_p * F.cos(angle_p),
    ),
    on=("F",),
)


def _into(name: str, row: Any, out: Any, first: Any, second: Any) -> Any:
    """The result of a row, in `out`, whose dtype must be its own."""
    kind = first.dtype.to_complex() if first.dtype.is_floating_point else first.dtype
    if isinstance(out, TensorBase) and out.dtype is not kind:
        raise RuntimeError(
            f"Expected object of scalar type {kind.scalar_name} but got scalar type "
            f"{out.dtype.scalar_name} for argument 'out'"
        )
    return deliver(name, row, out, ((first, second), {}))


def _warn_of_half(first: Any, second: Any) -> None:
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
