"""torch.utils._foreach_utils: lists of tensors as functions of whole lists want them."""

from __future__ import annotations

from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.autograd.grad_mode import no_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor

_foreach_supported_types = [Tensor]
_CUSTOM = "privateuseone"  # the device of a backend that someone adds to torch


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The devices whose kernels take whole lists."""
    return ["cuda", "xpu", "mtia", _CUSTOM]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The devices that have a kernel for the whole step of an optimizer."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", _CUSTOM]


# What torch's binding says, with its C++ as it stands there.
_EXPECTED = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please "
    "report an enhancement request to PyTorch.)"
)
_SAME_LENGTH = (
    "std::all_of( nested_tensorlist.cbegin(), nested_tensorlist.cend(), [&](const auto& "
    "tensorlist) -> bool { return tensorlist.size() == num_tensors || tensorlist.size() == 0; })"
)
_SIGNATURE = (
    "_group_tensors_by_device_and_dtype(): incompatible function arguments. The following argument "
    "types are supported:\n    1. (arg0: collections.abc.Sequence[collections.abc.Sequence"
    "[torch.Tensor | None]], arg1: bool) -> dict[tuple[torch.device, torch.dtype], "
    "tuple[list[list[torch.Tensor | None]], list[int]]]\n\nInvoked with: {}"
)


@no_grad()
def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[list[list[Tensor | None]], list[int]]]:
    """Parallel lists of tensors, taken apart by the device and dtype of the first list's.

    Args:
        tensorlistlist: the lists. Each is empty or as long as the first; None may stand in all but
            the first, and step counts may have another dtype and stay on the CPU.
        with_indices: whether the places in the lists are given with the groups.

    Returns:
        For each (device, dtype) the lists of its tensors, and their places; a list without places
        if they are not asked for.

    Raises:
        RuntimeError: a list is of another length, or a tensor of another device or dtype.
    """
    _check_lists(tensorlistlist, with_indices)
    groups: dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]] = {}
    for place, tensor in enumerate(tensorlistlist[0]):
        if tensor is None:
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined but "
                f"the {place}-th Tensor is not."
            )
        key = tensor.device, tensor.dtype
        lists, places = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for group, each in zip(lists, tensorlistlist, strict=True):
            if each:
                _check_fits(each[place], *key)
                group.append(each[place])
        if with_indices:
            places.append(place)
    return groups


def _check_lists(lists: Any, with_indices: bool) -> None:
    """Raises unless these are lists of tensors, as long as the first or empty."""
    sequences = (list, tuple)
    taken = isinstance(lists, sequences) and all(isinstance(each, sequences) for each in lists)
    if not taken or not all(x is None or isinstance(x, Tensor) for each in lists for x in each):
        raise TypeError(_SIGNATURE.format(f"{lists!r}, {with_indices}"))
    if not lists:
        raise RuntimeError(_EXPECTED.format("!nested_tensorlist.empty()"))
    if not lists[0]:
        raise RuntimeError(_EXPECTED.format("!nested_tensorlist[0].empty()"))
    if any(each and len(each) != len(lists[0]) for each in lists):
        raise RuntimeError(_EXPECTED.format(_SAME_LENGTH))


def _check_fits(tensor: Any, device: Any, dtype: Any) -> None:
    """Raises if a tensor is of another kind than those of the first list may have beside them."""
    if tensor is None or (tensor.device == device and tensor.dtype in (dtype, dtypes.bfloat16)):
        return
    if tensor.device.type != "cpu" or tensor.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(
            "Tensors of the same index must be on the same device and the same dtype except "
            "`step` tensors that can be CPU and float32/64, and optimizer states that can be "
            "bfloat16 for mixed-precision training"
        )


def _device_has_foreach_support(device: Any) -> bool:
    """Whether the functions of whole lists work on a device."""
    return device.type in [*_get_foreach_kernels_supported_devices(), "cpu"]


def _has_foreach_support(tensors: list[Tensor | None], device: Any) -> bool:
    """Whether the functions of whole lists take these tensors."""
    return _device_has_foreach_support(device) and all(
        each is None or type(each) in _foreach_supported_types for each in tensors
    )


__getattr__ = _names_of("torch.utils._foreach_utils")
