"""Derivatives around the gamma function: polygamma, and the gradient of gamma samples.

SciPy is loaded at the first call.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.core.declare.elementwise import unsupported
from minitorch.core.declare.families import (
    METHOD,
    binary,
    composite,
    not_differentiable,
    not_implemented,
    operator,
)
from minitorch.core.declare.row import ELEMENTWISE, ufunc
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.tensor.base import tensor


def polygamma_array(xp: Any, n: int, x: Any) -> Any:
    """The n-th derivative of digamma at `x`; but for the first, evaluated in double and rounded."""
    if n == 1:
        return trigamma(xp, x)
    from scipy import special

    wide = xp.to_numpy(x).astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        return xp.asarray(special.polygamma(n, wide)).astype(x.dtype)


def trigamma(xp: Any, x: Any) -> Any:
    """The derivative of digamma, in the steps of torch: aten/src/ATen/native/Math.h."""
    dtype = x.dtype
    if dtype.itemsize == 2:
        return trigamma(xp, x.astype(xp.float32)).astype(dtype)
    number = dtype.type
    pi = number(math.pi)
    with numpy.errstate(all="ignore"):
        sine = xp.elementary.sin(pi * x)
        turned = x < 0.5
        result = xp.where(turned, -(pi * pi) / (sine * sine), number(0))
        x = xp.where(turned, 1 - x, x)
        for _ in range(6):
            result = result + 1 / (x * x)
            x = x + 1
        y = 1 / (x * x)
        series = y * (number(1 / 6) - y * (number(1 / 30) - y * number(1 / 42)))
        result = result + (1 + 1 / (2 * x) + series) / x
        return xp.as_array(xp.where(turned, -result, result)).astype(dtype)


def standard_gamma_grad(xp: Any, alpha: Any, sample: Any) -> Any:
    """d sample / d alpha of gamma samples, at a fixed value of their distribution function.

    By implicit reparametrisation (Figurnov, Mohamed, Mnih 2018): minus the derivative of the
    distribution function by alpha, here a central difference, over the density.
    """
    from scipy import special

    a = xp.to_numpy(alpha).astype(numpy.float64)
    x = xp.to_numpy(sample).astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        step = 1e-5 * numpy.maximum(a, 1e-3)
        slope = (special.gammainc(a + step, x) - special.gammainc(a - step, x)) / (2 * step)
        density = numpy.exp((a - 1) * numpy.log(x) - x - special.gammaln(a))
        return xp.asarray(-slope / density).astype(alpha.dtype)


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


@composite("polygamma", on=METHOD)
def method(self: Any, n: int) -> Any:
    """The n-th derivative of the digamma function. As Tensor.polygamma."""
    return polygamma(n, self)


_standard_gamma_grad = operator(
    "_standard_gamma_grad(Tensor self, Tensor output) -> Tensor",
    node="StandardGammaGradBackward0",
    forward=lambda xp, self, output: standard_gamma_grad(xp, self, output),
    self=not_differentiable("_standard_gamma_grad"),
    on=("function",),
)


def incomplete(name: str, kernel: str, sign: int) -> Any:
    """The lower or upper incomplete gamma function, as a share of the whole."""

    def slope(F: Any, grad: Any, self: Any, other: Any) -> Any:
        return sign * grad * F.exp((self - 1) * F.log(other) - other - F.lgamma(self))

    return binary(
        f"{name}(Tensor self, Tensor other) -> Tensor",
        node=f"{name.capitalize()}Backward0",
        forward=ufunc(f"elementary.{kernel}"),
        check=unsupported(f"{name}_cpu", Kind.BOOL, Kind.INTEGER, Kind.COMPLEX),
        self=not_implemented(f"{name}: input"),
        other=slope,
        tensors_only=True,
    )


igamma = incomplete("igamma", "gammainc", 1)
igammac = incomplete("igammac", "gammaincc", -1)


def halves(F: Any, self: Any, p: int) -> Any:
    """self + (1 - j) / 2 for j from p down to 1, in a new last dimension."""
    dtype = dtypes.of(getattr(self, "_array", self))
    dtype = dtype if dtype.is_floating_point or dtype.is_complex else dtypes.get_default_dtype()
    steps = F.arange(-p * 0.5 + 0.5, 0.5, 0.5, dtype=dtype)
    return steps + F.unsqueeze(self, -1)


def mvlgamma_forward(xp: Any, self: Any, p: int) -> Any:
    if self.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    x = tensor(self)
    total = OPS.sum(OPS.lgamma(halves(OPS, x, p)), (-1,))
    return OPS.add(total, (p * p - p) * math.log(math.pi) * 0.25)._array


mvlgamma = operator(
    "mvlgamma(Tensor self, int p) -> Tensor",
    node="MvlgammaBackward0",
    forward=mvlgamma_forward,
    self=lambda F, grad, self, p: grad * F.sum_dim_IntList(F.digamma(halves(F, self, p)), (-1,)),
    result=ELEMENTWISE,
    variants=("inplace", "out"),
    inplace_on=METHOD,
    elementwise=True,
)
