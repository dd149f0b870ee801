"""Solutions of linear equations, inverses and determinants, by LU factors or those of Cholesky."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.aten.creation.sequences import identity
from minitorch.aten.in_formulas import is_seen, is_transformed, number_like, scalar
from minitorch.aten.linalg.checks import (
    check_errors,
    check_floating,
    check_info,
    check_kernel,
    check_matrices,
    check_sides,
    check_square,
    factored_transposed,
    mH,
    on_host,
    swapped,
    with_empty_halves,
)
from minitorch.aten.linalg.triangles import check_equation
from minitorch.aten.reduction.reduction import products_of_others, same_dtype
from minitorch.core.arrays import lapack
from minitorch.core.arrays.missing import is_true
from minitorch.core.base.formulas import OPS, RAW, is_complex
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import (
    APART,
    APART_OR_INPUT,
    EXACT,
    ROWS,
    ROWS_UNLESS_EMPTY,
    Out,
    safely_castable,
)
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.limits import finfo

# ---- solve


def is_vector(A: Any, B: Any) -> bool:
    """Whether the right-hand sides `B` of equations are vectors, one for each matrix of `A`."""
    return len(B.shape) == 1 or B.shape == A.shape[:-1]


def as_matrix(F: Any, x: Any, vector: bool) -> Any:
    return F.unsqueeze(x, -1) if vector else x


@with_empty_halves()
def solve_forward(xp: Any, A: Any, B: Any, left: bool, check_errors: bool) -> Any:
    name = "linalg.solve"
    check_floating(A, name)
    if A.dtype != B.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{dtypes.of(A).scalar_name} and B of type {dtypes.of(B).scalar_name} instead"
        )
    check_matrices(A, name)
    vector = is_vector(A, B)
    check_equation(A, B[..., None] if vector else B, left, name)
    if vector and not left:
        raise RuntimeError(
            f"{name}: Vector broadcasting of the left hand side is not supported for left=False. "
            "In this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check_kernel(A, "lu_cpu")

    def kernel(a: Any, b: Any) -> Any:
        lu, pivots, info = lapack.lu_factor(a)
        if check_errors:
            check_info(info, "torch.linalg.solve_ex")
        b = b[..., None] if vector else b
        if left:
            x = lapack.lu_solve(lu, pivots, b, False)
        else:
            x = swapped(lapack.lu_solve(lu, pivots, swapped(b).conj(), True).conj())
        x = x[..., 0] if vector else x
        if left and x.ndim > 1:
            return lapack.by_columns(x), lu, pivots, info
        return numpy.ascontiguousarray(x), lu, pivots, info

    return on_host(xp, kernel, A, B)


def solve_backward(
    F: Any, grad: Any, A: Any, LU: Any, pivots: Any, result: Any, left: bool, grad_input_mask: Any
) -> tuple[Any, Any]:
    vector = is_vector(LU, result)
    grad = as_matrix(F, grad, vector)
    if F is RAW or (is_seen(F, grad) and not recording()):
        by_b = F.linalg_lu_solve(LU, pivots, grad, left=left, adjoint=True)
    else:
        by_b = F.linalg_solve(mH(F, A), grad, left=left)
    by_a = None
    if grad_input_mask[0]:
        x = as_matrix(F, result, vector)
        by_a = -F.matmul(by_b, mH(F, x)) if left else -F.matmul(mH(F, x), by_b)
    if not grad_input_mask[1]:
        return by_a, None
    return by_a, F.squeeze_dim(by_b, -1) if vector else by_b


def solve_tangent(F: Any, A_t: Any, B_t: Any, result: Any, LU: Any, pivots: Any, left: bool) -> Any:
    vector = is_vector(LU, result)
    x = as_matrix(F, result, vector)
    moved = as_matrix(F, B_t, vector) - (F.matmul(A_t, x) if left else F.matmul(x, A_t))
    x = F.linalg_lu_solve(LU, pivots, moved, left=left)
    return F.squeeze_dim(x, -1) if vector else x


solve_row = operator(
    "_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False)"
    " -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
    node="LinalgSolveExBackward0",
    forward=solve_forward,
    inputs=solve_backward,
    result=solve_tangent,
    differentiable=(True, False, False, False),
    on=("function",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "linalg_solve_ex", on=("F",), out=Out(EXACT, overlap=APART, error_name="_linalg_solve_ex")
)
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """(X, info): the solution of A X = B, and where it failed."""
    result, _, _, info = solve_row(A, B, left=left, check_errors=check_errors)
    return return_type("linalg_solve_ex", ("result", "info"))((result, info))


@composite(
    "linalg_solve", on=("F",), out=Out(EXACT, overlap=APART_OR_INPUT, error_name="_linalg_solve_ex")
)
def linalg_solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """The solution X of A X = B, or of X A = B if not `left`. As torch.linalg.solve."""
    result, _, _, info = solve_row(A, B, left=left)
    check_errors(info, "torch.linalg.solve", is_matrix=A.dim() == 2)
    return result


# ---- inv


def inv_forward(xp: Any, A: Any, check_errors: bool) -> Any:
    check_square(A, "linalg.inv")
    check_floating(A, "linalg.inv", low_precision=False)

    def kernel(a: Any) -> Any:
        lu, pivots, info = lapack.lu_factor(a)
        ones = lapack.spread(identity(a.shape[-1], a.shape[-1], a.dtype), a.shape[:-2])
        return lapack.lu_solve(lu, pivots, ones, False), info

    inverse, info = on_host(xp, kernel, A)
    if check_errors:
        check_info(info, "linalg.inv_ex")
    return inverse, info


def inv_backward(F: Any, grad: Any, inverse: Any) -> Any:
    inner = F.matmul(grad, mH(F, inverse))
    return -F.matmul(mH(F, inverse), inner)


inv_ex = operator(
    "linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
    node="LinalgInvExBackward0",
    forward=inv_forward,
    A=lambda F, grad, inverse: inv_backward(F, grad, inverse),
    result=lambda F, A_t, inverse: -F.matmul(F.matmul(inverse, A_t), inverse),
    differentiable=(True, False),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "linalg_inv", on=("F",), out=Out(EXACT, overlap=APART_OR_INPUT, error_name="linalg_inv_ex")
)
def linalg_inv(A: Any) -> Any:
    """The inverses of matrices; LinAlgError if there is none. As torch.linalg.inv."""
    inverse, info = inv_ex(A)
    check_errors(info, "linalg.inv", is_matrix=A.dim() == 2)
    return inverse


@composite("inverse", out=Out(EXACT, overlap=APART_OR_INPUT, error_name="linalg_inv_ex"))
def inverse(input: Any) -> Any:
    """The inverses of matrices."""
    return linalg_inv(input)


# ---- det, slogdet, logdet


def signs_of(pivots: Any) -> Any:
    """The determinants, 1 or -1, of the orders that rows were brought in."""
    swaps = (pivots != numpy.arange(1, pivots.shape[-1] + 1)).sum(axis=-1)
    return 1 - 2 * (swaps % 2)


def factored(a: Any, transposed: bool) -> tuple[Any, Any, Any]:
    """The LU factors, the swapped rows, and the diagonal of U."""
    lu, pivots, _ = lapack.lu_factor(swapped(a) if transposed else a)
    return lu, pivots, numpy.diagonal(lu, axis1=-2, axis2=-1)


@with_empty_halves()
def det_forward(xp: Any, A: Any) -> Any:
    check_square(A, "linalg.det")
    check_floating(A, "linalg.det")
    check_kernel(A, "lu_cpu")
    transposed = factored_transposed(A)

    def kernel(a: Any) -> Any:
        lu, pivots, diagonal = factored(a, transposed)
        det = numpy.asarray(diagonal.prod(axis=-1) * signs_of(pivots), a.dtype)
        return det, lu, pivots

    return on_host(xp, kernel, A)


def apart_from_zero(F: Any, LU: Any) -> Any:
    """Factors whose zeros on the diagonal are a little more than that."""
    kind = dtypes.of(getattr(LU, "_array", LU)).to_real()
    if kind.itemsize < 4:
        raise RuntimeError("This function doesn't handle types other than float and double")
    diagonal = F.diagonal(LU, 0, -2, -1)
    if is_seen(F, LU):
        is_zero, least = F.eq(diagonal, 0.0), finfo(kind).eps
        zero, epsilon = (scalar(each, LU.dtype, LU.device) for each in (0.0, least))
        return LU + F.diag_embed(F.where(is_zero, epsilon, zero))
    zeros = F.zeros_like(diagonal)
    epsilon = F.full_like(diagonal, finfo(kind).eps)
    return LU + F.diag_embed(F.where(diagonal == 0.0, epsilon, zeros))


def on_diagonal(F: Any, x: Any, size: int) -> Any:
    """Multiples of the identity."""
    return F.diag_embed(F.expand(F.unsqueeze(x, -1), (*x.shape, size)))


def det_backward(F: Any, grad: Any, result: Any, A: Any, LU: Any, pivots: Any) -> Any:
    if not math.prod(A.shape):
        return F.zeros_like(A)
    if A.shape[-1] == 1:
        return F.expand(F.unsqueeze(F.unsqueeze(grad, -1), -1), A.shape)
    d = F.transpose(on_diagonal(F, grad * result.conj(), A.shape[-1]), -2, -1)
    if F is RAW or not recording():
        factors, adjoint = apart_from_zero(F, LU), not factored_transposed(A)
        return F.linalg_lu_solve(factors, pivots, d, adjoint=adjoint)
    singular = result.abs() < 100 * finfo(A.dtype.to_real()).eps
    if not singular.dim():
        return _adjugates(A, grad) if is_true(singular, False) else OPS.linalg_solve(mH(F, A), d)
    if is_true(singular.all(), False):
        return _adjugates(A, grad)
    if not is_true(singular.any(), False):
        return OPS.linalg_solve(mH(F, A), d)
    regular = ~singular
    out = _with_matrices(OPS.zeros_like(A), singular, _adjugates(A[singular], grad[singular]))
    return _with_matrices(out, regular, OPS.linalg_solve(mH(F, A[regular]), d[regular]))


def _with_matrices(out: Any, mask: Any, matrices: Any) -> Any:
    """`out` after matrices were written where the mask is true; a single one is broadcast, as in
    torch."""
    if matrices.shape[0] == 1:
        matrices = OPS.view(matrices, matrices.shape[1:])
    if is_transformed(matrices):
        return OPS.index_put(out, (mask,), matrices)
    return out.index_put_((mask,), matrices)


def _adjugates(A: Any, grad: Any) -> Any:
    """The gradients of determinants of singular matrices: the conjugate transposes of adjugates."""
    U, S, Vh = OPS._linalg_svd(A, True, True)
    alpha = (OPS.linalg_det(U) * OPS.linalg_det(Vh)).conj() * grad
    gamma = products_of_others(OPS, alpha.unsqueeze(-1), S, S.dim() - 1)
    return OPS.matmul(U * gamma.unsqueeze(-2), Vh)


def trace_of_quotient(F: Any, A_p: Any, A_t: Any, LU: Any, pivots: Any) -> Any:
    """The trace of A^-1 times the tangent of A."""
    x = F.linalg_lu_solve(LU, pivots, A_t, adjoint=factored_transposed(A_p))
    return F.sum(F.diagonal(x, 0, -2, -1), -1)


det_row = operator(
    "_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
    node="LinalgDetBackward0",
    forward=det_forward,
    A=det_backward,
    result=lambda F, A_p, A_t, result, LU, pivots: (
        trace_of_quotient(F, A_p, A_t, apart_from_zero(F, LU), pivots) * result
    ),
    differentiable=(True, False, False),
    on=("function",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite("linalg_det", on=("F",), out=Out(EXACT, overlap=APART, error_name="_linalg_det"))
def linalg_det(A: Any) -> Any:
    """The determinants of square matrices. As torch.linalg.det."""
    return det_row(A)[0]


@composite("det")
def det(input: Any) -> Any:
    """The determinants of square matrices."""
    return linalg_det(input)


def slogdet_forward(xp: Any, A: Any) -> Any:
    check_square(A, "linalg.slogdet")
    check_floating(A, "linalg.slogdet", low_precision=False)
    transposed = factored_transposed(A)

    def kernel(a: Any) -> Any:
        lu, pivots, diagonal = factored(a, transposed)
        sizes = abs(diagonal)
        directions = numpy.where(diagonal == 0, 0, diagonal / sizes)
        sign = numpy.asarray(directions.prod(axis=-1) * signs_of(pivots), a.dtype)
        return sign, numpy.asarray(numpy.log(sizes).sum(axis=-1), sizes.dtype), lu, pivots

    return on_host(xp, kernel, A)


def slogdet_backward(F: Any, grads: Any, A: Any, sign: Any, LU: Any, pivots: Any) -> Any:
    by_sign, grad = grads
    if is_complex(A) and by_sign is not None:
        turned = F.imag(by_sign.conj() * sign)
        grad = turned * -1j if grad is None else grad - turned * 1j
    if grad is None:
        return None
    d = F.transpose(on_diagonal(F, same_dtype(F, grad, A), A.shape[-1]), -2, -1)
    if F is RAW or (is_seen(F, grad) and not recording()):
        return F.linalg_lu_solve(LU, pivots, d, adjoint=not factored_transposed(A))
    return F.linalg_solve(mH(F, A), d)


def slogdet_tangents(F: Any, A_p: Any, A_t: Any, sign: Any, LU: Any, pivots: Any) -> Any:
    trace = trace_of_quotient(F, A_p, A_t, LU, pivots)
    if is_complex(LU):
        return F.imag(trace) * (sign * 1j), F.real(trace)
    return F.zeros_like(trace), trace


slogdet_row = operator(
    "_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
    node="LinalgSlogdetBackward0",
    forward=slogdet_forward,
    A=slogdet_backward,
    result=slogdet_tangents,
    differentiable=(True, True, False, False),
    on=("function",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite("linalg_slogdet", on=("F",), out=Out(EXACT, overlap=APART, error_name="_linalg_slogdet"))
def linalg_slogdet(A: Any) -> Any:
    """The signs of determinants and the logarithms of their sizes."""
    return _SLOGDET[0](slogdet_row(A)[:2])


@composite("slogdet", out=Out(EXACT, overlap=APART, error_name="_linalg_slogdet"))
def slogdet(input: Any) -> Any:
    """linalg.slogdet under its old name."""
    return _SLOGDET[1](slogdet_row(input)[:2])


_SLOGDET = [return_type(each, ("sign", "logabsdet")) for each in ("linalg_slogdet", "slogdet")]


@composite("logdet")
def logdet(input: Any) -> Any:
    """The logarithms of determinants, NaN of negative ones."""
    check_square(input._array, "logdet")
    check_floating(input._array, "logdet", low_precision=False)
    sign, size = slogdet_row(input)[:2]
    if input.is_complex():
        return sign.log() + size
    return OPS.where(sign == -1.0, number_like(OPS, size, math.nan), size)


# ---- by a Cholesky factor that is known


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
        ones = lapack.spread(identity(a.shape[-1], a.shape[-1], a.dtype), a.shape[:-2])
        return solved(ones, a, upper)

    return on_host(xp, kernel, self)


def inverse_backward(F: Any, grad: Any, self: Any, upper: bool, result: Any) -> Any:
    common = F.matmul(result, F.matmul(grad + mH(F, grad), result))
    return -F.matmul(self, common) if upper else -F.matmul(common, self)


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
    out=Out(*safely_castable("cholesky_inverse"), strides=ROWS_UNLESS_EMPTY),
)


def solve_forward(xp: Any, self: Any, input2: Any, upper: bool) -> Any:
    for x, name in ((self, "b"), (input2, "u")):
        if x.ndim < 2:
            raise RuntimeError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead"
            )
    check_sides(self, input2, "cholesky_solve")
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
    out=Out(*safely_castable("cholesky_solve"), strides=ROWS),
)
