"""torch.utils._device: the default device as a mode, and as a decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.aten.creation.default_device import DeviceContext as DeviceContext
from minitorch.core.numbers import device as devices
from minitorch.utils._contextlib import context_decorator


def __getattr__(name: str) -> Any:
    if name == "CURRENT_DEVICE":  # torch rebinds it as blocks begin and end
        return devices.chosen()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def device_decorator(device: Any, func: Any) -> Any:
    """A function whose tensors are made on a device."""
    return context_decorator(lambda: device, func)


def set_device(device: Any) -> Callable[[Any], Any]:
    """A decorator for functions whose tensors are made on a device."""
    return lambda func: device_decorator(devices.device(device), func)
