"""Special functions, those around the gamma function, gcd and lcm, and the trapezoidal rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.aten.elementwise.arithmetic import add_by_number, div_by_number, mul_by_number
from minitorch.aten.elementwise.interpolation import alike, by_logarithm, tensors_or_numbers
from minitorch.aten.in_formulas import after, number_like, options_of
from minitorch.core import sampling
from minitorch.core.arrays import elementary, namespace
from minitorch.core.arrays import layout as layouts
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.questions import some
from minitorch.core.arrays.special import KERNELS
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.declare.families import (
    METHOD,
    alias,
    binary,
    composite,
    not_differentiable,
    not_implemented,
    operator,
    unary,
)
from minitorch.core.declare.general.elementwise import unsupported
from minitorch.core.declare.general.fitting import fit, warn_of_resize
from minitorch.core.declare.general.writing import check_out
from minitorch.core.declare.out import ALIGNED, ALONE, InPlace, Out, castable_as, check_castable
from minitorch.core.declare.row import ELEMENTWISE, ufunc
from minitorch.core.declare.vmap import BROADCASTS, BROADCASTS_WITH_WARNING
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.graph.views import note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.numbers.dtype import bool as bool_dtype
from minitorch.core.numbers.limits import finfo
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.numbers.scalars import as_number
from minitorch.core.sampling import implicit
from minitorch.core.tensor.conversion import entry_of, wrap_dim

# ---- functions of one number


def special(name: str, node: str, gradient: Any, half: bool = True, **fields: Any) -> Any:
    """A function of floats.

    half: whether torch knows it of float16 and bfloat16.
    """
    kernel = name.removeprefix("special_")
    shown = "i0_vml_cpu" if name == "i0" else f"{kernel}_cpu"
    fields.setdefault("on", ("F",))
    fields.setdefault("variants", ("out",))
    return unary(
        f"{name}(Tensor self) -> Tensor",
        node=node,
        forward=ufunc(f"elementary.{kernel}"),
        dtype="float",
        check=unsupported(shown, Kind.COMPLEX, halves=not half),
        self=gradient,
        result=ELEMENTWISE,
        **fields,
    )


i0 = special(
    "i0",
    "I0Backward0",
    lambda F, grad, self: grad * F.special_i1(self),
    on=("method", "function"),
    variants=("inplace", "out"),
)
alias("special_i0", i0, ("F",), ())
special(
    "special_i0e",
    "SpecialI0EBackward0",
    lambda F, grad, self, result: i0e_backward(F, grad, self, result),
)


def ndtri_backward(F: Any, grad: Any, result: Any) -> Any:
    slope = F.exp(F.square(result) / 2)
    return grad * math.sqrt(2 * math.pi) * slope


def log_ndtr_backward(F: Any, grad: Any, self: Any, result: Any) -> Any:
    slope = F.exp(-(result + F.pow_Tensor_Scalar(self, 2) / 2))
    return grad / math.sqrt(2 * math.pi) * slope


def i0e_backward(F: Any, grad: Any, self: Any, result: Any) -> Any:
    signed = F.sgn(self) * result
    return grad * (F.special_i1e(self) - signed)


def bessel_backward(F: Any, grad: Any, self: Any, slope: Any) -> Any:
    """The gradient of i1 or i1e: 1/2 at 0, where `slope` of a number would divide 0 by 0."""
    epsilon = finfo(dtypes.of(getattr(self, "_array", self))).eps
    regular = F.abs(self) > epsilon
    safe = F.where(regular, self, number_like(F, self, epsilon))
    steep = slope(safe)
    return grad * F.where(regular, steep, number_like(F, self, 0.5))


def i1_slope(F: Any, x: Any, result: Any) -> Any:
    part = result * F.reciprocal(x)
    return F.i0(x) - part


def i1e_slope(F: Any, x: Any, result: Any) -> Any:
    inverse = F.reciprocal(x)
    part = result * (F.sgn(x) + inverse)
    return F.special_i0e(x) - part


special(
    "special_i1",
    "SpecialI1Backward0",
    lambda F, grad, self, result: bessel_backward(F, grad, self, lambda x: i1_slope(F, x, result)),
)
special(
    "special_i1e",
    "SpecialI1EBackward0",
    lambda F, grad, self, result: bessel_backward(F, grad, self, lambda x: i1e_slope(F, x, result)),
)
special(
    "special_erfcx",
    "SpecialErfcxBackward0",
    lambda grad, self, result: (2.0 * self * result - 2.0 / math.sqrt(math.pi)) * grad,
    half=False,
)
special(
    "special_entr",
    "SpecialEntrBackward0",
    lambda F, grad, self: grad * (-(1 + F.log(self))),
)
special(
    "special_ndtri",
    "SpecialNdtriBackward0",
    lambda F, grad, result: ndtri_backward(F, grad, result),
    half=False,
)
special(
    "special_log_ndtr",
    "SpecialLogNdtrBackward0",
    lambda F, grad, self, result: log_ndtr_backward(F, grad, self, result),
    half=False,
    vmap=BROADCASTS_WITH_WARNING,
)


def xlog1py_backward_self(F: Any, grad: Any, self: Any, other: Any) -> Any:
    """As xlogy's."""
    if hasattr(other, "shape"):
        slope = F.special_xlog1py(grad, other)
        undefined = other <= -1.0
        return F.masked_fill(slope, (self == 0.0) & undefined, 0.0)
    slope = F.special_xlog1py_other_scalar(grad, other)
    return slope if other > -1 else F.masked_fill(slope, self == 0.0, 0.0)


def xlog1py_backward_other(grad: Any, self: Any, other: Any) -> Any:
    shifted = other + 1
    return grad * self / shifted


def zeta_backward(F: Any, grad: Any, self: Any, other: Any) -> Any:
    """The gradient by the second argument."""
    if hasattr(self, "shape"):
        return grad * -self * F.special_zeta(self + 1.0, other)
    return grad * -self * F.special_zeta_self_scalar(self + 1.0, other)


special_xlog1py = tensors_or_numbers(
    "special_xlog1py",
    ("", ".self_scalar", ".other_scalar"),
    "SpecialXlog1PyBackward",
    forward=by_logarithm("log1p"),
    check=unsupported("xlog1py_cpu", Kind.COMPLEX),
    self=xlog1py_backward_self,
    other=xlog1py_backward_other,
    result=ELEMENTWISE,
    on=("F",),
)
special_zeta = tensors_or_numbers(
    "special_zeta",
    ("", ".self_scalar", ".other_scalar"),
    "SpecialZetaBackward",
    forward=lambda xp, self, other: xp.elementary.zeta(*alike(xp, self, other)),
    check=unsupported("zeta_cpu", Kind.COMPLEX, halves=True),
    self=not_implemented("zeta"),
    other=zeta_backward,
    on=("F",),
)


@composite("special_ndtr", on=("F",))
def ndtr(input: Any, *, out: Any = None) -> Any:
    """The share of a normal distribution below `input`."""
    inner = OPS.erf(mul_by_number(input, math.sqrt(0.5)))
    found = mul_by_number(add_by_number(inner, 1), 0.5)
    if out is None:
        return found
    check_out("special_ndtr", out)
    check_castable("special_ndtr", found.dtype, out.dtype)
    fit(out, found.shape)
    return out.copy_(found)


def _refuse_exponents(row: Any, common: Any, operands: Any) -> None:
    """Refuses exponents as ATen does: booleans of floats, 2-byte floats of complex numbers."""
    self, other = [each.dtype for each in operands]
    if self.is_floating_point and other is bool_dtype:
        raise NotImplementedError("\"ldexp_cpu_exp\" not implemented for 'Bool'")
    if self.is_complex and other is dtypes.float16 and operands[1].ndim:
        raise NotImplementedError("\"pow\" not implemented for 'ComplexHalf'")


def ldexp_forward(xp: Any, self: Any, other: Any) -> Any:
    """self times 2 to the power of `other`, which is rounded, and overflows, only where it is a
    float: as one of its own dtype."""
    if other.dtype.kind in "iu":
        wanted = numpy.broadcast_shapes(self.shape, other.shape)
        if self.shape != wanted and self.size and self.dtype.kind == "f":
            warn_of_resize(list(self.shape), list(wanted))  # torch writes into a tensor like self
        return xp.ldexp(self, other.astype(xp.int32), out=...)
    if not other.ndim and self.dtype != numpy.float32:  # torch makes the base one of its dtype
        other = other.astype(self.dtype)
    if other.dtype.itemsize == 2:
        power = xp.elementary.exp2(other.astype(numpy.float32)).astype(other.dtype)
    else:
        power = xp.elementary.exp2(other)
    return xp.multiply(self, power.astype(self.dtype), out=...)


def _fitting_floats(name: str, result: Any, out: Any) -> None:
    """The rule for an out= of ldexp."""
    if not (out.is_floating_point or out.is_complex):
        raise RuntimeError(f"{name} can't be cast to the desired output type {out.scalar_name}")
    check_castable(name, result, out)


ldexp = binary(
    "ldexp.Tensor(Tensor self, Tensor other) -> Tensor",
    node="LdexpBackward0",
    forward=ldexp_forward,
    dtype="float",
    keeps_exponent=True,
    check=_refuse_exponents,
    tensors_only=True,
    inplace_on=("method", "function"),
    self=lambda F, grad, other: grad * F.pow_Scalar(2, other).conj(),
    other=lambda grad, result: grad * result.conj() * math.log(2),
    result=lambda F, self_t, other_p, other_t, result: (
        self_t * F.pow_Scalar(2, other_p) + other_t * result * math.log(2)
    ),
    in_place=InPlace(falls_back=ALONE, dtype_first=True),
    out=Out(_fitting_floats),
)

# ---- gcd, lcm


def lcm_forward(xp: Any, self: Any, other: Any) -> Any:
    """lcm of integers. Where it overflows: of 4 and 8 bytes, the absolute value of what is left."""
    result = xp.lcm(self, other, out=...)
    return result if result.dtype.itemsize < 4 else xp.abs(result, out=...)


def divisors(name: str, forward: Any) -> Any:
    """gcd or lcm of integers."""
    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        node=None,
        forward=forward,
        tensors_only=True,
        check=unsupported(f"{name}_cpu", Kind.BOOL, Kind.FLOATING, Kind.COMPLEX),
        inplace_on=("method", "function"),
        out=Out(autograd=False),
        in_place=ALIGNED,
    )


gcd, lcm = divisors("gcd", ufunc("gcd")), divisors("lcm", lcm_forward)

# ---- trapezoid


def spaces(name: str, y: Any, x: Any, dim: int) -> Any:
    """The distances of the points `x` at which `y` was measured."""
    axis = wrap_dim(dim, y.dim())
    if y.dtype is bool_dtype or x.dtype is bool_dtype:
        raise RuntimeError(
            f"{name}: received a bool input for `x` or `y`, but bool is not supported"
        )
    size = entry_of(y.shape, axis) if x.dim() == 1 or name == "trapezoid" else None
    if x.dim() == 1:
        if x.shape[0] != size:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([x.shape[0] if i == axis else 1 for i in range(y.dim())])
    elif x.dim() < y.dim():
        x = x.view([*[1] * (y.dim() - x.dim()), *x.shape])
    left = former(x, axis)  # first, as in torch: gradients of gradients show it
    return later(x, axis) - left


def later(x: Any, dim: int) -> Any:
    return OPS.slice(x, dim, 1)


def former(x: Any, dim: int) -> Any:
    return OPS.slice(x, dim, 0, -1)


def _declare_trapezoid(name: str, error_name: str = "") -> Any:
    """error_name: the name in its errors, if not its own."""
    cumulative, own = name.startswith("cumulative"), name
    name = error_name or name

    def function(y: Any, x: Any = None, *, dx: Any = UNSET, dim: int = -1) -> Any:
        if dx is UNSET:
            dx = 1
        elif x is not None:
            raise TypeError  # worded by the signatures
        if isinstance(x, TensorBase) and not cumulative and not y.size(wrap_dim(dim, y.dim())):
            return _written_zeros(y, [n for i, n in enumerate(y.shape) if i != dim % y.dim()])
        if isinstance(x, TensorBase):
            widths, axis = spaces(name, y, x, dim), wrap_dim(dim, y.dim())
            areas = (former(y, axis) + later(y, axis)) * widths
            total = OPS.cumsum(areas, axis) if cumulative else OPS.sum(areas, (axis,))
            return div_by_number(total, 2.0)
        if not cumulative and not entry_of(y.shape, dim):
            return _written_zeros(y, [n for i, n in enumerate(y.shape) if i != dim % y.dim()])
        if y.dtype is bool_dtype:
            raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
        if isinstance(dx, (bool, complex)) and own == name:
            raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
        step = float(as_number(dx))  # a double in torch, which graphs show
        if cumulative:
            return OPS.cumsum(mul_by_number(former(y, dim) + later(y, dim), step / 2), dim)
        last = OPS.select(y, dim, -1)  # first, as in torch: gradients of gradients show it
        both = OPS.select(y, dim, 0) + last
        ends = mul_by_number(both, 0.5)
        return mul_by_number(OPS.sum(y, (dim,)) - ends, step)

    function.__doc__ = "The integral of `y`, measured at `x` or at distances `dx`, by trapezoids."
    return composite(own, on=("function",))(function)


_declare_trapezoid("trapezoid")
_declare_trapezoid("trapz", "trapezoid")
_declare_trapezoid("cumulative_trapezoid")

# ---- without derivatives in torch: Bessel's and Airy's, polynomials


# torch's names without special_, and the kernels' among elementary functions.
BESSEL = {
    "airy_ai": "airy_ai",
    **{f"bessel_{kind}": kind for kind in ("j0", "j1", "y0", "y1")},
    **{f"modified_bessel_{kind}": kind for kind in ("i0", "i1", "k0", "k1")},
    **{f"scaled_modified_bessel_{kind}": f"{kind}e" for kind in ("k0", "k1")},
    "spherical_bessel_j0": "spherical_j0",
}


def _declare(declare: Any, name: str, arguments: str, forward: Any, **fields: Any) -> Any:
    return declare(
        f"special_{name}({arguments}) -> Tensor",
        forward=forward,
        out=Out(takes_grad=True),
        dtype="float",
        check=unsupported(f"{name}_cpu", Kind.COMPLEX, halves=True),
        on=("F",),
        variants=("out",),
        **fields,
    )


def _polynomial(name: str, kernel: Callable[..., Any]) -> Any:
    return _declare(
        *(binary, name, "Tensor x, Tensor n", lambda xp, x, n: kernel(xp, *alike(xp, x, n))),
        number_first=True,
        vmap=BROADCASTS_WITH_WARNING,
        signatures=(
            "Tensor x, Tensor n, *, Tensor out = None",
            "Number x, Tensor n, *, Tensor out = None",
            "Tensor x, Number n, *, Tensor out = None",
        ),
    )


for _name, _kernel in BESSEL.items():
    _first = "Tensor x" if _name.startswith(("airy", "scaled", "spherical")) else "Tensor self"
    _said = BROADCASTS_WITH_WARNING if _name.startswith("airy") else None
    _declare(unary, _name, _first, ufunc(f"elementary.{_kernel}"), vmap=_said)
for _name in KERNELS:
    _polynomial(_name, KERNELS[_name])

# ---- around the gamma function


def polygamma_array(xp: Any, n: int, x: Any) -> Any:
    """The n-th derivative of digamma at `x`; but for the first, evaluated in double and rounded."""
    if n == 0:
        return xp.elementary.digamma(x)
    if n == 1:
        few = type(x) is numpy.ndarray and x.dtype.char == "f" and x.size < _FEW
        return trigamma_of_few(xp, x) if few else trigamma(xp, x)
    wide = xp.to_numpy(x).astype(numpy.float64)
    # That no float of the dtype holds is infinite, as torch has it.
    factorial = float(math.factorial(n)) if n <= _FACTORIALS[x.dtype.char == "d"] else math.inf
    with Silence():
        y = elementary.zeta(numpy.asarray(n + 1.0), wide)
        y *= factorial if n % 2 else -factorial
        return xp.asarray(y).astype(x.dtype)


_FACTORIALS = 34, 170  # the last one of float32, in which half types are computed, and of float64
_FEW = 1024  # elements, up to which SciPy's zeta costs less than the steps of torch


def trigamma_of_few(xp: Any, x: Any) -> Any:
    """`trigamma` of float32: the sum of 1 / (x + k) ** 2, Hurwitz's zeta function."""
    zeta = elementary.zeta_of_finite()
    one, half, pi = _TRIGAMMA
    with Silence():
        turned = x < half
        if not some(turned):
            return xp.as_array(numpy.asarray(zeta(2.0, x)))
        y = numpy.asarray(zeta(2.0, numpy.where(turned, one - x, x)))
        sine = xp.elementary.sin(xp.as_array(pi * x))
        return xp.as_array(numpy.where(turned, pi * pi / (sine * sine) - y, y))


_TRIGAMMA = [numpy.asarray(number, "float32") for number in (1, 0.5, math.pi)]


def trigamma(xp: Any, x: Any) -> Any:
    """The derivative of digamma, in the steps of torch: aten/src/ATen/native/Math.h."""
    dtype = x.dtype
    if dtype.itemsize == 2:
        return trigamma(xp, x.astype(xp.float32)).astype(dtype)
    number = dtype.type
    pi, one = number(math.pi), xp.asarray(1, dtype)
    with Silence():
        turned = x < 0.5
        reflected = some(turned)
        if reflected:
            sine = xp.elementary.sin(pi * x)
            result = xp.as_array(xp.where(turned, -(pi * pi) / (sine * sine), number(0)))
            x = xp.as_array(xp.where(turned, one - x, x))
        else:
            result, x = xp.zeros(x.shape, dtype), x.copy()
        for _ in range(6):
            y = xp.multiply(x, x, out=...)
            result += xp.divide(one, y, out=y)
            x += one
        y = xp.multiply(x, x, out=...)
        y = xp.divide(one, y, out=y)
        series = y * (number(1 / 6) - y * (number(1 / 30) - y * number(1 / 42)))
        result = result + (1 + 1 / (2 * x) + series) / x
        if reflected:
            result = xp.where(turned, -result, result)
        return xp.as_array(result).astype(dtype)


def slopes_of_samples(name: str, kernel: Any, xp: Any, *arrays: Any) -> Any:
    """The result of a kernel of core/sampling/implicit for arrays of one dtype, in that dtype."""
    first, *others = arrays
    for other in others:
        if other.dtype != first.dtype:
            found, wanted = (dtypes.of(each).scalar_name for each in (other, first))
            raise RuntimeError(f"Found dtype {found} but expected {wanted}")
    shape = ()
    for each in arrays:
        shape = layouts.broadcast(shape, each.shape)
    if first.dtype.char not in "fd":
        raise sampling.not_implemented(f"{name}_cpu", first.dtype)
    slopes = kernel(*(numpy.broadcast_to(xp.to_numpy(each), shape) for each in arrays))
    if shape != first.shape and first.size:  # ATen writes into memory of the shape of the first
        warn_of_resize(list(first.shape), list(shape))
    with Silence():
        return xp.asarray(slopes.astype(first.dtype))


def polygamma_forward(xp: Any, n: int, self: Any) -> Any:
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    kind = dtypes.of(self)
    if kind.is_complex:
        name = ("digamma", "trigamma", "polygamma")[min(n, 2)]
        raise dtypes.unknown_to(name, kind)
    if not kind.is_floating_point:
        self = self.astype(dtypes.get_default_dtype().numpy)
    return polygamma_array(xp, n, self)


polygamma = operator(
    "polygamma(int n, Tensor self) -> Tensor",
    node="PolygammaBackward0",
    forward=polygamma_forward,
    self=lambda F, grad, n, self: grad * F.polygamma(n + 1, self),
    result=ELEMENTWISE,
    variants=("out",),
    on=("function",),
    elementwise=True,
    preserves=True,
    vmap=BROADCASTS,
)

operator(
    "polygamma_(Tensor(a!) self, int n) -> Tensor(a!)",
    node="PolygammaBackward1",
    forward=lambda xp, self, n: polygamma_forward(xp, n, self),
    self=lambda F, grad, n, self: grad * F.polygamma(n + 1, self),
    result=ELEMENTWISE,
    on=("F",),
    variants=("inplace",),
)


def _written_zeros(y: Any, shape: list[int]) -> Any:
    """Zeros of version 1: in torch the C++ that makes them is not that of a factory."""
    zeros = y.new_zeros(shape)
    note_write(zeros, None)
    return zeros


@composite(
    "polygamma",
    on=METHOD,
    in_place=InPlace(falls_back=ALONE),
)
def method(self: Any, n: int) -> Any:
    """The n-th derivative of the digamma function. As Tensor.polygamma."""
    return polygamma(n, self)


_standard_gamma_grad = operator(
    "_standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
    node="StandardGammaGradBackward0",
    forward=lambda xp, self, output: slopes_of_samples(
        "_standard_gamma_grad", implicit.gamma_slopes, xp, self, output
    ),
    self=not_differentiable("_standard_gamma_grad"),
    on=("function",),
)


def without_derivative_of(name: str) -> Any:
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


_dirichlet_grad = operator(
    "_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor",
    node="NotImplemented",
    forward=lambda xp, x, alpha, total: slopes_of_samples(
        "_dirichlet_grad", implicit.dirichlet_slopes, xp, x, alpha, total
    ),
    inputs=lambda F, grad: without_derivative_of("_dirichlet_grad"),
    on=("function",),
)


def incomplete(name: str, kernel: str, sign: int) -> Any:
    """The lower or upper incomplete gamma function, as a share of the whole."""

    def slope(F: Any, grad: Any, self: Any, other: Any) -> Any:
        return sign * grad * F.exp((self - 1) * F.log(other) - other - F.lgamma(self))

    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        node=f"{name.capitalize()}Backward0",
        forward=lambda xp, self, other: getattr(xp.elementary, kernel)(self, other, out=...),
        check=unsupported(f"{name}_cpu", Kind.BOOL, Kind.INTEGER, Kind.COMPLEX),
        self=not_implemented(f"{name}: input"),
        other=slope,
        tensors_only=True,
        in_place=InPlace(falls_back=ALONE),
    )


igamma = incomplete("igamma", "gammainc", 1)
igammac = incomplete("igammac", "gammaincc", -1)


def halves(F: Any, self: Any, p: int) -> Any:
    """self + (1 - j) / 2 for j from p down to 1, in a new last dimension."""
    if F is RAW:
        steps = ((namespace(self).arange(p) - (p - 1)) * 0.5).astype(self.dtype)
    else:
        steps = OPS.arange(-p / 2.0 + 0.5, 0.5, 0.5, **options_of(self))
    return F.add(steps, F.unsqueeze(self, -1))


def mvlgamma_forward(xp: Any, self: Any, p: int) -> Any:
    if self.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if self.dtype.kind == "c":
        raise dtypes.unknown_to("arange_cpu", self)
    if self.dtype.kind in "iu":
        self = self.astype(dtypes.get_default_dtype().numpy)
    x = tensor(self)
    total = OPS.sum(OPS.lgamma(halves(OPS, x, p)), (-1,))
    return OPS.add(total, (p * p - p) * math.log(math.pi) * 0.25)._array


def check_mvlgamma_out(out: Any, self: Any, p: int) -> None:
    """RuntimeError in torch's words, which name the input, unless out= takes the result."""
    kind = self.dtype
    if kind is not bool_dtype and p >= 1:
        result = kind if kind.number_kind >= Kind.FLOATING else dtypes.get_default_dtype()
        if not can_cast(result, out.dtype):
            raise RuntimeError(
                f"mvlgamma: result type {kind.scalar_name} can't be cast to the desired output "
                f"type {result.scalar_name}"
            )


def mvlgamma_backward(F: Any, grad: Any, self: Any, p: int) -> Any:
    return grad * F.sum_dim_IntList(after(F, "digamma", halves(F, self, p)), (-1,))


mvlgamma = operator(
    "mvlgamma(Tensor self, int p) -> Tensor",
    node="MvlgammaBackward0",
    forward=mvlgamma_forward,
    self=lambda F, grad, self, p: mvlgamma_backward(F, grad, self, p),
    result=ELEMENTWISE,
    variants=("inplace", "out"),
    inplace_on=METHOD,
    elementwise=True,
    in_place=InPlace(
        dtype=castable_as(
            "mvlgamma: result type {out.scalar_name} can't be cast to the desired output type "
            "{result.scalar_name}"
        )
    ),
    out=Out(given=check_mvlgamma_out),
    vmap=BROADCASTS,
)
