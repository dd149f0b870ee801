"""torch._linalg_utils: short names for products, bases and eigenvalues, which packages import."""

from __future__ import annotations

from typing import Any

import minitorch as torch

eig, lstsq, matrix_rank, solve = torch.eig, torch.lstsq, torch.matrix_rank, torch.solve
_symeig = torch.symeig


def is_sparse(A: Any) -> bool:
    """Whether a tensor is of the layout torch.sparse_coo. TypeError for anything but a tensor."""
    if isinstance(A, torch.Tensor):
        return A.layout == torch.sparse_coo
    raise TypeError(f"expected Tensor but got {type(A)}")


def get_floating_dtype(A: Any) -> Any:
    """The dtype of a tensor if it is float16, float32 or float64; otherwise float32."""
    dtype = A.dtype
    return dtype if dtype in (torch.float16, torch.float32, torch.float64) else torch.float32


def matmul(A: Any, B: Any) -> Any:
    """The product of A and B; B itself where A is None, which stands for the identity."""
    if A is None:
        return B
    return torch.sparse.mm(A, B) if is_sparse(A) else torch.matmul(A, B)


def bform(X: Any, A: Any, Y: Any) -> Any:
    """X^T A Y; A may be None, which stands for the identity."""
    return matmul(X.mT, matmul(A, Y))


def qform(A: Any, S: Any) -> Any:
    """S^T A S; A may be None, which stands for the identity."""
    return bform(S, A, S)


def basis(A: Any) -> Any:
    """An orthonormal basis of the columns of A, as Householder's QR finds it."""
    return torch.linalg.qr(A).Q


def symeig(A: Any, largest: bool | None = False) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of a symmetric matrix, the largest first if asked for."""
    values, vectors = torch.linalg.eigh(A, UPLO="U")
    if largest:
        return torch.flip(values, dims=(-1,)), torch.flip(vectors, dims=(-1,))
    return values, vectors
