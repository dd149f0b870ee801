"""torch.accelerator: the device beside the CPU, of whatever kind; here CUDA's or none."""

from __future__ import annotations

from typing import Any

from minitorch import cuda
from minitorch.core.numbers import device as devices


def is_available() -> bool:
    """Whether there is an accelerator."""
    return cuda.is_available()


def device_count() -> int:
    """How many there are."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> Any:
    """Its device, without an index; None where there is none."""
    return devices.located("cuda", None) if is_available() else None


def current_device_index() -> int:
    """The number of the current one."""
    return cuda.current_device()


def set_device_index(device: Any, /) -> None:
    """Makes another one the current one."""
    cuda.set_device(device)


def synchronize(device: Any = None, /) -> None:
    """Waits until everything on it is done."""
    cuda.synchronize(device)
