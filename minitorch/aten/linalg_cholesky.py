"""Inverses and solutions by a Cholesky factor that is known: cholesky_inverse, cholesky_solve."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.linalg_checks import check_kernel, check_square, mH, on_host, swapped
from minitorch.core.arrays import lapack
from minitorch.core.declare.families import operator
from minitorch.core.declare.out_rules import castable_out
from minitorch.core.numbers import dtype as dtypes

castable_out("cholesky_inverse", "cholesky_inverse", columns=True)
castable_out("cholesky_solve", "cholesky_solve")


def solved(b: Any, factor: Any, upper: bool) -> Any:
    """The solution X of L L^H X = B, or of U^H U X = B."""
    flipped = swapped(factor).conj()
    first, second = (flipped, factor) if upper else (factor, flipped)
    x = lapack.solve_triangular(first, b, False, False)
    return lapack.solve_triangular(second, x, True, False)


def by_factor(F: Any, factor: Any, x: Any, upper: bool) -> Any:
    """The gradient of the factor, by half of that of the Hermitian matrix."""
    x = x + mH(F, x)
    return -F.matmul(factor, x) if upper else -F.matmul(x, factor)


def inverse_forward(xp: Any, self: Any, upper: bool) -> Any:
    check_square(self, "cholesky_inverse")
    check_kernel(self, "cholesky_inverse_out_cpu")

    def kernel(a: Any) -> Any:
        ones = numpy.broadcast_to(numpy.eye(a.shape[-1], dtype=a.dtype), a.shape)
        return solved(ones, a, upper)

    return on_host(xp, kernel, self)


def inverse_backward(F: Any, grad: Any, self: Any, upper: bool, result: Any) -> Any:
    inner = F.matmul(result, F.matmul(grad, result))
    return by_factor(F, self, inner, upper)


def inverse_tangent(F: Any, self_p: Any, self_t: Any, result: Any, upper: bool) -> Any:
    factor, tangent = (self_p, mH(F, self_t)) if upper else (mH(F, self_p), self_t)
    half = -F.matmul(F.matmul(F.matmul(result, tangent), result), factor)  # torch's order
    return half + mH(F, half)


cholesky_inverse = operator(
    "cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
    node="CholeskyInverseBackward0",
    forward=inverse_forward,
    self=inverse_backward,
    result=inverse_tangent,
    variants=("out",),
)


def solve_forward(xp: Any, self: Any, input2: Any, upper: bool) -> Any:
    for x, name in ((self, "b"), (input2, "u")):
        if x.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead"
            )
    rows, columns = input2.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if input2.shape[-1] != self.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {input2.shape[-1]} by "
            f"{input2.shape[-1]} but each b matrix is {self.shape[-2]} by {self.shape[-1]}"
        )
    if self.dtype != input2.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type "
            f"{dtypes.of(self).scalar_name} and A of type {dtypes.of(input2).scalar_name} instead."
        )
    check_kernel(self, "cholesky_solve_cpu")
    return on_host(xp, lambda b, factor: solved(b, factor, upper), self, input2)


def solve_backward(
    F: Any, grad: Any, self: Any, input2: Any, result: Any, upper: bool, grad_input_mask: Any
) -> tuple[Any, Any]:
    by_b = F.cholesky_solve(grad, input2, upper)
    if not grad_input_mask[1]:
        return by_b, None
    by_f = by_factor(F, input2, F.matmul(by_b, mH(F, result)), upper)
    return by_b if grad_input_mask[0] else None, by_f


def solve_tangent(
    F: Any, self_t: Any, input2_p: Any, input2_t: Any, result: Any, upper: bool
) -> Any:
    if upper:
        half = F.matmul(mH(F, input2_t), input2_p)
    else:
        half = F.matmul(input2_t, mH(F, input2_p))
    moved = F.matmul(half + mH(F, half), result)
    return F.cholesky_solve(self_t - moved, input2_p, upper)


cholesky_solve = operator(
    "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
    node="CholeskySolveBackward0",
    forward=solve_forward,
    inputs=solve_backward,
    result=solve_tangent,
    variants=("out",),
)
