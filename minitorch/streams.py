"""torch.Stream and torch.Event of the CPU, where everything is done in order and at once."""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.core.numbers.device import device as _device

_KINDS = {"cpu": 0, "cuda": 1, "meta": 14}


class _Timeless:
    """Something on a device on which nothing waits."""

    __module__ = "torch"

    def __init__(self, device: Any = None) -> None:
        self.device = _device("cpu" if device is None else device)
        if self.device.type == "cuda":
            raise RuntimeError("PyTorch is not linked with support for cuda devices")

    def query(self) -> bool:
        """Whether all is done: it is."""
        return True

    def synchronize(self) -> None:
        """Waits until all is done."""

    def _refuse(self) -> NoReturn:
        raise RuntimeError(f"{self.device.type} backend doesn't support events.")

    def __repr__(self) -> str:
        return f"torch.{type(self).__name__} device_type={self.device.type}, device_index=-1"


class Stream(_Timeless):
    """A queue of work."""

    __module__ = "torch"
    stream_id = 0
    device_index = -1

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        super().__init__(device)

    @property
    def device_type(self) -> int:
        """The number of its kind of device."""
        return _KINDS[self.device.type]

    def record_event(self, event: Any = None) -> NoReturn:
        """Refuses: there are no events."""
        self._refuse()

    def wait_event(self, event: Any) -> None:
        """Waits for an event."""

    def wait_stream(self, stream: Any) -> NoReturn:
        """Refuses: there are no events."""
        self._refuse()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"{super().__repr__()}, stream_id=0"


class Event(_Timeless):
    """A moment in a queue of work."""

    __module__ = "torch"
    event_id = 0

    def __init__(
        self,
        device: Any = None,
        *,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
    ) -> None:
        super().__init__(device)

    def record(self, stream: Any = None) -> NoReturn:
        """Refuses: there are no events."""
        self._refuse()

    def wait(self, stream: Any = None) -> None:
        """Waits for it."""

    def __repr__(self) -> str:
        return f"{super().__repr__()}, event_flag=0, event_id=0"
