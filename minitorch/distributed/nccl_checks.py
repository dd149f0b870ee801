"""Checks of ProcessGroupNCCL before an operation starts, in its words.

As torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp and Utils.hpp.
"""

from __future__ import annotations

import warnings
from typing import Any

import minitorch
from minitorch.core.arrays.layout import is_dense
from minitorch.cuda import nccl

Tensor = Any
_ONE_EACH = (
    "Expecting one tensor only but got multiple. You are probably using multiple devices under one "
    "thread. The support for such usage has been deprecated. For details, please refer to "
    "https://pytorch.org/docs/stable/distributed.html#multi-gpu-collective-functions. "
    "ProcessGroupNCCL continues supporting multi-process and multi-thread modes."
)
_NO_LAYOUT = (
    "Detected non-contiguous tensor in P2P operations. It is user responsibility to guarantee that "
    "source and destination tensors have the same contiguity format."
)


def check_devices() -> None:
    """ValueError if there is no CUDA device."""
    if not nccl.is_usable():
        raise ValueError("ProcessGroupNCCL is only supported with GPUs, no GPUs found!")


def check_one(tensors: list[Tensor]) -> None:
    """RuntimeError for several tensors."""
    if len(tensors) != 1:
        raise RuntimeError(_ONE_EACH)


def _is_on_device(tensor: Tensor) -> bool:
    return tensor.device.type == "cuda" and tensor.layout is minitorch.strided


def _is_contiguous(tensor: Tensor) -> bool:
    """Whether a tensor has no gaps, in the order of its dimensions or with channels last."""
    formats = {4: minitorch.channels_last, 5: minitorch.channels_last_3d}
    if tensor.is_contiguous():
        return True
    kind = formats.get(tensor.dim())
    return kind is not None and tensor.is_contiguous(memory_format=kind)


def check_tensor(tensor: Tensor) -> None:
    """ValueError for a tensor that is not on a device, is sparse, or has gaps."""
    if not _is_on_device(tensor):
        raise ValueError("Tensors must be CUDA and dense")
    if not _is_contiguous(tensor):
        raise ValueError("Tensors must be contiguous")


def check_message(tensor: Tensor) -> None:
    """Checks as check_tensor, but warns of gaps, and sends the memory as it lies."""
    if not _is_on_device(tensor):
        raise ValueError("Tensors must be CUDA and dense")
    if not _is_contiguous(tensor):
        warnings.warn(_NO_LAYOUT, stacklevel=6)


def check_several(tensors: list[Tensor]) -> None:
    """Checks tensors that are reduced together. RuntimeError, ValueError or TypeError."""
    if not tensors:
        raise RuntimeError("Tensor list must be nonempty")
    for each in tensors:
        if not _is_on_device(each):
            raise ValueError("Tensors must be CUDA and dense")
        if each.dtype != tensors[0].dtype:
            raise TypeError("Tensors must have identical type")
        if not is_dense(tuple(each.shape), each.stride()):
            raise ValueError("Tensors must be non-overlapping and dense")


def check_list(tensors: list[Tensor], size: int) -> None:
    """Checks a list with one tensor for each rank. RuntimeError or ValueError."""
    if not tensors:
        raise RuntimeError("Received an empty list")
    if len(tensors) != size:
        raise RuntimeError(
            "Tensor list input to scatter/gather must match number of collective participants"
        )
    for each in tensors:
        if not _is_on_device(each):
            raise ValueError("Tensors must be CUDA and dense")


def check_gathered(source: Tensor, output: Tensor, size: int) -> None:
    """Checks that a tensor has room for those of all ranks. TypeError or ValueError."""
    check_tensor(source)
    check_tensor(output)
    if source.dtype != output.dtype:
        raise TypeError("output tensor must have the same type as input tensor")
    if source.numel() * size != output.numel():
        raise ValueError("output tensor size must be equal to world_size times input tensor size")


def check_scattered(source: Tensor, output: Tensor, size: int) -> None:
    """Checks that a tensor has a part for each rank. TypeError or ValueError."""
    check_tensor(output)
    check_tensor(source)
    if source.dtype != output.dtype:
        raise TypeError("input tensor must be the same type as the output tensor.")
    if source.numel() != output.numel() * size:
        raise ValueError("input tensor must be the same size as output size times world size")


def check_root(root: int, size: int, name: str) -> None:
    """ValueError for a rank that is not in the group."""
    if not 0 <= root < size:
        raise ValueError(f"ProcessGroupNCCL::{name}: invalid root rank: {root}")


def check_parts(parts: Any, model: Tensor, size: int, name: str, word: str) -> None:
    """Checks the tensors that the root gives to the ranks, or gets from them. ValueError."""
    head = f"ProcessGroupNCCL::{name}: "
    count = len(parts or ())
    if count != size:
        raise ValueError(
            f"{head}Incorrect {word} list size {count}. {word.title()} list size should be {size}, "
            "same as size of the process group."
        )
    for i, each in enumerate(parts):
        if each.dtype != model.dtype or each.device != model.device:
            raise ValueError(
                f"{head}invalid tensor type at index {i} (expected {_options(model)}, got "
                f"{_options(each)})"
            )
        if each.shape != model.shape:
            raise ValueError(
                f"{head}invalid tensor size at index {i} (expected {_sizes(model)}, got "
                f"{_sizes(each)})"
            )
        check_tensor(each)


def _sizes(tensor: Tensor) -> str:
    return f"({', '.join(map(str, tensor.shape))})"


def _options(tensor: Tensor) -> str:
    return (
        f"TensorOptions(dtype={tensor.dtype.c_name}, device={tensor.device}, layout=Strided, "
        "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"
    )


def split_sizes(tensor: Tensor, sizes: list[int], size: int) -> list[int]:
    """The numbers of elements of a tensor that go to each rank, or come from it. RuntimeError."""
    rows = tensor.shape[0] if tensor.dim() else 1
    if not sizes:
        if rows % size:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        return [tensor.numel() // size] * size
    if len(sizes) != size:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(sizes) != rows:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    return [each * (tensor.numel() // rows if rows else 0) for each in sizes]
