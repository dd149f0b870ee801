"""torch.accelerator: the device beside the CPU, if there is one; here CUDA's."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch import cuda
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes

__all__ = (
    "Graph current_accelerator current_device_idx current_device_index current_stream "
    "device_count device_index empty_cache empty_host_cache get_device_capability get_memory_info "
    "is_available max_memory_allocated max_memory_reserved memory_allocated memory_reserved "
    "memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx "
    "set_device_index set_stream synchronize"
).split()

__path__: list[str] = []  # a package in torch, of whose modules there are outlines


def is_available() -> bool:
    """Whether there is an accelerator."""
    return cuda.is_available()


def device_count() -> int:
    """The number of the accelerator's devices."""
    return cuda.device_count()


def current_accelerator(check_available: bool = False) -> Any:
    """The accelerator's device, without an index; None if there is none."""
    return devices.located("cuda", None) if is_available() else None


def _check() -> None:
    """RuntimeError unless there is one."""
    if not is_available():
        raise RuntimeError("Cannot access accelerator device when none is available.")


def _check_named(device: Any) -> None:
    """RuntimeError for a device, or its name, that is no accelerator."""
    if isinstance(device, (str, devices.device)) and not is_available():
        raise RuntimeError("Accelerator expected")


def current_device_index() -> int:
    """The number of the current one."""
    _check()
    return cuda.current_device()


def set_device_index(device: Any, /) -> None:
    """Makes another one the current one."""
    _check()
    cuda.set_device(device)


class device_index:
    """Makes another one the current one for the duration of a `with` block."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            self.before = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *exception: object) -> None:
        if self.idx is not None:
            set_device_index(self.before)


def synchronize(device: Any = None, /) -> None:
    """Waits until everything on it is done."""
    _check_named(device)
    _check()
    cuda.synchronize(device)


def current_stream(device: Any = None, /) -> Any:
    """The stream in use on it."""
    _check()
    return cuda.current_stream(device)


def set_stream(stream: Any) -> None:
    """Uses another stream from now on."""
    _check()
    cuda.set_stream(stream)


def get_device_capability(device: Any = None, /) -> Any:
    """The capabilities of a device: the dtypes that tensors on it may have."""
    _check_named(device)
    _check()
    return {"supported_dtypes": {each for each in dtypes.DTYPES if each is not dtypes.bfloat16}}


def empty_cache() -> None:
    """Gives memory that is held but not in use back to it."""
    _check()
    cuda.empty_cache()


def empty_host_cache() -> None:
    """Gives memory of the host that is locked for it but not in use back to the system."""
    _check()


class Graph:
    """Work on it that is recorded once and run again. RuntimeError where there is none.

    keep_graph: whether the record stays after it is made ready.  pool: the memory it uses.
    capture_error_mode: which other work is refused meanwhile.
    """

    __module__ = "torch.accelerator.graphs"

    def __init__(
        self,
        keep_graph: bool = False,
        *,
        pool: Any = None,
        capture_error_mode: str = "default",
    ) -> None:
        _check()
        raise NotImplementedError("torch.accelerator.Graph is not implemented by minitorch")


def get_memory_info(device_index: Any = None, /) -> tuple[int, int]:
    """The free and the whole memory of a device, in bytes."""
    _check()
    return cuda.mem_get_info(device_index)


def memory_stats(device_index: Any = None, /) -> Any:
    """The account of its allocator by name."""
    _check()
    return cuda.memory_stats(device_index)


def memory_allocated(device_index: Any = None, /) -> int:
    """The bytes that tensors on it occupy."""
    _check()
    return cuda.memory_allocated(device_index)


def max_memory_allocated(device_index: Any = None, /) -> int:
    """The most bytes that tensors on it occupied at once."""
    _check()
    return cuda.max_memory_allocated(device_index)


def memory_reserved(device_index: Any = None, /) -> int:
    """The bytes held on it, in use or not."""
    _check()
    return cuda.memory_reserved(device_index)


def max_memory_reserved(device_index: Any = None, /) -> int:
    """The most bytes held on it at once."""
    _check()
    return cuda.max_memory_reserved(device_index)


def reset_accumulated_memory_stats(device_index: Any = None, /) -> None:
    """Begins the account of sums anew."""
    _check()
    cuda.reset_accumulated_memory_stats(device_index)


def reset_peak_memory_stats(device_index: Any = None, /) -> None:
    """Begins the account of peaks anew."""
    _check()
    cuda.reset_peak_memory_stats(device_index)


def _renamed(new: str) -> None:
    warnings.warn(f"Use `{new}` instead.", FutureWarning, stacklevel=3)


def current_device_idx() -> int:
    """current_device_index by its old name."""
    _renamed("current_device_index")
    return current_device_index()


def set_device_idx(device: Any, /) -> None:
    """set_device_index by its old name."""
    _renamed("set_device_index")
    set_device_index(device)


# ---- torch.Stream and torch.Event of the CPU, where all is done in order and at once

_KINDS = {"cpu": 0, "cuda": 1, "meta": 14}


class _Timeless:
    """Something on a device on which nothing waits."""

    __module__ = "torch"

    def __init__(self, device: Any = None) -> None:
        self.device = devices.device("cpu" if device is None else device)
        if self.device.type == "cuda":
            raise RuntimeError("PyTorch is not linked with support for cuda devices")

    def query(self) -> bool:
        """Whether all is done: it is."""
        return True

    def synchronize(self) -> None:
        """Waits until all is done."""

    def _refuse(self) -> Any:
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

    def record_event(self, event: Any = None) -> Any:
        """Refuses: there are no events."""
        self._refuse()

    def wait_event(self, event: Any) -> None:
        """Waits for an event."""

    def wait_stream(self, stream: Any) -> Any:
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
        self._timed = enable_timing

    def elapsed_time(self, end_event: Any, /) -> float:
        """Refuses: no event is ever recorded. ValueError, RuntimeError as in torch."""
        if not isinstance(end_event, Event):
            raise RuntimeError("expected other to be a torch.Event object")
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def record(self, stream: Any = None) -> Any:
        """Refuses: there are no events."""
        self._refuse()

    def wait(self, stream: Any = None) -> None:
        """Waits for it."""

    def __repr__(self) -> str:
        return f"{super().__repr__()}, event_flag={int(self._timed)}, event_id=0"
