"""Questions that torch.serialization asks while it saves and loads, for packages that ask them."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitorch import cuda
from minitorch.core.numbers.device import device
from minitorch.core.tensor.storage import NAMED

_ON_CPU_ONLY = (
    "If you are running on a CPU-only machine, please use torch.load with "
    "map_location=torch.device('cpu') to map your storages to the CPU."
)


@contextmanager
def mkdtemp() -> Iterator[str]:
    """A fresh folder for the duration of a `with` block."""
    with tempfile.TemporaryDirectory() as path:
        yield path


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True
) -> bool:
    """Whether the version of a module is at least the one asked for.

    Raises:
        RuntimeError: its version is no row of numbers; without `error_if_malformed` a warning says
            so, and the version counts as sufficient.
    """
    try:
        parts = module.__version__.split(".")
        own = tuple(type(wanted)(part) for wanted, part in zip(req_version_tuple, parts))
        if len(parts) < len(req_version_tuple):
            raise ValueError
    except Exception:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and "
            f"cannot be compared with tuple {req_version_tuple!s}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from None
        warnings.warn(f"{message}, but continuing assuming that requirement is met", stacklevel=2)
        return True
    return own >= tuple(req_version_tuple)


def normalize_storage_type(storage_type: Any) -> Any:
    """The name that torch itself has for the type of a storage: torch.FloatStorage."""
    return NAMED[storage_type.__name__]


def storage_to_tensor_type(storage: Any) -> Any:
    """The type of tensor that goes with the type of a storage, by its name."""
    from importlib import import_module

    kind = type(storage)
    name = kind.__name__.replace("Storage", "Tensor")
    home = import_module(f"mini{kind.__module__}" if kind.__module__ != "builtins" else "builtins")
    try:
        return getattr(home, name)
    except AttributeError:
        text = f"module '{kind.__module__}' has no attribute '{name}'"
        raise AttributeError(text) from None


def validate_cuda_device(location: Any) -> int:
    """The number of a CUDA device; RuntimeError with torch's text if it is not there."""
    place = device(location)
    if place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {location}")
    if not cuda.is_available():
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            f"False. {_ON_CPU_ONLY}"
        )
    count, index = cuda.device_count(), place.index or 0
    if index >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but "
            f"torch.cuda.device_count() is {count}. Please use torch.load with map_location to "
            "map your storages to an existing device."
        )
    return index


def validate_hpu_device(location: Any) -> Any:
    """Refuses: the devices of Habana need a package of their own."""
    raise RuntimeError(f"The HPU device module is not registered. {_ON_CPU_ONLY}")
