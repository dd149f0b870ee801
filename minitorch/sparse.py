"""torch.sparse: tensors kept as the places of some elements, and their values."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch._public.later import missing as _missing
from minitorch.aten.sparse import compressed_products as _compressed_products
from minitorch.aten.sparse import gradients as _gradients  # noqa: F401  # which loads the operators
from minitorch.aten.sparse import products as _products
from minitorch.aten.sparse import reduction as _reduction
from minitorch.aten.sparse.compressed_creation import sparse_bsc_tensor as sparse_bsc_tensor
from minitorch.aten.sparse.compressed_creation import sparse_bsr_tensor as sparse_bsr_tensor
from minitorch.aten.sparse.compressed_creation import (
    sparse_compressed_tensor as sparse_compressed_tensor,
)
from minitorch.aten.sparse.compressed_creation import sparse_csc_tensor as sparse_csc_tensor
from minitorch.aten.sparse.compressed_creation import sparse_csr_tensor as sparse_csr_tensor
from minitorch.aten.sparse.compressed_products import sampled_addmm as sampled_addmm
from minitorch.aten.sparse.creation import sparse_coo_tensor as sparse_coo_tensor
from minitorch.aten.sparse.dispatch import is_sparse as _is_sparse
from minitorch.aten.sparse.invariants import (
    check_sparse_tensor_invariants as check_sparse_tensor_invariants,
)
from minitorch.aten.sparse.layouts import layout_name as _layout_name
from minitorch.aten.sparse.types import NAMES, TYPES
from minitorch.autograd.sparse_gradcheck import as_sparse_gradcheck as wrapped
from minitorch.core.base.fields import tensor as _tensor
from minitorch.core.base.formulas import OPS as _OPS
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.numbers import device as _devices

__path__: list[str] = []  # a package in torch, of whose modules there are outlines

__all__ = (
    "SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT "
    "SparseSemiStructuredTensorCUTLASS addmm as_sparse_gradcheck check_sparse_tensor_invariants "
    "log_softmax mm softmax solve sum to_sparse_semi_structured"
).split()


def _not_sparse(name: str, self: Any) -> NotImplementedError:
    if _is_compressed(self):
        return no_kernel(name, "SparseCsrCPU")
    return no_kernel(name, "CPU" if not _is_sparse(self) else "SparseCPU")


def _is_compressed(self: Any) -> bool:
    return _is_sparse(self) and not self.is_sparse


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * mat + alpha * (mat1 @ mat2), where mat1 is sparse and the others are dense.

    Its gradient for mat1 is sparse. As
    https://docs.pytorch.org/docs/stable/generated/torch.sparse.addmm.html.
    """
    if _is_sparse(mat1):
        return _compressed_products.sparse_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)
    return _OPS.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """The product of two matrices, one or both of them sparse; sparse if both are.

    Its gradients for sparse matrices are sparse. As
    https://docs.pytorch.org/docs/stable/generated/torch.sparse.mm.html.
    """
    if reduce is not None:
        return _compressed_products.mm_reduce(mat1, mat2, reduce)
    if any(_is_sparse(x) and not x.is_sparse for x in (mat1, mat2)):
        return _compressed_products.sparse_mm(mat1, mat2)
    return _products.sparse_mm(mat1, mat2)


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of a sparse tensor, of all elements or along dimensions.

    Along dimensions it is sparse unless all sparse ones are summed. Its gradient has the places of
    the input. As https://docs.pytorch.org/docs/stable/generated/torch.sparse.sum.html.
    """
    along = () if dim is None else (dim,)
    return _sparse_sum(input, *along) if dtype is None else _sparse_sum(input, *along, dtype=dtype)


def _sparse_sum(input: Any, dim: Any = None, *, dtype: Any = None) -> Any:
    if dim is None:
        if not _is_sparse(input) or _is_compressed(input):
            raise RuntimeError(
                f"coalesce expected sparse coordinate tensor layout but got {_layout_name(input)}"
            )
        return input.coalesce().values().sum(dtype=dtype)
    if _is_compressed(input):
        raise _not_sparse("_indices", input)
    if not _is_sparse(input):
        raise _not_sparse("_sparse_sum.dim", input)
    return _reduction.sparse_sum(input if dtype is None else input.to(dtype), dim)


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The softmax of the elements that a sparse tensor has, along a dimension.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.softmax.html.
    """
    if not _is_sparse(input) or _is_compressed(input):
        raise _not_sparse("_sparse_softmax", input)
    return _reduction.sparse_softmax(input if dtype is None else input.to(dtype), dim, False)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The logarithm of torch.sparse.softmax.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.log_softmax.html.
    """
    if not _is_sparse(input) or _is_compressed(input):
        raise _not_sparse("_sparse_log_softmax", input)
    return _reduction.sparse_log_softmax(input if dtype is None else input.to(dtype), dim, False)


def spsolve(input: Any, other: Any, *, left: bool = True) -> Any:
    """Refuses: torch solves sparse systems on CUDA alone.

    Raises: NotImplementedError. As
    https://docs.pytorch.org/docs/stable/generated/torch.sparse.spsolve.html.
    """
    raise _not_sparse("_spsolve", input)


def spdiags(diagonals: Any, offsets: Any, shape: Any, layout: Any = None) -> Any:
    """A sparse matrix with the rows of `diagonals` along its diagonals.

    Args:
        diagonals: (diagonals, columns); element [i, j] goes into column j.
        offsets: which diagonal each row is; 0 for the main one, positive ones above it.
        shape: of the matrix.
        layout: torch.sparse_coo, torch.sparse_csr or torch.sparse_csc; the first if None.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.spdiags.html.
    """
    if diagonals.dim() < 2:
        diagonals = diagonals.unsqueeze(0)
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    offsets = offsets.unsqueeze(0) if offsets.dim() == 0 else offsets
    if offsets.dim() > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    if diagonals.dim() > 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(diagonals) != len(offsets):
        raise RuntimeError(
            f"Number of diagonals ({len(diagonals)}) does not match the number of offsets "
            f"({len(offsets)})"
        )
    allowed = (None, _devices.sparse_coo, _devices.sparse_csr, _devices.sparse_csc)
    if layout not in allowed:
        raise RuntimeError(
            "Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got "
            f"{_layout_text(layout)}"
        )
    wanted = offsets.tolist()
    if len(set(wanted)) < len(wanted):
        raise RuntimeError("Offset tensor contains duplicate values")
    rows, columns = shape
    x = diagonals._array
    parts = []
    for number, offset in enumerate(wanted):
        column = numpy.arange(max(offset, 0), max(0, min(columns, x.shape[1], rows + offset)))
        parts.append((column - offset, column, x[number, column]))
    places = [numpy.concatenate([part[i] for part in parts]).astype(numpy.int64) for i in (0, 1)]
    values = numpy.concatenate([part[2] for part in parts])
    result = sparse_coo_tensor(
        _tensor(numpy.stack(places)), _tensor(values), tuple(shape), check_invariants=False
    )
    return result if layout in (None, _devices.sparse_coo) else result.to_sparse(layout=layout)


def as_sparse_gradcheck(gradcheck: Any) -> Any:
    """A gradcheck for functions that take or return sparse tensors.

    The one that is handed in checks a function of the dense tensors of their specified elements.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse.as_sparse_gradcheck.html.
    """
    return wrapped(gradcheck)


def _layout_text(layout: Any) -> str:
    parts = str(layout).removeprefix("torch.").split("_")
    return "".join(map(str.capitalize, parts))


# As torch names them, in C++.
for _name, _own in (
    ("addmm", "_sparse_addmm"),
    ("log_softmax", "_sparse_log_softmax"),
    ("mm", "_sparse_mm"),
    ("sampled_addmm", "sparse_sampled_addmm"),
    ("softmax", "_sparse_softmax"),
    ("spdiags", "_spdiags"),
    ("spsolve", "_spsolve"),
):
    globals()[_name].__module__ = "minitorch._C._sparse"
    globals()[_name].__name__ = globals()[_name].__qualname__ = _own
    _asked_for("torch.sparse", {_name: globals()[_name]})
_asked_for(
    "torch",
    {
        each.__name__: each
        for each in (
            _sparse_sum,
            sparse_bsc_tensor,
            sparse_bsr_tensor,
            sparse_compressed_tensor,
            sparse_coo_tensor,
            sparse_csc_tensor,
            sparse_csr_tensor,
        )
    },
)


def __getattr__(name: str) -> Any:
    if name.endswith("Tensor") and name in NAMES:
        return TYPES[name]
    return _missing("torch.sparse", name)
