"""Householder reflectors: geqrf makes them of matrices, householder_product multiplies them.

As ATen/native/BatchLinearAlgebra.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.linalg_checks import check_kernel, mH, on_host
from minitorch.core.arrays import lapack
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out_rules import castable_out
from minitorch.core.numbers import dtype as dtypes

castable_out("geqrf", "torch.geqrf", "a", "tau", columns=True)
for _name in ("linalg_householder_product", "orgqr"):
    castable_out(_name, "torch.linalg.householder_product", columns=True)


def geqrf_forward(xp: Any, self: Any) -> Any:
    if self.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel(self, "geqrf_cpu")

    def kernel(x: Any) -> Any:
        factor, least = lapack.by_columns(x), min(x.shape[-2:])
        tau = numpy.zeros((*x.shape[:-2], least), x.dtype)
        if least:
            geqrf = lapack.routine("geqrf", x)
            for i in numpy.ndindex(x.shape[:-2]):
                factor[i], tau[i] = geqrf(factor[i])[:2]
        return factor, tau

    return on_host(xp, kernel, self)


def _without_derivative(grads: Any) -> Any:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


geqrf = operator(
    "geqrf(Tensor self) -> (Tensor a, Tensor tau)",
    node="GeqrfBackward0",
    forward=geqrf_forward,
    self=_without_derivative,
    variants=("out",),
)


def check_reflectors(input: Any, tau: Any) -> None:
    name = "torch.linalg.householder_product"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    rows, columns = input.shape[-2:]
    if rows < columns:
        raise RuntimeError(
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if not tau.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if columns < tau.shape[-1]:
        raise RuntimeError(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if tau.ndim != input.ndim - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal "
            f"to {tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.shape[:-1])}"
        )
    if tau.dtype != input.dtype:
        own, other = (dtypes.of(x).scalar_name for x in (tau, input))
        raise RuntimeError(f"{name}: tau dtype {own} does not match input dtype {other}")
    check_kernel(input, "orgqr_cpu")


def product_forward(xp: Any, input: Any, tau: Any) -> Any:
    check_reflectors(input, tau)

    def kernel(x: Any, tau: Any) -> Any:
        out = lapack.by_columns(x)
        if out.size:
            orgqr = lapack.routine("ungqr" if x.dtype.kind == "c" else "orgqr", x)
            for i in numpy.ndindex(x.shape[:-2]):
                out[i] = orgqr(out[i], tau[i])[0] if tau.size else numpy.eye(*x.shape[-2:])
        return out

    return on_host(xp, kernel, input, tau)


def ones_of(F: Any, input: Any) -> Any:
    """Matrices with ones on their diagonals, of the shape of `input`."""
    return F.tril(F.triu(F.ones_like(input)))


def part(i: int, v: Any, *tau: Any) -> tuple[Any, ...]:
    """Column i of `v`, and the factors of it."""
    return (v[..., i : i + 1], *[t[..., i : i + 1, None] for t in tau])


def product_gradients(F: Any, grad: Any, input: Any, tau: Any, result: Any) -> Any:
    """The product is H_0 H_1 ... on ones, H_i = 1 - tau_i v_i v_i^H, v_i the columns of `input`
    below its diagonal, which counts as ones."""
    if 0 in input.shape or 0 in tau.shape:
        return None, None
    ones, number = ones_of(F, input), tau.shape[-1]
    v_all = F.tril(input, -1) + ones
    products = [ones]  # from the right: without the first i reflectors, at the end of the list
    for i in reversed(range(1, number)):
        (v, t), last = part(i, v_all, tau), products[-1]
        products.append(last - t * F.matmul(v, F.matmul(mH(F, v), last)))
    by_v, by_tau = [], []
    for i in range(number):
        (v, t), right = part(i, v_all, tau), products[number - 1 - i]
        forth = F.matmul(grad, F.matmul(mH(F, right), v))
        back = F.matmul(right, F.matmul(mH(F, grad), v))
        by_tau.append(-F.sum(v.conj() * forth, -2))
        by_v.append(-(t.conj() * forth + t * back))
        grad = grad - t.conj() * F.matmul(v, F.matmul(mH(F, v), grad))
    by_input, by_factor = F.zeros_like(input), F.zeros_like(tau)
    by_input[..., :number] = F.tril(F.cat(by_v, -1), -1)
    by_factor[...] = F.cat(by_tau, -1)
    return by_input, by_factor


def product_tangent(F: Any, input_p: Any, input_t: Any, tau_p: Any, tau_t: Any) -> Any:
    out = ones_of(F, input_p)
    v_all, dv_all, tangent = F.tril(input_p, -1) + out, F.tril(input_t, -1), F.zeros_like(out)
    for i in reversed(range(tau_p.shape[-1])):
        v, t, dt = part(i, v_all, tau_p, tau_t)
        (dv,) = part(i, dv_all)
        along = F.matmul(mH(F, v), out)
        both = F.matmul(mH(F, v), tangent) + F.matmul(mH(F, dv), out)
        tangent = tangent - dt * F.matmul(v, along) - t * (F.matmul(dv, along) + F.matmul(v, both))
        out = out - t * F.matmul(v, along)
    return tangent


linalg_householder_product = operator(
    "linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
    node="LinalgHouseholderProductBackward0",
    forward=product_forward,
    inputs=product_gradients,
    result=product_tangent,
    on=("F",),
    variants=("out",),
)


@composite("orgqr", out=True)
def orgqr(input: Any, tau: Any) -> Any:
    """The same under LAPACK's name."""
    return linalg_householder_product(input, tau)
