"""Derivatives around the gamma function: polygamma, and the gradient of gamma samples."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import gammas
from minitorch.core.declare.families import METHOD, composite, not_differentiable, operator
from minitorch.core.declare.row import ELEMENTWISE
from minitorch.core.numbers import dtype as dtypes


def polygamma_forward(xp: Any, n: int, self: Any) -> Any:
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    kind = dtypes.of(self)
    if kind.is_complex:
        name = ("digamma", "trigamma", "polygamma")[min(n, 2)]
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.scalar_name}'")
    if not kind.is_floating_point:
        self = self.astype(dtypes.get_default_dtype().numpy)
    return gammas.polygamma(xp, n, self)


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
    forward=lambda xp, self, output: gammas.standard_gamma_grad(xp, self, output),
    self=not_differentiable("_standard_gamma_grad"),
    on=("function",),
)
