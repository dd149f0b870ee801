"""Samples of matrices that can be inverted, factored and decomposed."""

import numpy

from tests.aten.samples.registry import call, inexact, sampled


def regular(draw, *shape):
    """Matrices far from singular, with different eigenvalues."""
    n = shape[-1]
    return 0.3 * draw(*shape) + numpy.diag(numpy.arange(2.0, 2.0 + n))


def positive(draw, *shape):
    """Positive-definite matrices."""
    x = 0.5 * draw(*shape)
    return x @ x.swapaxes(-1, -2) + numpy.eye(shape[-1])


def factors(draw, *shape):
    """LU factors in one matrix, and swapped rows."""
    pivots = numpy.broadcast_to(numpy.array([2, 2, 3], numpy.int32), shape[:-1]).copy()
    return regular(draw, *shape), pivots


@sampled(
    "_linalg_det",
    "_linalg_slogdet",
    "linalg_inv_ex",
    "linalg_lu_factor_ex",
    "linalg_lu",
    "linalg_matrix_exp",
    "linalg_pinv_atol_rtol_tensor",
    "linalg_qr",
)
def square(draw):
    yield call(regular(draw, 3, 3))
    yield call(regular(draw, 2, 2, 2).swapaxes(-1, -2))


@sampled("_linalg_svd")
def svd(draw):
    yield call(regular(draw, 3, 3))
    yield call(regular(draw, 2, 2, 2))


@sampled("_linalg_eigh", "linalg_cholesky_ex", "cholesky")
def of_positive(draw):
    # Only one triangle is read; the gradient is that of both.
    yield inexact(positive(draw, 3, 3))
    yield inexact(positive(draw, 2, 2, 2))


@sampled("linalg_eig")
def eig(draw):
    yield inexact(regular(draw, 3, 3))  # of vectors whose phases are arbitrary


@sampled("_linalg_solve_ex")
def solve(draw):
    yield call(regular(draw, 3, 3), draw(3, 2))
    yield call(regular(draw, 3, 3), draw(3))
    yield call(regular(draw, 2, 2, 2), draw(3, 2), left=False)


@sampled("linalg_solve_triangular")
def solve_triangular(draw):
    yield call(numpy.tril(regular(draw, 3, 3)), draw(3, 2), upper=False)
    unit = numpy.triu(draw(2, 2), 1) + numpy.eye(2)
    yield call(unit, draw(2, 3, 2), upper=True, left=False, unitriangular=True)


@sampled("linalg_lu_solve")
def lu_solve(draw):
    for left in (True, False):
        for adjoint in (True, False):
            yield call(*factors(draw, 3, 3), draw(3, 3), left=left, adjoint=adjoint)


@sampled("lu_unpack")
def lu_unpack(draw):
    yield call(*factors(draw, 3, 3))
    yield call(*factors(draw, 2, 3, 3))


@sampled("geqrf")
def geqrf(draw):
    yield call(draw(4, 3))
    yield call(draw(2, 2, 3))


@sampled("linalg_householder_product")
def householder_product(draw):
    yield call(draw(4, 3), draw(3))
    yield call(draw(2, 4, 3), draw(2, 2))


@sampled("cholesky_inverse")
def cholesky_inverse(draw):
    # Only one triangle is read.
    yield inexact(numpy.tril(regular(draw, 3, 3)))
    yield inexact(numpy.triu(regular(draw, 2, 2, 2)), upper=True)


@sampled("cholesky_solve")
def cholesky_solve(draw):
    yield inexact(draw(3, 2), numpy.tril(regular(draw, 3, 3)))
    yield inexact(draw(2, 2, 3), numpy.triu(regular(draw, 2, 2, 2)), upper=True)


@sampled("linalg_lstsq")
def least_squares(draw):
    yield call(draw(4, 2), draw(4, 3), driver="gels")
    yield call(draw(2, 4), draw(2, 1))
    yield call(draw(3, 2), draw(3))


@sampled("triangular_solve")
def triangular_solve(draw):
    # The tangent of A is, as in torch, neither cut nor transposed.
    yield inexact(draw(3, 2), numpy.triu(regular(draw, 3, 3)))
    yield inexact(draw(2, 1, 2, 3), numpy.tril(regular(draw, 2, 2)), False, True)


@sampled("ormqr")
def ormqr(draw):
    yield call(draw(4, 3), draw(3), draw(4, 2))
    yield call(draw(2, 3, 2), draw(2, 2), draw(2, 2, 3), False, True)


@sampled("linalg_ldl_factor_ex")
def ldl_factor_ex(draw):
    yield call(positive(draw, 3, 3))
    yield call(draw(2, 3, 3), hermitian=True)


@sampled("linalg_ldl_solve")
def ldl_solve(draw):
    yield call(regular(draw, 3, 3), numpy.arange(1, 4, dtype=numpy.int32), draw(3, 2))
