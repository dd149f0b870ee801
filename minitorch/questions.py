"""What torch says of tensors and of how it was built, where few programs ask."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import minitorch
from minitorch.core.numbers import device as devices

# As torch's own wheels are built: there is linear algebra, there are Fourier transforms.
has_lapack = has_mkl = has_openmp = has_spectral = True


class OutOfMemoryError(RuntimeError):
    """An accelerator has no memory left."""

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """Something went wrong on an accelerator."""

    __module__ = "torch"


def compiled_with_cxx11_abi() -> bool:
    """True, as everywhere today."""
    return True


def is_vulkan_available() -> bool:
    """Whether there is a Vulkan device: never."""
    return False


def get_device(input: Any) -> int:
    """The number of the device of a tensor; -1 for the CPU."""
    return input.get_device()  # type: ignore[no-any-return]


def is_signed(input: Any) -> bool:
    """Whether the dtype of a tensor has negative numbers."""
    return input.is_signed()  # type: ignore[no-any-return]


def is_inference(input: Any) -> bool:
    """Whether a tensor was made in inference mode."""
    return input.is_inference()  # type: ignore[no-any-return]


def is_same_size(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape."""
    return input.is_same_size(other)  # type: ignore[no-any-return]


def is_distributed(input: Any) -> bool:
    """Whether a tensor lies on several machines: never."""
    return False


def get_device_module(device: Any = None) -> ModuleType:
    """The module for a kind of device: torch.cpu, torch.cuda."""
    if device is None:
        kind = "cuda" if minitorch.cuda.is_available() else "cpu"
    else:
        kind = devices.device(device).type
    module = getattr(minitorch, kind, None)
    if not isinstance(module, ModuleType):
        raise RuntimeError(f"Invalid device string: '{device}', make sure it is correct")
    return module


def set_num_interop_threads(num: int) -> None:
    """Sets how many operators may run at once: there is one at a time."""
    if num <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def thread_safe_generator() -> Any:
    """The generator of a worker thread of a DataLoader: outside of one there is none."""
    return None
