"""torch.cuda's streams and events, which are CuPy's."""

from __future__ import annotations

from typing import Any

from minitorch._public import outlines
from minitorch.cuda import _cupy

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_stream",
    "default_stream",
    "get_arch_list",
    "get_gencode_flags",
    "is_tf32_supported",
    "set_stream",
    "stream",
]


class Event:
    """A moment on a stream. RuntimeError with torch's text without CUDA."""

    __module__ = "torch.cuda.streams"

    def __init__(
        self,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,
    ) -> None:
        try:
            cupy = _cupy()
        except AssertionError:
            raise RuntimeError("Tried to instantiate dummy base class Event") from None
        self.event = cupy.cuda.Event(blocking, not enable_timing, interprocess)

    def record(self, stream: Any = None) -> None:
        """Makes it this moment of a stream."""
        self.event.record(None if stream is None else stream.stream)

    def wait(self, stream: Any = None) -> None:
        """Lets a stream wait for it."""
        (current_stream() if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        """Whether it has passed."""
        return bool(self.event.done)

    def synchronize(self) -> None:
        """Waits for it."""
        self.event.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """The milliseconds from this moment to another one."""
        return float(_cupy().cuda.get_elapsed_time(self.event, end_event.event))


class Stream:
    """A queue of work that a device does in order. RuntimeError with torch's text without CUDA."""

    __module__ = "torch.cuda.streams"

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        stream = kwargs.get("stream")
        if stream is None:
            try:
                stream = _cupy().cuda.Stream(non_blocking=True)
            except AssertionError:
                raise RuntimeError("torch.cuda.Stream requires CUDA support") from None
        self.stream = stream

    def wait_event(self, event: Event) -> None:
        """Waits for an event."""
        self.stream.wait_event(event.event)

    def wait_stream(self, stream: Stream) -> None:
        """Waits for the work that another stream has been given so far."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Notes how far it has come."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """Whether it has nothing left to do."""
        return bool(self.stream.done)

    def synchronize(self) -> None:
        """Waits until it has nothing left to do."""
        self.stream.synchronize()


def current_stream(device: Any = None) -> Stream:
    """The stream in use."""
    return Stream(stream=_cupy().cuda.get_current_stream())


def default_stream(device: Any = None) -> Stream:
    """The stream of a device that is used where none is named."""
    return Stream(stream=_cupy().cuda.Stream.null)


def set_stream(stream: Stream | None) -> None:
    """Uses another stream from now on; None changes nothing."""
    if stream is not None:
        stream.stream.use()


class StreamContext:
    """Uses another stream for the duration of a `with` block; None changes nothing."""

    __module__ = "torch.cuda"

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.stream.__enter__()

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            self.stream.stream.__exit__(*exception)


def stream(stream: Stream | None) -> StreamContext:
    """Uses another stream for the duration of a `with` block."""
    return StreamContext(stream)


def get_arch_list() -> list[str]:
    """The architectures that kernels were built for: CuPy builds them as they are needed."""
    return []


def get_gencode_flags() -> str:
    """The compiler's flags for them: none."""
    return ""


def is_tf32_supported() -> bool:
    """Whether matrix products may round to TensorFloat32: they never do."""
    return False


__getattr__, __dir__ = outlines.rest_of("torch.cuda.streams")
