"""How tensors of coordinates are made: of indices and values, of a dense tensor, of a pickle."""

from __future__ import annotations

from itertools import pairwise
from operator import index
from typing import Any

import numpy

from minitorch.aten.creation.copies import refuse_pinning, warn_copy_construct
from minitorch.aten.sparse import above
from minitorch.aten.sparse.coordinates import REFUSAL
from minitorch.aten.sparse.dispatch import COMPRESSED, does, formulas, is_sparse, recorded
from minitorch.aten.sparse.layouts import check_conversion, pair_of
from minitorch.aten.sparse.tensor import made
from minitorch.core.arrays import DEVICE_ARRAYS, on_numpy
from minitorch.core.arrays.floating_point import cast, legible
from minitorch.core.base.fields import LEAF, TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.declare.wording.signatures import FITS, overloads, signatures_at
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import refuse_late_unsigned
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
ONLY_FLOATS = "Only Tensors of floating point and complex dtype can require gradients"
# Whether invariants are checked if a call has no option for it; None before a program set it.
CHECKS: list[bool | None] = [None]


def checks(asked: bool | None) -> bool:
    """Whether a call checks invariants; warns once if the program never said."""
    if asked is not None:
        return asked
    if CHECKS[0] is None:
        warn_once(_UNCHECKED)
    return bool(CHECKS[0])


def check_device(device: Any) -> None:
    kind = devices.device(device).type if device is not None else "cpu"
    if kind == "cuda" and DEVICE_ARRAYS:
        raise NotImplementedError(REFUSAL)
    if kind != "cpu":
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices")


_NAMES = ("indices", "values", "size")
_FLAG_OR_NONE = {bool, type(None)}


@overloads(*signatures_at("torch.sparse_coo_tensor") or ())
def sparse_coo_tensor(
    *parts: Any,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
    **named: Any,
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
    indices, values, size = _parts_and_size(parts, named)
    if not (type(pin_memory) is type(requires_grad) is bool):
        raise TypeError("no such flag")  # whose text the signatures give
    if not {type(check_invariants), type(is_coalesced)} <= _FLAG_OR_NONE:
        raise TypeError("no such flag")
    if values is UNSET and (pin_memory or is_coalesced is not None):
        raise TypeError("no such call")
    check = checks(check_invariants)
    check_device(device)
    if values is UNSET:
        check_size(size)
        places = numpy.empty((len(size), 0), numpy.int64)
        result = made(places, OPS.empty((0,), dtype=dtype)._array, size)
    else:
        found = places_and_values(indices, values, dtype, size)
        result = _from_parts(*found, size, check, is_coalesced, pin_memory)
    if requires_grad and result._edge is None:
        if result.dtype.number_kind < dtypes.Kind.FLOATING:
            raise RuntimeError(ONLY_FLOATS)
        result._edge = LEAF
    return result


def parts_by_name(
    names: tuple[str, ...], parts: tuple[Any, ...], named: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by name. TypeError if it gives one twice, or others."""
    given = dict(zip(names, parts)) | named
    if len(given) != len(parts) + len(named) or not given.keys() <= {*names}:
        raise TypeError("no such call")
    return given


def is_size(value: Any) -> bool:
    """Whether torch's parser takes a value for a list of sizes."""
    return FITS["tuple of ints"](value)


def _parts_and_size(parts: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Indices, values and size of a call, None without a size; UNSET for values if it gives a size
    alone, in a list or written out. TypeError for other calls."""
    if not named and len(parts) == 3 and is_size(parts[2]):
        return parts[0], parts[1], tuple(map(index, parts[2]))
    given = parts_by_name(_NAMES, parts, named) if named or len(parts) < 4 else {}
    if given.keys() == {"indices", "values"}:
        return given["indices"], given["values"], None
    if len(given) == 3 and is_size(given["size"]):
        return given["indices"], given["values"], tuple(map(index, given["size"]))
    if named:
        shape = given["size"] if given.keys() == {"size"} else None
    else:
        shape = parts[0] if len(parts) == 1 and is_size(parts[0]) else parts or None
    if not is_size(shape):
        raise TypeError("no such call")
    return None, UNSET, tuple(map(index, shape))


def places_and_values(indices: Any, values: Any, dtype: Any, size: Any) -> tuple[Any, Any]:
    """Arrays of indices, and values as a tensor. Errors of torch.tensor for what makes none."""
    values = values if isinstance(values, TensorBase) else OPS.tensor(values, dtype=dtype)
    values = values if dtype is None else values.to(dtype)
    made_here = not isinstance(indices, TensorBase)
    places = OPS.tensor(indices, dtype=dtypes.int64) if made_here else indices
    if type(places._array) is not numpy.ndarray or type(values._array) is not numpy.ndarray:
        _check_dense(size, indices=places, values=values)
    numbers = places._array
    if numbers.dtype not in dtypes.POSITIONS:
        numbers = cast(numbers, dtypes.int64.numpy)
    return numbers, values if values.dim() else values.unsqueeze(0)


def _check_dense(size: Any, **parts: Any) -> None:
    for each in parts.values():
        if each.layout not in (devices.strided, devices.sparse_coo):
            raise no_kernel(
                "_sparse_coo_tensor_with_dims_and_tensors", f"{devices.title_of(each.layout)}CPU"
            )
    if size is not None:
        _check_length(parts["indices"].shape, max(parts["values"].dim(), 1), size)
    for what, each in parts.items():
        if each.layout is devices.sparse_coo:
            raise RuntimeError(
                f"expected {what} to be a dense tensor, but got {what} of layout Sparse"
            )


def _from_parts(
    places: Any, values: Any, size: Any, check: bool, coalesced: bool | None, pinned: bool
) -> Any:
    x = values._array
    if size is None:
        _check_rank(places)
        shape = _size_of(places, x)
    else:
        if check:
            _check_rank(places)
        entry_of(places.shape, 0)
        shape = size
    places = places.astype(numpy.int64, copy=False)
    if check:
        _check_places(places, x, shape, coalesced)
    check_parts(places, x, shape, pinned)
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


def _check_rank(places: Any) -> None:
    if places.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")


def _check_length(places: Any, rank: int, shape: Any) -> None:
    rows = entry_of(places, 0)
    if len(shape) != rows + rank - 1:
        raise RuntimeError(
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
            f"{len(shape)}, sparse_dim = {rows}, dense_dim = {rank - 1}"
        )


def check_parts(places: Any, x: Any, shape: Any, pinned: bool) -> None:
    """RuntimeError with torch's text unless the parts fit. Looks at no index."""
    _check_length(places.shape, x.ndim, shape)
    check_size(shape)
    if pinned:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    _check_rank(places)
    if places.shape[1] != len(x):
        raise RuntimeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{places.shape[1]}, nnz from values: {len(x)}"
        )
    if shape[len(places) :] != x.shape[1:]:
        wanted = [len(x), *shape[len(places) :]]
        raise RuntimeError(f"values has incorrect size, expected {wanted}, got {list(x.shape)}")


def _check_places(places: Any, x: Any, shape: Any, coalesced: bool | None) -> None:
    """RuntimeError with torch's text for indices out of range, or out of order if `coalesced`.

    As _validate_sparse_coo_tensor_args.
    """
    _check_rank(places)
    _check_length(places.shape, x.ndim, shape)
    for dim, row in enumerate(places if places.shape[1] else ()):
        if row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {dim}")
        if row.max() >= shape[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found "
                f"index {row.max()}"
            )
    if coalesced and len(x) > 1:
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
    if sparse_dim is not None and not layout is blocksize is dense_dim is None:
        raise TypeError  # as no signature has both
    check_conversion(self, layout or devices.sparse_coo, pair_of(blocksize), dense_dim)
    if layout in (None, devices.sparse_coo):
        if sparse_dim is not None:
            return _to_sparse_dim(self, sparse_dim)
        if layout is None and dense_dim is None:
            return _to_sparse(self)
        return _to_sparse(self, layout=layout, dense_dim=dense_dim)
    if layout is devices.strided:
        return self
    return above.to_layout(self, layout, blocksize, dense_dim)


def _elements(self: Any, rank: int) -> Any:
    if rank == 0 and self.dim():
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if self.device.type == "cuda":
        raise NotImplementedError("torch.Tensor.to_sparse of a tensor on a CUDA device")
    x = on_numpy.as_array(self.detach().resolve_conj().resolve_neg()._array)
    if not 0 <= rank <= x.ndim:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{x.ndim}] range, but {rank} is "
            "given"
        )
    refuse_late_unsigned(x, "nonzero_count_cpu")
    there = (legible(x) != 0).any(tuple(range(rank, x.ndim)))
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


# ---- copies by torch.tensor and Tensor.new_tensor


def _copied(data: Any, dtype: Any, device: Any, requires_grad: bool, pin_memory: bool) -> Any:
    """A sparse tensor's copy without history, of another dtype if one is asked for."""
    if pin_memory:
        refuse_pinning()
    result = data.detach().clone().to(device=device, dtype=dtype)
    return result.requires_grad_() if requires_grad else result


@does("tensor")
@does("tensor", table=COMPRESSED)
def copy_of(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    warn_copy_construct("torch.tensor(sourceTensor)")
    return _copied(data, dtype, device, requires_grad, pin_memory)


@does("new_tensor")
def new_tensor(
    self: Any,
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Any:
    warn_copy_construct("tensor.new_tensor(sourceTensor)")
    return _copied(data, dtype or self.dtype, device, requires_grad, pin_memory)


@does("new_tensor", table=COMPRESSED)
def new_compressed_tensor(self: Any, data: Any, **options: Any) -> Any:
    warn_copy_construct("tensor.new_tensor(sourceTensor)")
    raise RuntimeError("Cannot map DispatchKey SparseCsrCPU to a unique layout.")
