"""torch.linalg: factorizations, solutions, decompositions and norms of matrices."""

from __future__ import annotations

import subprocess
import sys

import numpy
import pytest

import minitorch as torch
from minitorch import linalg

A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], dtype=torch.float64)
B = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=torch.float64)


def close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-9)


def test_importing_the_package_does_not_load_scipy() -> None:
    code = "import sys, minitorch, minitorch.linalg; assert 'scipy.linalg' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_factors_multiply_to_the_matrix_and_lie_column_by_column() -> None:
    L = linalg.cholesky(A)
    assert close(L @ L.mT, A)
    assert L.stride() == (1, 3)
    P, lower, upper = linalg.lu(A.flip(0))
    assert close(P @ lower @ upper, A.flip(0))
    Q, R = linalg.qr(B)
    assert close(Q @ R, B)
    U, S, Vh = linalg.svd(B, full_matrices=False)
    assert close(U * S @ Vh, B)
    values, vectors = linalg.eigh(A)
    assert close(vectors * values @ vectors.mT, A)
    w, V = linalg.eig(A)
    assert close((V * w) @ linalg.inv(V), A.to(torch.complex128))


@pytest.mark.parametrize(
    ("function", "node"),
    [
        (linalg.cholesky, "LinalgCholeskyExBackward0"),
        (linalg.inv, "LinalgInvExBackward0"),
        (linalg.det, "LinalgDetBackward0"),
        (linalg.eigvalsh, "LinalgEighBackward0"),
        (linalg.svdvals, "LinalgSvdBackward0"),
        (linalg.pinv, "LinalgPinvBackward0"),
        (linalg.matrix_exp, "LinalgMatrixExpBackward0"),
        (lambda x: linalg.solve(x, B), "LinalgSolveExBackward0"),
        (lambda x: linalg.slogdet(x)[1], "LinalgSlogdetBackward0"),
        (lambda x: linalg.qr(x)[1], "LinalgQrBackward0"),
        (lambda x: linalg.lu_factor(x)[0], "LinalgLuFactorExBackward0"),
    ],
)
def test_nodes_have_the_names_of_torch_and_gradients_pass_gradcheck(function, node) -> None:
    x = A.clone().requires_grad_()
    assert function(x).grad_fn.name() == node

    def symmetric(x: torch.Tensor) -> torch.Tensor:
        return function((x + x.mT) / 2)

    assert torch.autograd.gradcheck(symmetric, (x,))


def test_equations_are_solved_from_the_left_and_the_right() -> None:
    assert close(A @ linalg.solve(A, B), B)
    assert close(linalg.solve(A, B.mT, left=False) @ A, B.mT)
    assert close(A @ linalg.solve(A, B[:, 0]), B[:, 0])
    assert close(A.tril() @ linalg.solve_triangular(A, B, upper=False), B)
    assert close(A @ linalg.lu_solve(*linalg.lu_factor(A), B), B)
    assert close(torch.inverse(A) @ A, torch.eye(3, dtype=torch.float64))


def test_determinants_and_their_logarithms() -> None:
    assert linalg.det(A).item() == pytest.approx(numpy.linalg.det(A.numpy()))
    sign, size = linalg.slogdet(-A)
    assert (sign.item(), size.item()) == (-1.0, pytest.approx(torch.logdet(A).item()))
    assert torch.logdet(-A).isnan()
    singular = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    (adjugate,) = torch.autograd.grad(linalg.det(singular), singular, create_graph=True)
    assert torch.allclose(adjugate.detach(), torch.tensor([[1.0, -1.0], [-1.0, 1.0]]).double())


def test_norms_of_matrices() -> None:
    assert linalg.norm(A, "fro").item() == pytest.approx(numpy.linalg.norm(A.numpy()))
    for ord in (1, -1, 2, -2, float("inf"), "nuc"):
        assert linalg.matrix_norm(A, ord).item() == pytest.approx(numpy.linalg.norm(A, ord))
    assert linalg.norm(A, dim=1).shape == (3,)
    batch = torch.stack([A, 2 * A])
    assert linalg.matrix_norm(batch, 2, keepdim=True).shape == (2, 1, 1)
    assert torch.norm(A, "nuc").item() == pytest.approx(A.trace().item())


def test_norms_of_matrices_without_elements_are_zero_where_the_largest_is_sought() -> None:
    for order in (1, 2, torch.inf):
        found = linalg.norm(torch.ones(2, 0, 0), order, dim=(-2, -1), keepdim=True)
        assert found.tolist() == [[[0.0]], [[0.0]]]
    with pytest.raises(IndexError, match="Expected reduction dim"):
        linalg.norm(torch.ones(0, 0), -1)


def test_wide_complex_matrices_have_the_gradient_of_their_factors() -> None:
    numbers = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
    x = torch.complex(numbers.cos(), (numbers * numbers).sin()).requires_grad_()
    assert torch.autograd.gradcheck(linalg.qr, x)


def test_powers_and_chains() -> None:
    assert close(linalg.matrix_power(A, 5), A @ A @ A @ A @ A)
    assert close(torch.matrix_power(A, -2) @ A @ A, torch.eye(3, dtype=torch.float64))
    assert linalg.matrix_power(A, 0).tolist() == torch.eye(3).tolist()
    v = B[:, 0]
    assert linalg.multi_dot([v, A, B, B.mT, v]).shape == ()
    assert close(linalg.multi_dot([A, B, B.mT]), A @ B @ B.mT)


def test_batches_are_treated_matrix_by_matrix() -> None:
    batch = torch.stack([A, A + 1])
    for function in (linalg.inv, linalg.cholesky, linalg.det, linalg.pinv, torch.matrix_exp):
        assert close(function(batch)[1], function(A + 1))


def test_what_fails_is_a_linalg_error_in_the_words_of_torch() -> None:
    assert issubclass(linalg.LinAlgError, RuntimeError)
    zeros = torch.zeros(2, 2)
    with pytest.raises(linalg.LinAlgError, match=r"linalg\.inv: The diagonal element 1 is zero"):
        linalg.inv(zeros)
    with pytest.raises(
        linalg.LinAlgError, match=r"\(Batch element 1\): .* leading minor of order 1"
    ):
        linalg.cholesky(torch.stack([torch.eye(2), -torch.eye(2)]))
    with pytest.raises(linalg.LinAlgError, match="input matrix is singular"):
        linalg.solve(zeros, torch.ones(2))
    with pytest.raises(RuntimeError, match="A must be batches of square matrices"):
        linalg.det(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="must have at least 2 dimensions"):
        linalg.svd(torch.ones(3))
    assert linalg.inv_ex(zeros).info.item() == 1


def test_solutions_and_inverses_by_a_known_factor() -> None:
    for upper in (False, True):
        factor = linalg.cholesky(A, upper=upper)
        assert close(A @ torch.cholesky_inverse(factor, upper), torch.eye(3, dtype=torch.float64))
        assert close(A @ torch.cholesky_solve(B, factor, upper), B)


def test_lu_solve_refuses_pivots_that_are_no_rows():
    LU, pivots = linalg.lu_factor(torch.eye(3))
    for factor, text in ((100, "smaller or equal to LU.size"), (-1, "greater or equal to 1")):
        with pytest.raises(RuntimeError, match=text):
            linalg.lu_solve(LU, pivots * factor, torch.ones(3, 1))


def test_least_squares_have_residuals_at_right_angles():
    A, b = torch.randn(5, 3, dtype=torch.float64), torch.randn(5, 2, dtype=torch.float64)
    found = torch.linalg.lstsq(A, b, driver="gelsd")
    rest = A @ found.solution - b
    torch.testing.assert_close(A.mT @ rest, torch.zeros(3, 2, dtype=torch.float64))
    torch.testing.assert_close(found.residuals, (rest**2).sum(0))
    torch.testing.assert_close(found.singular_values, torch.linalg.svdvals(A))
    assert found.rank.item() == 3
    torch.testing.assert_close(torch.linalg.lstsq(A, b[:, 0]).solution, found.solution[:, 0])


@pytest.mark.parametrize(
    ("b", "fields", "text"),
    [
        ((2,), {}, r"other.size\(-2\)|other.size\(-1\)"),
        ((3, 1), {"driver": "qr"}, "driver"),
        ((), {}, "other must have at least 1"),
    ],
)
def test_least_squares_that_there_are_not_are_refused(b, fields, text):
    with pytest.raises(RuntimeError, match=text):
        torch.linalg.lstsq(torch.ones(3, 2), torch.ones(b), **fields)


def test_symmetric_matrices_are_factored_with_blocks_of_two() -> None:
    LD, pivots = linalg.ldl_factor(A)
    assert LD.triu(1).abs().sum() == 0
    assert close(A @ linalg.ldl_solve(LD, pivots, B), B)
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    assert linalg.ldl_factor_ex(swap).pivots.tolist() == [-2, -2]
    H = torch.tensor([[2.0, 1j], [-1j, 3.0]], dtype=torch.complex128)
    found = linalg.ldl_solve(*linalg.ldl_factor(H, hermitian=True), B[:2] + 0j, hermitian=True)
    assert close(H @ found, B[:2] + 0j)
    with pytest.raises(RuntimeError, match=r"torch\.linalg\.ldl_factor: Unknown error code: 1"):
        linalg.ldl_factor(torch.zeros(2, 2))


def test_triangles_are_solved_with_a_warning_and_the_matrix_is_copied() -> None:
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match=r"torch\.triangular_solve is deprecated"):
            x, copy = torch.triangular_solve(B, A)
        with pytest.warns(UserWarning, match="deprecated"):
            flipped = torch.triangular_solve(B, A, upper=False, transpose=True).solution
    finally:
        torch.set_warn_always(False)
    assert close(A.triu() @ x, B)
    assert close(A.tril().mT @ flipped, B)
    assert torch.equal(copy, A)
    assert copy.data_ptr() != A.data_ptr()


def test_reflectors_multiply_from_either_side() -> None:
    C = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    a, tau = torch.geqrf(A)
    Q = linalg.householder_product(a, tau)
    assert close(torch.ormqr(a, tau, C), Q @ C)
    assert close(torch.ormqr(a, tau, C, transpose=True), Q.mT @ C)
    assert close(torch.ormqr(a, tau, C.mT, left=False), C.mT @ Q)
    with pytest.raises(RuntimeError, match=r"other\.shape\[-1\] must be equal to input\.shape"):
        torch.ormqr(a, tau, C, left=False)


def test_a_few_singular_values_are_found_by_random_projections() -> None:
    torch.manual_seed(0)
    low = torch.randn(9, 2, dtype=torch.float64) @ torch.randn(2, 7, dtype=torch.float64)
    for M in (low, low.mT):
        U, S, V = torch.svd_lowrank(M, q=2)
        assert torch.allclose(U * S @ V.mT, M)
        assert torch.allclose(S, linalg.svdvals(M)[:2])
    offset = torch.ones(7, dtype=torch.float64)
    U, S, V = torch.svd_lowrank(low + offset, q=2, M=offset)
    assert torch.allclose(U * S @ V.mT, low)
    U, S, V = torch.pca_lowrank(low, q=2)
    assert torch.allclose(U * S @ V.mT, low - low.mean(0))
    with pytest.raises(ValueError, match=r"q\(=8\) must be non-negative integer"):
        torch.pca_lowrank(low, q=8)


def test_equations_with_a_conjugate_transpose_are_solved_as_it_lies():
    a = torch.eye(3, dtype=torch.complex64)
    assert torch.linalg.solve_triangular(a.mH, a, upper=True).stride() == (3, 1)
    assert torch.linalg.solve_triangular(a.mT, a, upper=True).stride() == (1, 3)


def test_triangles_of_two_dtypes_are_solved_in_that_of_the_triangle():
    A = torch.eye(2, dtype=torch.float64, requires_grad=True)
    B = torch.ones(2, 1, requires_grad=True)
    x = torch.linalg.solve_triangular(A, B, upper=True)
    x.sum().backward()
    assert (x.dtype, A.grad.dtype, B.grad.dtype) == (torch.float64, torch.float64, torch.float32)


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_refuses_a_minor_that_is_nan(upper):
    matrices = torch.eye(3).repeat(2, 1, 1)
    matrices[1, 1, 1] = float("nan")
    assert torch.linalg.cholesky_ex(matrices, upper=upper).info.tolist() == [0, 2]
    text = r"cholesky: \(Batch element 1\): .* \(the leading minor of order 2 is not positive"
    with pytest.raises(torch.linalg.LinAlgError, match=text):
        torch.linalg.cholesky(matrices, upper=upper)


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex128])
def test_eigh_says_that_its_search_failed(dtype):
    matrices = torch.eye(3, dtype=dtype).repeat(2, 1, 1)
    matrices[1] = float("nan")
    text = r"linalg.eigh: \(Batch element 1\): The algorithm failed to converge .* \(error code: "
    for function in (torch.linalg.eigh, torch.linalg.eigvalsh):
        with pytest.raises(torch.linalg.LinAlgError, match=text):
            function(matrices)


def test_linalg_powsum_takes_no_root_and_has_no_derivative():
    x = torch.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    assert torch.linalg._powsum(x.detach(), 3, 1).tolist() == [36.0, 405.0]
    assert torch._foreach_powsum([x.detach()], 3)[0].item() == 441
    with pytest.raises(RuntimeError, match="derivative for aten::linalg__powsum"):
        torch.linalg._powsum(x).backward()
    with pytest.raises(NotImplementedError, match="\"powsum_cpu\" not implemented for 'Long'"):
        torch.linalg._powsum(x.detach().int())


@pytest.mark.parametrize("p", [None, -2, 1])
def test_cond_of_matrices_without_elements_is_zero(p):
    assert torch.linalg.cond(torch.zeros(2, 0, 3, dtype=torch.int64), p).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match=r"linalg\.cond got an invalid norm type: 3"):
        torch.linalg.cond(torch.zeros(0, 0), 3)


def test_lstsq_gives_one_rank_a_matrix_though_the_right_has_more():
    A = torch.tensor([[[1.0, 1.0], [1.0, 1.0]]])
    found = torch.linalg.lstsq(A, torch.ones(3, 2, 1))
    assert found.solution.shape == (3, 2, 1)
    assert found.rank.tolist() == [1]


def test_lstsq_counts_leading_dimensions_of_the_right_as_batches():
    A = torch.eye(3).reshape(1, 1, 3, 3)
    with pytest.raises(RuntimeError, match=r"a \(3\) must match .* b \(2\) .* dimension 1$"):
        torch.linalg.lstsq(A, torch.ones(2, 3, 3))
    assert torch.linalg.lstsq(A, torch.ones(3, 3, 3)).solution.shape == (3, 3, 3, 3)
