"""How tensors of coordinates are made: of indices and values, of a dense tensor, of a pickle."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy

from minitorch.aten.sparse import above
from minitorch.aten.sparse.dispatch import formulas, is_sparse, recorded
from minitorch.aten.sparse.tensor import made
from minitorch.core.arrays import on_numpy
from minitorch.core.declare.errors import no_kernel
from minitorch.core.declare.signatures import overloads, signatures_at
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.base import LEAF, TensorBase, tensor
from minitorch.core.tensor.conversion import entry_of
from minitorch.core.warning import warn_once

formulas(
    "_sparse_coo_tensor_with_dims_and_tensors(int sparse_dim, int dense_dim, SymInt[] size, "
    "Tensor indices, Tensor values) -> Tensor",
    "SparseCooTensorWithDimsAndTensorsBackward0",
    values=lambda grad, result: grad.sparse_mask(result)._values(),
)

_UNCHECKED = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur "
    "when operating on a sparse tensor which violates the invariants, but checks incur performance "
    "overhead. To silence this warning, explicitly opt in or out. See "
    "`torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. "
)
# Whether invariants are checked where a call does not say; None before anybody said it.
CHECKS: list[bool | None] = [None]


def checks(asked: bool | None) -> bool:
    """Whether a call checks invariants; warns once if nobody ever said so."""
    if asked is not None:
        return asked
    if CHECKS[0] is None:
        warn_once(_UNCHECKED)
    return bool(CHECKS[0])


def check_device(device: Any) -> None:
    kind = devices.device(device).type if device is not None else "cpu"
    if kind != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices")


# Whether indices, values and a size are given. A size alone may stand in the place of indices.
_GIVEN = (
    [True, True, False],
    [True, True, True],
    [False, False, True],
    [True, False, False],
)


@overloads(*signatures_at("torch.sparse_coo_tensor") or ())
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Any:
    """A tensor of `size` with `values` at `indices`, one column each, and zeros elsewhere.

    Values at the same place add up. Without a size, it reaches as far as the indices. Called with a
    size alone, it is all zeros.

    Args:
        indices: (sparse dimensions, n) integers.
        values: (n, *dense dimensions).
        size: of all dimensions.
        check_invariants: whether indices are looked at; without it, and without
            torch.sparse.check_sparse_tensor_invariants, torch warns once and looks at none.
        is_coalesced: says that the indices are in order, each once.

    As https://docs.pytorch.org/docs/stable/generated/torch.sparse_coo_tensor.html.
    """
    given = [each is not None for each in (indices, values, size)]
    flags = pin_memory, requires_grad, bool(check_invariants), bool(is_coalesced)
    if given not in _GIVEN or {*map(type, flags)} != {bool}:
        raise TypeError("no such call")  # whose text the signatures give
    if not {type(check_invariants), type(is_coalesced)} <= {bool, type(None)}:
        raise TypeError("no such flag")
    check = checks(check_invariants)
    check_device(device)
    if values is None:
        shape = tuple(size if indices is None else indices)
        check_size(shape)
        places = numpy.empty((len(shape), 0), numpy.int64)
        result = made(places, OPS.empty((0,), dtype=dtype)._array, shape)
    else:
        result = _from_parts(indices, values, size, dtype, check, is_coalesced)
    if requires_grad and result._edge is None:
        result._edge = LEAF
    return result


def _from_parts(
    indices: Any, values: Any, size: Any, dtype: Any, check: bool, coalesced: bool | None
) -> Any:
    values = values if isinstance(values, TensorBase) else OPS.tensor(values, dtype=dtype)
    values = values if dtype is None else values.to(dtype)
    values = values if values.dim() else values.unsqueeze(0)
    x = values._array
    places = indices._array if isinstance(indices, TensorBase) else numpy.array(indices)
    if size is not None:
        entry_of(places.shape, 0)
    if places.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    places = places.astype(numpy.int64, copy=False)
    if places.shape[1] != len(x):
        raise RuntimeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{places.shape[1]}, nnz from values: {len(x)}"
        )
    shape = _size_of(places, x) if size is None else tuple(map(int, size))
    check_parts(places, x, shape, check, coalesced)
    dims = (len(places), x.ndim - 1)
    return _with_parts(*dims, shape, tensor(places), values)._set(coalesced)


def _size_of(places: Any, x: Any) -> tuple[int, ...]:
    """How far the indices reach. RuntimeError for negative ones."""
    lowest = places.min(1, initial=0)
    if lowest.any():
        dim = int((lowest < 0).argmax())
        raise RuntimeError(f"found negative index {lowest[dim]} for dim {dim}")
    return (*(places.max(1, initial=-1) + 1).tolist(), *x.shape[1:])


def check_size(shape: Any) -> None:
    """RuntimeError with torch's text for negative sizes."""
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")


def check_parts(places: Any, x: Any, shape: Any, check: bool, coalesced: bool | None) -> None:
    """RuntimeError with torch's text unless the parts fit; looks at indices if `check`."""
    check_size(shape)
    if len(shape) != len(places) + x.ndim - 1:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
            f"{len(shape)}, sparse_dim = {len(places)}, dense_dim = {x.ndim - 1}"
        )
    if shape[len(places) :] != x.shape[1:]:
        wanted = [len(x), *shape[len(places) :]]
        raise RuntimeError(f"values has incorrect size, expected {wanted}, got {list(x.shape)}")
    if not check or not places.shape[1]:
        return
    for dim, row in enumerate(places):
        if row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {dim}")
        if row.max() >= shape[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found "
                f"index {row.max()}"
            )
    if coalesced:
        columns = places.T.tolist()
        if any(a >= b for a, b in pairwise(columns)):
            raise RuntimeError(
                "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            )


def _set_coalesced(self: Any, coalesced: bool | None) -> Any:
    if coalesced is not None:
        self._array.coalesced = bool(coalesced)
    return self


_with_parts_recorded = recorded(
    "_sparse_coo_tensor_with_dims_and_tensors",
    lambda sparse_dim, dense_dim, size, indices, values: made(indices._array, values._array, size),
)


class _Made:
    """A tensor that is still to be told whether it is coalesced."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def _set(self, coalesced: bool | None) -> Any:
        return _set_coalesced(self.result, coalesced)


def _with_parts(*args: Any) -> _Made:
    return _Made(_with_parts_recorded(*args))


def empty_of(
    shape: Any,
    *,
    layout: Any,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    name: str = "empty",
) -> Any:
    """A tensor of a sparse layout without elements."""
    check_device(device)
    if layout is not devices.sparse_coo:
        return above.empty_compressed(shape, layout, dtype, requires_grad, name)
    result = made(
        numpy.empty((len(shape), 0), numpy.int64), OPS.empty(0, dtype=dtype)._array, shape
    )
    return result.requires_grad_() if requires_grad else result


# ---- from dense tensors


def from_dense(
    self: Any,
    sparse_dim: int | None = None,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:
    """The elements of `self` that are not zero; of the first sparse_dim dimensions, whole rows."""
    if layout in (None, devices.sparse_coo):
        if blocksize is not None:
            raise RuntimeError(
                "to_sparse: conversion from Strided to Sparse does not use the specified blocksize"
            )
        if sparse_dim is not None:
            return _to_sparse_dim(self, sparse_dim)
        if layout is None and dense_dim is None:
            return _to_sparse(self)
        return _to_sparse(self, layout=layout, dense_dim=dense_dim)
    if layout is devices.strided:
        return self
    if layout is devices._mkldnn:
        raise RuntimeError("dense_to_sparse: unexpected source layout Strided")
    return above.to_layout(self, layout, blocksize, dense_dim)


def _elements(self: Any, rank: int) -> Any:
    if rank == 0 and self.dim():
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    x = on_numpy.as_array(self.detach().resolve_conj().resolve_neg()._array)
    if not 0 <= rank <= x.ndim:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{x.ndim}] range, but {rank} is "
            "given"
        )
    there = (x != 0).any(tuple(range(rank, x.ndim)))
    places = numpy.array(there.nonzero() if rank else numpy.empty((0, int(there))), numpy.int64)
    values = x[there] if rank else x[None][: int(there)].copy()
    return made(places, values, x.shape, coalesced=True)


_to_sparse_dim = recorded(
    "_to_sparse_sparse_dim", lambda self, sparse_dim: _elements(self, sparse_dim)
)


def _to_sparse_all(
    self: Any, *, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None
) -> Any:
    return _elements(self, self.dim() - (dense_dim or 0))


_to_sparse = recorded("_to_sparse", _to_sparse_all)


def masked(self: Any, mask: Any) -> Any:
    """The elements of a dense tensor where `mask` has some."""
    if not is_sparse(mask):
        raise no_kernel("sparse_mask")
    return above.sparse_mask(self, mask)


# ---- from files


def rebuild(layout: str, parts: Any, shape: Any, coalesced: Any = None) -> Any:
    """The tensor of a pickle: its parts and size."""
    if layout == "sparse_coo":
        indices, values = parts
        result = made(indices._array, values._array, tuple(shape))
        result._array.coalesced = bool(coalesced)
    else:
        kind = getattr(devices, layout)
        result = above.made_of_parts(
            parts, tuple(shape), kind, False, False, check_invariants=False
        )
    return result
