"""Work of NCCL: the handle of an operation that a stream does while the host goes on."""

from __future__ import annotations

import os
import time
from typing import Any

from minitorch.core import arrays
from minitorch.distributed.binding import seconds
from minitorch.distributed.errors import DistBackendError
from minitorch.distributed.work import Work
from minitorch.futures import Future

_LOOK = 0.001  # seconds between two looks of a host that waits


def current_stream() -> Any:
    """CuPy's current stream."""
    return arrays.cuda().cupy.cuda.get_current_stream()


def new_event() -> Any:
    """An event of CuPy's that measures no time, which is cheaper."""
    return arrays.cuda().cupy.cuda.Event(disable_timing=True)


def blocks_host() -> bool:
    """Whether waiting is the host's business, too: with TORCH_NCCL_BLOCKING_WAIT=1."""
    return os.environ.get("TORCH_NCCL_BLOCKING_WAIT", "0") == "1"


class DeviceFuture(Future[Any]):
    """A future of tensors that a stream computes, behind an event. As c10::ivalue::Future on CUDA.

    Args:
        event: behind the work.
        stream: on which callbacks run.
    """

    def __init__(self, event: Any, stream: Any) -> None:
        super().__init__()
        self._event, self._stream = event, stream
        self._drive = lambda: current_stream().wait_event(event)

    def then(self, callback: Any) -> Any:
        """A future of the result of `callback`, which runs at once on a stream that waits."""
        with self._stream:
            self._stream.wait_event(self._event)
            made = super().then(callback)
            later = DeviceFuture(self._stream.record(new_event()), self._stream)
        later._result = made._result
        return later


class NcclWork(Work):
    """An operation that was given to NCCL. As WorkNCCL of ProcessGroupNCCL.

    To wait for it makes the current stream wait. The tensors are kept until then: their memory may
    not be given to others while NCCL reads and writes it.

    Args:
        name: of the operation, as torch's texts have it: "ALLREDUCE".
        number: of the operation in its group.
        tensors: it reads.
        result: it writes.
        limit: how many seconds it may take.
        callbacks: the stream on which callbacks of its future run.
        is_barrier: whether the host waits, too.
    """

    def __init__(
        self,
        name: str,
        number: int,
        tensors: list[Any],
        result: list[Any],
        limit: float,
        callbacks: Any,
        is_barrier: bool = False,
    ) -> None:
        super().__init__(None, result)
        self.name, self.number, self.limit, self.is_barrier = name, number, limit, is_barrier
        self.keep: Any = [*tensors, *result]
        self.callbacks = callbacks
        self.began = time.monotonic()
        self.done: Any = None  # the event behind it, once it is on its stream
        self.error: BaseException | None = None
        self.counts = [sum(each.numel() for each in group) for group in (tensors, result)]

    def wait(self, timeout: Any = None) -> bool:
        """Makes the current stream wait; with a time limit, or after a barrier, the host waits.

        Raises:
            DistBackendError: it failed, or took longer than it may.
        """
        self.synchronize()
        limit = 0.0 if timeout is None else seconds(timeout)
        if limit or blocks_host():
            end = time.monotonic() + (limit or self.limit)
            while not self.is_completed():
                if time.monotonic() > end:
                    raise DistBackendError(f"{self} timed out in blocking wait.")
                time.sleep(_LOOK)
        elif self.is_barrier:
            current_stream().synchronize()
        if self.error is not None:
            raise self.error
        return True

    def synchronize(self) -> None:
        """Makes the current stream wait; within a block of operations there is nothing to wait for.

        As in torch, where the event is not recorded before the end of the block.
        """
        if self.done is not None:
            current_stream().wait_event(self.done)
            self.keep = None

    def limited(self, timeout: Any) -> Work:
        """This work, limited to `timeout`; None leaves the limit as it is."""
        if timeout is not None:
            self.limit = seconds(timeout)
        return self

    def is_completed(self) -> bool:
        """Whether the device is done with it."""
        return self.error is not None or (self.done is not None and bool(self.done.done))

    def is_success(self) -> bool:
        """Whether the device is done with it, and well."""
        return self.error is None and self.is_completed()

    def exception(self) -> BaseException | None:
        """The exception with which it failed; None if it did not."""
        return self.error

    def get_future(self) -> Any:
        """A future of the tensors that it writes, which is there: streams wait, the host does not.

        Callbacks run at once, on a stream that waits for the operation.
        """
        if self._future is None:
            if self.done is None:
                raise RuntimeError("get_future() before the end of a block of operations")
            self._future = DeviceFuture(self.done, self.callbacks)
            self._future.set_result(self._result)
        return self._future

    def __repr__(self) -> str:
        read, written = self.counts
        return (
            f"WorkNCCL(SeqNum={self.number}, OpType={self.name}, NumelIn={read}, "
            f"NumelOut={written}, Timeout(ms)={round(self.limit * 1000)})"
        )
