"""Rarely asked questions about tensors, and about how torch was built."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import minitorch
from minitorch.core.declare.expose import refusing as _refusing
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.device import AcceleratorError as AcceleratorError
from minitorch.core.numbers.device import OutOfMemoryError as OutOfMemoryError
from minitorch.core.numbers.scalars import fitted
from minitorch.core.tensor.conversion import has_memory_of_a_kind

# As torch's own wheels are built: there is linear algebra, there are Fourier transforms.
has_lapack = has_mkl = has_openmp = has_spectral = True
TYPE_CHECKING = USE_RTLD_GLOBAL_WITH_LIBTORCH = False
USE_GLOBAL_DEPS = True
PRIVATE_OPS = ("unique_dim",)


class FatalError(Exception):
    """The world is broken: what torch's own checks of its insides say."""

    __module__ = "torch"


class JITException(Exception):
    """Something went wrong in a compiled program: never here."""

    __module__, __qualname__ = "torch.jit", "Error"


class _ClassPropertyDescriptor:
    __module__ = "torch._utils"

    def __init__(self, fget: Any) -> None:
        self.fget = fget

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.fget(owner)


def classproperty(func: Any) -> Any:
    """A property of a class: the function is called with the class."""
    return _ClassPropertyDescriptor(func)


def cudnn_is_acceptable(input: Any) -> bool:
    """Whether cuDNN computes with a tensor: never."""
    return input.numel() < 0


def init_num_threads(*args: Any) -> None:
    """Prepares a thread for torch's kernels: there is nothing to prepare."""
    if args:
        given = ", ".join(map(repr, args))
        raise TypeError(
            "init_num_threads(): incompatible function arguments. The following argument types are "
            f"supported:\n    1. () -> None\n\nInvoked with: {given}"
        )


_MOST = (1 << 63) - 1


def sym_constrain_range(size: Any, *, min: Any = None, max: Any = None) -> None:
    """Refuses a number outside a range."""
    size = fitted(size, minitorch.int64)
    low, high = -_MOST - 1 if min is None else min, _MOST if max is None else max
    if high < low:
        raise RuntimeError(f"Max must be greater than or equal to min. Got min={low} max={high}")
    if not low <= size <= high:
        raise RuntimeError(f"Invalid value range for {size} between [{low}, {high}].")


def sym_constrain_range_for_size(size: Any, *, min: Any = None, max: Any = None) -> None:
    """Refuses a size outside a range, and a range that ends at 2 or below."""
    if max is not None and max <= 2:
        raise RuntimeError(
            f"Max value to constrain_range_for_size must be greater than 2. got: {max}"
        )
    sym_constrain_range(size, min=0 if min is None else min, max=max)


def sym_fresh_size(expr: Any) -> Any:
    """A number itself: only compilers have sizes that are not known yet."""
    return minitorch.tensor(expr).item()


def profiler_allow_cudagraph_cupti_lazy_reinit_cuda12() -> bool:
    """Whether torch's profiler may start anew where graphs of CUDA are in use, as in its wheels."""
    return True


def compiled_with_cxx11_abi() -> bool:
    """True, as everywhere today."""
    return True


def is_vulkan_available(*_: Any, **__: Any) -> bool:
    """Whether there is a Vulkan device: never. Arguments are ignored, as torch does."""
    return False


def get_device(input: Any) -> int:
    """The number of the device of a tensor; -1 for the CPU."""
    return input.get_device()


def is_signed(input: Any) -> bool:
    """Whether the dtype of a tensor has negative numbers."""
    return input.is_signed()


def is_inference(input: Any) -> bool:
    """Whether a tensor was made in inference mode."""
    return input.is_inference()


def _has_compatible_shallow_copy_type(input: Any, from_: Any, /) -> bool:
    """Whether `.data` of one tensor can be another tensor."""
    return has_memory_of_a_kind(input, from_)


def is_same_size(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape."""
    return input.is_same_size(other)


def is_distributed(input: Any) -> bool:
    """Whether a tensor lies on several machines: never."""
    return input.numel() < 0


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


def thread_safe_generator() -> Any:
    """The generator of a worker thread of a DataLoader: outside of one there is none."""
    return None


def get_file_path(*path_components: str) -> str:
    """A path within the folder that holds this package."""
    package = os.path.dirname(os.path.dirname(__file__))
    return os.path.join(os.path.dirname(package), *path_components)


def prepare_multiprocessing_environment(path: str) -> None:
    """Does nothing, as in torch's own wheels."""


for _name in (
    "cudnn_is_acceptable",
    "get_device",
    "is_distributed",
    "is_inference",
    "is_same_size",
    "is_signed",
    "sym_constrain_range",
    "sym_constrain_range_for_size",
):
    globals()[_name] = _refusing(f"torch.{_name}", globals()[_name])
    _asked_for("torch", {_name: globals()[_name]})
