"""torch.cpu: what torch.cuda says of devices, for the CPU, which is one and always there."""

from typing import Any as _Any

from minitorch._public.later import names_of as _names_of
from minitorch.cpu import amp

__all__ = (
    "Event Stream StreamContext current_device current_stream device_count get_capabilities "
    "is_available is_initialized set_device stream synchronize"
).split()


def is_available() -> bool:
    """Whether there is a CPU."""
    return True


def is_initialized() -> bool:
    """Whether it is ready."""
    return True


def device_count() -> int:
    """The number of CPU devices."""
    return 1


def current_device() -> str:
    """The current device."""
    return "cpu"


def set_device(device: _Any) -> None:
    """Makes another device the current one: there is none."""


def synchronize(device: _Any = None) -> None:
    """Waits until everything is done, as it always is."""


class Stream:
    """A queue of work on the CPU, where everything is done at once."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: _Any) -> None:
        """Waits for another stream, which has nothing left to do."""

    def record_event(self) -> None:
        """Does nothing: there is no progress to note."""

    def wait_event(self, event: _Any) -> None:
        """Waits for an event, which has happened."""


class Event:
    """A moment of a stream, which has passed."""

    def query(self) -> bool:
        """Whether it has passed."""
        return True

    def record(self, stream: _Any = None) -> None:
        """Makes it this moment."""

    def synchronize(self) -> None:
        """Waits for it."""

    def wait(self, stream: _Any = None) -> None:
        """Lets a stream wait for it."""


_streams = [Stream()]


def current_stream(device: _Any = None) -> Stream:
    """The stream in use."""
    return _streams[-1]


class StreamContext:
    """Uses another stream for the duration of a `with` block; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            _streams.append(self.stream)

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            _streams.pop()


def stream(stream: Stream | None) -> StreamContext:
    """Uses another stream for the duration of a `with` block."""
    return StreamContext(stream)


def _is_vnni_supported() -> bool:
    """Whether the processor adds up products of bytes in one instruction, as Linux tells."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return "avx512_vnni" in file.read().split()
    except OSError:
        return False


__getattr__ = _names_of("torch.cpu")
