"""torch.sparse_csr_tensor and its kin: tensors of indices and values, and what must be true of
those. As ATen/native/sparse/SparseCsrTensor.cpp."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.sparse.compressed import KINDS, Kind, compressed, names_of
from minitorch.aten.sparse.creation import (
    ONLY_FLOATS,
    check_device,
    checks,
    is_size,
    parts_by_name,
)
from minitorch.aten.sparse.dispatch import formulas, recorded
from minitorch.core.base.fields import LEAF, TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.wording.signatures import overloads, signatures_at
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes

formulas(
    "sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor "
    "plain_indices, Tensor values, SymInt[] size, *, Layout? layout=None) -> Tensor",
    "SparseCompressedTensorBackward0",
    values=lambda grad, values, result: values_of_gradient(grad, values, result),
)


def values_of_gradient(grad: Any, values: Any, result: Any) -> Any:
    """The gradient of the values, at the places of the tensor made of them.

    values: saved as torch saves them, and not looked at.
    """
    if grad.layout is result.layout:
        return grad.values()
    return grad.sparse_mask(result).values()


_with_parts = recorded(
    "sparse_compressed_tensor_comp_plain_value_size",
    lambda compressed_indices, plain_indices, values, size, *, layout: compressed(
        layout, compressed_indices._array, plain_indices._array, values._array, size
    ),
)


def _indices(given: Any) -> Any:
    if isinstance(given, TensorBase):
        return given.detach()
    return OPS.tensor(given)


def _size_of(kind: Kind, starts: Any, plain: Any, x: Any) -> tuple[int, ...]:
    """The size that indices reach to."""
    rank = starts.ndim - 1
    block = x.shape[rank + 1 : rank + 3] if kind.blocks else (1, 1)
    lines = starts.shape[-1] - 1
    across = int(plain.max()) + 1 if plain.size else 0
    sizes = (lines, across) if kind.by_rows else (across, lines)
    dense = x.shape[rank + (3 if kind.blocks else 1) :]
    return (*starts.shape[:-1], sizes[0] * block[0], sizes[1] * block[1], *dense)


def parts_of(starts: Any, plain: Any, values: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """Indices and values as tensors. Errors of torch.tensor for what makes none."""
    values = values if isinstance(values, TensorBase) else OPS.tensor(values, dtype=dtype)
    values = values if dtype is None else values.to(dtype)
    return _indices(starts), _indices(plain), values


def made_of_parts(
    given: tuple[Any, Any, Any],
    size: Any,
    layout: Any,
    pin_memory: bool,
    requires_grad: bool,
    check_invariants: bool | None,
) -> Any:
    """A tensor of a compressed layout, of its parts; `size` may be None."""
    check = checks(check_invariants)
    kind = KINDS[layout]
    starts, plain, values = given
    parts = starts._array, plain._array, values._array
    if size is None:
        _check_indices(kind, *parts[:2])
        _check_ranks(kind, *parts)
        if plain._array.dtype.kind not in "iu":
            raise dtypes.unknown_to("estimate_sparse_compressed_tensor_size", plain._array)
    shape = _size_of(kind, *parts) if size is None else tuple(map(int, size))
    if check:
        check_parts(kind, *parts, shape)
    if pin_memory:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if requires_grad and values.dtype.number_kind < dtypes.Kind.FLOATING:
        raise RuntimeError(ONLY_FLOATS)
    result = _with_parts(starts, plain, values, shape, layout=layout)
    if requires_grad:
        result = result.detach()
        result._edge = LEAF
    return result


def _check_indices(kind: Kind, starts: Any, plain: Any) -> None:
    own, other = names_of(kind)
    if starts.ndim < 1:
        raise RuntimeError(f"{own} must have dimensionality >= 1 but got {starts.ndim}")
    if plain.ndim != starts.ndim:
        raise RuntimeError(
            f"{own} and {other} dimensionalities must be equal but got {starts.ndim} and "
            f"{plain.ndim}, respectively"
        )


def _check_ranks(kind: Kind, starts: Any, plain: Any, x: Any) -> None:
    batch = starts.ndim - 1
    least = batch + (2 if kind.blocks else 0)
    if x.ndim <= least:
        what = "batch and block"
        more = f"={batch} + {2 if kind.blocks else 0}"
        raise RuntimeError(
            f"values must have dimensionality > sum of {what} dimensionalities ({more}) but got "
            f"{x.ndim}"
        )


def _require(fits: Any, text: str) -> None:
    if not fits:
        raise RuntimeError(f"`{text}` is not satisfied.")


def check_parts(kind: Kind, starts: Any, plain: Any, x: Any, shape: Any) -> None:
    """RuntimeError with torch's text unless the parts make a tensor of this shape.

    As _validate_sparse_compressed_tensor_args_worker.
    """
    own, other = names_of(kind)
    lines, across = ("nrows", "ncols") if kind.by_rows else ("ncols", "nrows")
    batch, inner = starts.ndim - 1, 2 if kind.blocks else 0
    _check_indices(kind, starts, plain)
    dense = x.ndim - batch - inner - 1
    _check_ranks(kind, starts, plain, x)
    if len(shape) != batch + 2 + dense:
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={batch} + 2 + {dense}) but got {len(shape)}"
        )
    batches = [list(sizes) for sizes in (starts.shape[:-1], plain.shape[:-1], x.shape[:batch])]
    if any(each != list(shape[:batch]) for each in batches):
        raise RuntimeError(
            f"all batch dimensions of {own} (={batches[0]}), {other} (={batches[1]}), and values "
            f"(={batches[2]}) must be equal to tensor batch dimensions (={list(shape[:batch])})"
        )
    sizes = x.shape[batch + 1 : batch + 3] if kind.blocks else (1, 1)
    block = [max(size, 1) for size in sizes]  # as torch counts those of blocks without elements
    for dim, step in enumerate(block):
        if shape[batch + dim] % step:
            raise RuntimeError(
                f"tensor shape[{batch + dim}] (={shape[batch + dim]}) must be divisible with "
                f"blocksize[{dim}] (={step}) as defined by values shape"
            )
    rows, columns = shape[batch] // block[0], shape[batch + 1] // block[1]
    count = rows if kind.by_rows else columns
    width = columns if kind.by_rows else rows
    if starts.shape[-1] != count + 1:
        counted = "row" if kind.by_rows else "column"
        raise RuntimeError(
            f"{own}.shape[-1] must be equal to the number of "
            f"{counted + ' blocks' if kind.blocks else counted + 's'} + 1 (={count + 1}), but got "
            f"{starts.shape[-1]}"
        )
    if plain.shape[-1] != x.shape[batch]:
        raise RuntimeError(
            f"{other}.shape[-1] must be equal to nnz (={x.shape[batch]}) as defined by "
            f"values.shape[{batch}], but got {plain.shape[-1]}"
        )
    _check_types(own, other, starts, plain)
    _check_numbers(own, other, lines, across, starts, plain, width)


def _check_types(own: str, other: str, starts: Any, plain: Any) -> None:
    kinds = [dtypes.of(each).scalar_name for each in (starts, plain)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"{own} and {other} must have the same dtype, bot got {kinds[0]} and {kinds[1]}, "
            "respectively"
        )
    if starts.dtype.kind != "i" or starts.dtype.itemsize < 4:
        raise RuntimeError(f"{own} and {other} dtype must be Int or Long, but got {kinds[0]}")


def _check_numbers(
    own: str, other: str, lines: str, across: str, starts: Any, plain: Any, width: int
) -> None:
    n = plain.shape[-1]
    _require(((plain >= 0) & (plain < width)).all(), f"0 <= {other} < {across}")
    if starts.shape[-1] == 1:  # torch looks at the rest line by line, and there are none
        return
    _require((starts[..., 0] == 0).all(), f"{own}[..., 0] == 0")
    _require((starts[..., -1] == n).all(), f"{own}[..., -1] == nnz")
    steps = numpy.diff(starts, axis=-1)
    _require(
        ((steps >= 0) & (steps <= width)).all(),
        f"0 <= {own}[..., 1:] - {own}[..., :-1] <= {across}",
    )
    if not n:
        return
    flat = plain.reshape(-1, n)
    for begin, each in zip(starts.reshape(-1, starts.shape[-1]), flat, strict=True):
        new = numpy.zeros(n + 1, bool)
        new[begin] = True
        _require(
            (new[1:-1] | (numpy.diff(each) > 0)).all(),
            f"{other}[..., {own}[..., i - 1]:{own}[..., i]] for all i = 1, ..., {lines} are sorted "
            "and distinct along the last dimension values",
        )


def _maker(name: str, layout: Any, doc: str) -> Any:
    kind = KINDS.get(layout)
    own, other = ("compressed_indices", "plain_indices") if kind is None else names_of(kind)

    names = own, other, "values", "size"

    def make(
        *parts: Any,
        dtype: Any = None,
        layout: Any = layout,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        check_invariants: bool | None = None,
        **named: Any,
    ) -> Any:
        given = parts_by_name(names, parts, named)
        flags = (pin_memory, requires_grad)
        if not given.keys() >= {own, other, "values"} or {*map(type, flags)} != {bool}:
            raise TypeError(name)
        if check_invariants is not None and type(check_invariants) is not bool:
            raise TypeError(name)
        if "size" in given and not is_size(given["size"]):
            raise TypeError(name)
        if layout is not None and not isinstance(layout, devices.layout):
            raise TypeError(name)
        check_device(device)
        found = parts_of(given[own], given[other], given["values"], dtype)
        asked = layout if layout is not None else None if kind is None else kind.layout
        if kind is not None and asked is not kind.layout:
            raise RuntimeError(f"{name}: layout must be {kind.title} but got {_title(asked)}")
        if asked not in KINDS:
            raise RuntimeError(
                f"{name} expected sparse compressed tensor layout but got {_title(asked)}"
            )
        return made_of_parts(found, given.get("size"), asked, *flags, check_invariants)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = doc
    return overloads(*signatures_at(f"torch.{name}") or ())(make)


def _title(layout: Any) -> str:
    if layout is None:
        return "none"
    return {devices.strided: "Strided", devices.sparse_coo: "Sparse"}.get(
        layout, KINDS[layout].title if layout in KINDS else str(layout)
    )


def _doc(what: str, name: str) -> str:
    return (
        f"A tensor of {what}, with the values at the places that the indices say.\n\n"
        "    Args: the indices where each line begins, (*batch, lines + 1); those of each element\n"
        "    in its line, (*batch, elements); the values; and the size, which is as far as the\n"
        "    indices reach if it is left out. check_invariants: whether they are looked at.\n\n"
        "    Raises: RuntimeError if the parts do not fit. As\n"
        f"    https://docs.pytorch.org/docs/stable/generated/torch.{name}.html.\n    "
    )


sparse_csr_tensor = _maker(
    "sparse_csr_tensor", devices.sparse_csr, _doc("compressed rows", "sparse_csr_tensor")
)
sparse_csc_tensor = _maker(
    "sparse_csc_tensor", devices.sparse_csc, _doc("compressed columns", "sparse_csc_tensor")
)
sparse_bsr_tensor = _maker(
    "sparse_bsr_tensor", devices.sparse_bsr, _doc("compressed rows of blocks", "sparse_bsr_tensor")
)
sparse_bsc_tensor = _maker(
    "sparse_bsc_tensor",
    devices.sparse_bsc,
    _doc("compressed columns of blocks", "sparse_bsc_tensor"),
)
sparse_compressed_tensor = _maker(
    "sparse_compressed_tensor", None, _doc("a compressed layout", "sparse_compressed_tensor")
)
