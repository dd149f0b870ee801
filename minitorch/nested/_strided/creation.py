"""Strided nested tensors of lists, buffers, masks and padded tensors."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.nested._internal.functions import nested_row, with_row
from minitorch.nested._strided import operators
from minitorch.nested._strided.tensor import Geometry, in_rows, joined, nested


def nested_tensor(
    tensor_list: Any, dtype: Any, device: Any, requires_grad: bool, pin_memory: bool
) -> Any:
    """A strided nested tensor of copies of arguments of torch.tensor: see torch.nested."""
    if not isinstance(tensor_list, list):
        raise TypeError(
            "Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor"
        )
    tensors = [
        (each.detach().clone() if isinstance(each, torch.Tensor) else torch.tensor(each))
        for each in tensor_list
    ]
    if dtype is None and tensors:
        dtype = tensors[0].dtype
    tensors = [each.to(dtype=dtype, device=device) for each in tensors]
    for given, made in zip(tensor_list, tensors, strict=True):
        if requires_grad and not isinstance(given, torch.Tensor):
            made._check_can_require_grad()
            made.requires_grad = True
    result = _nested_tensor_from_tensor_list(tensors)
    return result if result.requires_grad else result.requires_grad_(requires_grad)


_FROM_LIST = nested_row(
    "_nested_tensor_from_tensor_list(Tensor[] list, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None) -> Tensor",
    "NestedTensorFromTensorListBackward0",
    list=lambda grad: tuple(grad.unbind()),
)
_FROM_MASK = nested_row(
    "_nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor",
    "NestedTensorFromMaskBackward0",
    t=lambda grad, t_sym_sizes: grad.to_padded_tensor(0, t_sym_sizes),
)
_FROM_PADDED = nested_row(
    "_nested_from_padded(Tensor padded, Tensor cpu_nested_shape_example, "
    "bool fuse_transform_0213=False) -> Tensor",
    "NestedFromPaddedBackward0",
    padded=lambda grad, padded_sym_sizes: grad.to_padded_tensor(0, padded_sym_sizes),
)
_FROM_BUFFER = nested_row(
    "_nested_view_from_buffer(Tensor self, Tensor nested_size, Tensor nested_strides, "
    "Tensor offsets) -> Tensor",
    "NestedViewFromBufferBackward0",
    self=lambda grad: grad.values(),
)


def _nested_tensor_from_tensor_list(
    list: Any, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None
) -> Any:
    """A strided nested tensor of copies of tensors."""
    for i, each in enumerate(list):
        if each.dim() != list[0].dim():
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. Found dimension "
                f"{each.dim()} for Tensor at index {i} and dimension {list[0].dim()} for Tensor at "
                f"index {i - 1}."
            )

    def made() -> Any:
        if not list:
            return nested(torch.tensor([], dtype=dtype), in_rows([]))
        return joined([each.to(dtype=dtype or list[0].dtype) for each in list])

    bound = {"list": list, "dtype": dtype, "layout": layout, "device": device}
    return with_row(_FROM_LIST, {**bound, "pin_memory": pin_memory}, made)


def _nested_compute_contiguous_strides_offsets(nested_size: Any) -> Any:
    """The strides and offsets of parts of these sizes that lie in rows, one after the other."""
    place = in_rows([tuple(row) for row in nested_size.tolist()])
    strides = torch.tensor([[*row] for row in place.strides], dtype=torch.int64)
    return strides.view(nested_size.shape), torch.tensor([*place.offsets], dtype=torch.int64)


def _nested_view_from_buffer(self: Any, nested_size: Any, nested_strides: Any, offsets: Any) -> Any:
    """A strided nested tensor of parts of a buffer: a view."""
    place = Geometry(
        tuple(map(tuple, nested_size.tolist())),
        tuple(map(tuple, nested_strides.tolist())),
        tuple(offsets.tolist()),
    )
    bound = {"self": self, "nested_size": nested_size, "nested_strides": nested_strides}
    return with_row(
        _FROM_BUFFER, {**bound, "offsets": offsets}, lambda: nested(self.detach(), place)
    )


def _nested_tensor_from_mask_left_aligned(t: Any, mask: Any) -> bool:
    """Whether a mask is true from the beginning of each row on, without gaps."""
    lengths = mask.sum(1)
    places = torch.arange(mask.shape[1]).expand(mask.shape)
    return bool(((places < lengths.unsqueeze(1)) == mask).all())


def _nested_tensor_from_mask(t: Any, mask: Any, mask_check: bool = True) -> Any:
    """A strided nested tensor of the beginnings of rows, as long as a mask has elements there."""
    if mask_check and not _nested_tensor_from_mask_left_aligned(t, mask):
        raise RuntimeError("Mask must be left-aligned without gaps")
    lengths = mask.sum(1).tolist()
    sizes = [(n, t.shape[2]) for n in lengths]
    bound = {"t": t, "mask": mask, "mask_check": mask_check}
    return with_row(_FROM_MASK, bound, lambda: _cut(t, sizes))


def _cut(padded: Any, sizes: Any) -> Any:
    parts = zip(padded.detach().unbind(), sizes)
    return joined([part[tuple([slice(n) for n in size])] for part, size in parts])


def _nested_from_padded(
    padded: Any, cpu_nested_shape_example: Any, fuse_transform_0213: bool = False
) -> Any:
    """A strided nested tensor of the beginnings of rows, of the sizes of an example."""
    sizes = [tuple(row) for row in cpu_nested_shape_example.tolist()]
    source = padded
    if fuse_transform_0213:
        source = padded.detach().transpose(1, 2).flatten(2)
    bound = {
        "padded": padded,
        "cpu_nested_shape_example": cpu_nested_shape_example,
        "fuse_transform_0213": fuse_transform_0213,
    }
    return with_row(_FROM_PADDED, bound, lambda: _cut(source, sizes))


def _nested_from_padded_and_nested_example(padded: Any, nt_example: Any) -> Any:
    """A strided nested tensor of the beginnings of rows, of the sizes of another."""
    return _cut(padded, nt_example._geometry.sizes)


_ = operators
