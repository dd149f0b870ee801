"""torch.svd_lowrank and torch.pca_lowrank: the largest singular values, by random projections.

Halko, Martinsson and Tropp, Finding structure with randomness, https://arxiv.org/abs/0909.4061.
"""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.wording.signatures import takes_over
from minitorch.overrides import handle_torch_function

__all__ = ["pca_lowrank", "svd_lowrank"]


def get_approximate_basis(A: Any, q: int, niter: int | None = 2, M: Any = None) -> Any:
    """Q of `q` orthonormal columns such that Q Q^H A is nearly A, or A - M (algorithm 4.4)."""
    dtype = A.dtype if A.is_complex() else _floating(A)
    X = minitorch.randn(A.shape[-1], q, dtype=dtype, device=A.device)
    for step in range(1 + 2 * (2 if niter is None else niter)):
        turned, given = step % 2 == 1, X
        X = _product(A.mH if turned else A, given)
        if M is not None:
            X = X - _product(M.mH if turned else M, given)
        X = OPS.linalg_qr(X)[0]
    return X


def _floating(A: Any) -> Any:
    """The dtype of random numbers for a matrix: its own, or float32."""
    dtype = A.dtype
    return dtype if dtype in _FLOATING else minitorch.float32


_FLOATING = (minitorch.float16, minitorch.float32, minitorch.float64)


def _product(A: Any, B: Any) -> Any:
    """The product of a matrix, whose layout torch looks at, and a dense one."""
    A.layout  # noqa: B018
    return minitorch.matmul(A, B)


def svd_lowrank(
    A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None
) -> tuple[Any, Any, Any]:
    """(U, S, V) of nearly A = U diag(S) V^H, or of A - M, for the `q` largest singular values.

    As https://docs.pytorch.org/docs/stable/generated/torch.svd_lowrank.html (algorithm 5.1).
    """
    if takes_over(A) or takes_over(M):
        return handle_torch_function(svd_lowrank, (A, M), A, q=q, niter=niter, M=M)
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.size())
    if m < n:
        A, M = A.mH, None if M is None else M.mH
    Q = get_approximate_basis(A, q, niter, M)
    B = _product(Q.mH, A)
    if M is not None:
        B = B - _product(Q.mH, M)
    U, S, Vh = OPS.linalg_svd(B, full_matrices=False)
    V, U = Vh.mH, Q.matmul(U)
    return (V, S, U) if m < n else (U, S, V)


def pca_lowrank(
    A: Any, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Any, Any, Any]:
    """(U, S, V): as svd_lowrank of A, without the mean of each column if `center`.

    As https://docs.pytorch.org/docs/stable/generated/torch.pca_lowrank.html.
    """
    if takes_over(A):
        return handle_torch_function(pca_lowrank, (A,), A, q=q, center=center, niter=niter)
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    _floating(A)
    if not center:
        return svd_lowrank(A, q, niter)
    if A.layout is minitorch.sparse_coo:
        return svd_lowrank(A, q, niter, M=_means_of_columns(A))
    return svd_lowrank(A - A.mean(dim=(-2,), keepdim=True), q, niter)


def _means_of_columns(A: Any) -> Any:
    """A matrix like `A`, of coordinates, whose rows are all the means of its columns."""
    if len(A.shape) != 2:
        raise ValueError("pca_lowrank input is expected to be 2-dimensional tensor")
    m, n = A.shape
    means = minitorch.sparse.sum(A, dim=(-2,)) / m
    places = minitorch.zeros(2, means._nnz(), dtype=minitorch.int64)
    places[0] = means.indices()[0]
    column = minitorch.sparse_coo_tensor(places, means.values(), (n, 1), dtype=_floating(A))
    return minitorch.sparse.mm(column, minitorch.ones(1, m, dtype=_floating(A))).mT
