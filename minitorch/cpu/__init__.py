"""torch.cpu: what torch.cuda says of devices, for the CPU, which is one and always there."""

from typing import Any as _Any

from minitorch.cpu import amp

__all__ = ["amp", "current_device", "device_count", "is_available", "is_initialized", "synchronize"]


def is_available() -> bool:
    """Whether there is a CPU."""
    return True


def is_initialized() -> bool:
    """Whether it is ready."""
    return True


def device_count() -> int:
    """How many CPU devices there are."""
    return 1


def current_device() -> str:
    """The current device."""
    return "cpu"


def set_device(device: _Any) -> None:
    """Makes another device the current one: there is none."""


def synchronize(device: _Any = None) -> None:
    """Waits until everything is done, as it always is."""


def __getattr__(name: str) -> _Any:
    from minitorch.namespace import missing

    return missing("torch.cpu", name)
