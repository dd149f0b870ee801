"""torch.nested: batches of tensors of different sizes, strided and jagged."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nested._internal.nested_tensor import (
    NestedTensor,
    _rebuild_njt,
    jagged_from_list,
    jagged_from_tensor_and_lengths,
    nested_view_from_values_offsets,
    nested_view_from_values_offsets_lengths,
)
from minitorch.nested._strided.creation import nested_tensor as strided

torch.serialization.add_safe_globals([NestedTensor, _rebuild_njt])


def _unsupported_layout(layout: Any, what: str = "nested tensors") -> RuntimeError:
    return RuntimeError(f"Specified layout is unsupported for {what}: {layout}")


def as_nested_tensor(ts: Any, dtype: Any = None, device: Any = None, layout: Any = None) -> Any:
    """A nested tensor of a list of tensors, or of the rows of one, through which gradients flow.

    Args:
        ts: tensors of one number of dimensions, a tensor, or a nested tensor.
        dtype, device: of the result; by default those of the first.
        layout: torch.strided, the default, or torch.jagged.

    TypeError or RuntimeError with torch's texts for what does not fit.
    As https://docs.pytorch.org/docs/stable/nested.html.
    """
    listed = isinstance(ts, (list, tuple)) and all(isinstance(t, torch.Tensor) for t in ts)
    whole = isinstance(ts, torch.Tensor)
    if not whole and not listed:
        raise TypeError(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of "
            "tensors "
        )
    if whole and ts.dim() < 2:
        raise RuntimeError("as_nested_tensor(): Expected tensor argument to have dim() > 1")
    if whole and ts.is_nested:
        if layout == ts.layout:
            return ts.to(device=device, dtype=dtype)
        raise RuntimeError(
            "as_nested_tensor(): Converting between nested tensor layouts is not supported"
        )
    layout = torch.strided if layout is None else layout
    if layout == torch.strided:
        if not whole:
            return torch._nested_tensor_from_tensor_list(list(ts), dtype, None, device, None)
        buffer = ts.reshape(-1).to(device=device, dtype=dtype)
        sizes = torch.tensor([t.shape for t in ts])
        strides_and_offsets = torch._nested_compute_contiguous_strides_offsets(sizes)
        return torch._nested_view_from_buffer(buffer, sizes, *strides_and_offsets)
    if layout == torch.jagged:
        if not whole:
            return jagged_from_list(list(ts), offsets=None, device=device, dtype=dtype)[0]
        device = ts.device if device is None else device
        values = ts.contiguous().flatten(0, 1).to(device=device, dtype=dtype)
        batch, length = ts.shape[:2]
        offsets = torch.arange(0, batch * length + 1, length, device=device, dtype=torch.int64)
        return nested_view_from_values_offsets(
            values, offsets, min_seqlen=length, max_seqlen=length
        )
    raise _unsupported_layout(layout)


def to_padded_tensor(input: Any, padding: float, output_size: Any = None, out: Any = None) -> Any:
    """A dense tensor as large as the largest of a nested one, `padding` beyond their ends.

    output_size: its shape, if it is to be larger. RuntimeError if it is too small.
    As https://docs.pytorch.org/docs/stable/nested.html.
    """
    if out is not None:
        raise NotImplementedError("torch.nested.to_padded_tensor with out")
    return input.to_padded_tensor(padding, output_size)


to_padded_tensor.__name__ = to_padded_tensor.__qualname__ = "nested_to_padded_tensor"
to_padded_tensor.__module__ = "torch._C._nested"


def nested_tensor(
    tensor_list: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """A nested tensor of copies of tensors, or of other arguments of torch.tensor; a leaf.

    Args:
        tensor_list: a list of things of one number of dimensions.
        dtype, device: of the result; by default those of the first.
        layout: torch.strided, the default, or torch.jagged.
        requires_grad: whether operators on it are recorded.
        pin_memory: whether its memory is pinned.

    RuntimeError with torch's texts for what does not fit.
    As https://docs.pytorch.org/docs/stable/nested.html.
    """
    layout = torch.strided if layout is None else layout
    if layout == torch.strided:
        return strided(tensor_list, dtype, device, requires_grad, pin_memory)
    if layout != torch.jagged:
        raise _unsupported_layout(layout)
    tensors = [t if isinstance(t, torch.Tensor) else torch.as_tensor(t) for t in tensor_list]
    with torch.no_grad():
        result, _ = jagged_from_list(tensors, offsets=None, device=device, dtype=dtype)
    result.requires_grad_(requires_grad)
    return result.pin_memory() if pin_memory else result


def narrow(tensor: Any, dim: int, start: Any, length: Any, layout: Any = torch.strided) -> Any:
    """A nested tensor of parts of the rows of a tensor: a view where it is jagged, else a copy.

    Args:
        tensor: a dense tensor.
        dim: along which the parts lie; 1 for torch.jagged.
        start, length: where they begin and how long they are: numbers, or for torch.jagged tensors
            of one for each row.
        layout: torch.strided or torch.jagged.

    RuntimeError with torch's texts for what does not fit.
    As https://docs.pytorch.org/docs/stable/nested.html.
    """
    for name, given in (("start", start), ("length", length)):
        if not isinstance(given, (int, torch.SymInt, torch.Tensor)):
            raise RuntimeError(f"{name} must be an integer or a tensor")
    if layout == torch.strided:
        if isinstance(start, torch.Tensor) or isinstance(length, torch.Tensor):
            raise RuntimeError("start and length must be integers for the strided layout NT impl")
        rows = as_nested_tensor(torch.unbind(tensor), layout=torch.strided)
        return rows.narrow(dim, start, length)
    if layout != torch.jagged:
        raise _unsupported_layout(layout, "nested narrow")
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    places = [
        each
        if isinstance(each, torch.Tensor)
        else torch.tensor([each], device=tensor.device, dtype=torch.int64)
        for each in (start, length)
    ]
    return jagged_from_tensor_and_lengths(tensor, *places)[0]


def nested_tensor_from_jagged(
    values: Any,
    offsets: Any = None,
    lengths: Any = None,
    jagged_dim: int | None = None,
    min_seqlen: int | None = None,
    max_seqlen: int | None = None,
) -> Any:
    """A jagged nested tensor that is a view of values, one after the other.

    Args:
        values: the numbers of all.
        offsets: where each begins in the ragged dimension, and where the last one ends.
        lengths: how long each is; with offsets, of those with holes between them.
        jagged_dim: the ragged dimension of the result; 1 by default.
        min_seqlen, max_seqlen: the smallest and the largest length, if they are known.

    RuntimeError or ValueError with torch's texts for what does not fit.
    As https://docs.pytorch.org/docs/stable/nested.html.
    """
    if offsets is None:
        if lengths is None:
            raise RuntimeError(
                "nested_tensor_from_jagged(): At least one of offsets or lengths is required."
            )
        offsets, lengths = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)), None
    if jagged_dim is not None and jagged_dim < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {jagged_dim}.")
    return nested_view_from_values_offsets_lengths(
        values,
        offsets,
        lengths,
        ragged_idx=1 if jagged_dim is None else jagged_dim,
        min_seqlen=min_seqlen,
        max_seqlen=max_seqlen,
    )


def masked_select(tensor: Any, mask: Any) -> Any:
    """A jagged nested tensor of the elements where a mask is true, row by row.

    tensor, mask: dense tensors; RuntimeError for other layouts.
    As https://docs.pytorch.org/docs/stable/nested.html.
    """
    if tensor.layout != torch.strided:
        raise RuntimeError(
            f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}"
        )
    if mask.layout != torch.strided:
        raise RuntimeError(
            f"torch.nested.masked_select requires a strided mask, given: {mask.layout}"
        )
    values = tensor.masked_select(mask)
    counts = mask.expand(tensor.shape).sum(dim=tensor.ndim - 1).view(-1)
    return nested_view_from_values_offsets(
        values=values, offsets=torch.nn.functional.pad(counts.cumsum(dim=0), (1, 0))
    )
