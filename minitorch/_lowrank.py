"""torch.svd_lowrank and torch.pca_lowrank: the largest singular values, by random projections.

Halko, Martinsson and Tropp, Finding structure with randomness, https://arxiv.org/abs/0909.4061.
"""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.core.graph.formulas import OPS

__all__ = ["pca_lowrank", "svd_lowrank"]


def get_approximate_basis(A: Any, q: int, niter: int | None = 2, M: Any = None) -> Any:
    """Q of `q` orthonormal columns such that Q Q^H A is nearly A, or A - M (algorithm 4.4)."""
    small = A.is_complex() or A.dtype in (minitorch.float16, minitorch.float32, minitorch.float64)
    dtype = A.dtype if small else minitorch.float32
    X = minitorch.randn(A.shape[-1], q, dtype=dtype, device=A.device)
    for step in range(1 + 2 * (2 if niter is None else niter)):
        left, right = (A, M) if step % 2 == 0 else (A.mH, None if M is None else M.mH)
        X, given = left.matmul(X), X
        if right is not None:
            X = X - right.matmul(given)
        X = OPS.linalg_qr(X)[0]
    return X


def svd_lowrank(
    A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None
) -> tuple[Any, Any, Any]:
    """(U, S, V) of nearly A = U diag(S) V^H, or of A - M, for the `q` largest singular values.

    As https://docs.pytorch.org/docs/stable/generated/torch.svd_lowrank.html (algorithm 5.1).
    """
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.size())
    if m < n:
        A, M = A.mH, None if M is None else M.mH
    Q = get_approximate_basis(A, q, niter, M)
    B = Q.mH.matmul(A)
    if M is not None:
        B = B - Q.mH.matmul(M)
    U, S, Vh = OPS.linalg_svd(B, False)
    V, U = Vh.mH, Q.matmul(U)
    return (V, S, U) if m < n else (U, S, V)


def pca_lowrank(
    A: Any, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Any, Any, Any]:
    """(U, S, V): as svd_lowrank of A, without the mean of each column if `center`.

    As https://docs.pytorch.org/docs/stable/generated/torch.pca_lowrank.html.
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(
            f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean((-2,), True) if center else A, q, niter)
