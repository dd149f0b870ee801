"""Work: the handle of an operation that was started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from minitorch.distributed.binding import seconds
from minitorch.distributed.engine import ENGINE, Operation
from minitorch.futures import Future

_NO_SOURCE = (
    "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any "
    "call."
)


class Work:
    """An operation that was started. As torch.distributed.Work.

    Args:
        operation: of the engine.
        result: the tensors that it writes; None where torch says of none.
        source: returns the rank that a message came from; None for other operations.
    """

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(
        self, operation: Any = None, result: list[Any] | None = None, source: Any = None
    ) -> None:
        self._operation, self._result, self._source = operation, result, source
        self._future: Any = None

    def wait(self, timeout: Any = None) -> bool:
        """Returns as soon as the operation is done.

        Raises:
            RuntimeError: it failed, a rank is gone, or it took longer than it may.
        """
        operation = self._operation
        if not operation.done:
            given = 0.0 if timeout is None else seconds(timeout)
            ENGINE.drive(operation, given or operation.limit)
        if operation.error is not None:
            raise operation.error
        return True

    def limited(self, timeout: Any) -> Work:
        """This work, limited to `timeout`; None leaves the limit as it is."""
        if timeout is not None:
            self._operation.limit = seconds(timeout)
        return self

    def synchronize(self) -> None:
        """Waits: on the CPU there is no other way to synchronize."""
        self.wait()

    def is_completed(self) -> bool:
        """Whether the operation is done."""
        return self._operation.done

    def is_success(self) -> bool:
        """Whether the operation is done, and well."""
        return self._operation.done and self._operation.error is None

    def exception(self) -> BaseException | None:
        """The exception with which the operation failed; None if it did not."""
        return self._operation.error

    def result(self) -> list[Any]:
        """The tensors that it wrote. RuntimeError for operations that have none."""
        if self._result is None:
            raise RuntimeError("result() not implemented.")
        return self._result

    def get_future(self) -> Any:
        """A future of the tensors that it writes. RuntimeError for operations that have none."""
        if self._result is None:
            raise RuntimeError("Work::getFuture not implemented.")
        if self._future is None:
            self._future = Future()
            self._future._drive = self._go_on
            with ENGINE.lock:
                done = self._operation.done
                if not done:
                    self._operation.on_done.append(self._complete)
            if done:
                self._complete()
        return self._future

    def _go_on(self) -> None:
        """Works on the operation until it is done; its future has the error if it fails."""
        if not self._operation.done:
            ENGINE.drive(self._operation, self._operation.limit)

    def _complete(self) -> None:
        if self._operation.error is None:
            self._future.set_result(self._result)
        else:
            self._future.set_exception(self._operation.error)

    def get_future_result(self) -> NoReturn:
        """Refuses, as gloo does."""
        raise RuntimeError("Work::getFutureResult not implemented.")

    def _get_duration(self) -> NoReturn:
        raise RuntimeError("This Backend doesn't support getDuration.")

    def source_rank(self) -> int:
        """The rank that the message came from. RuntimeError for other operations."""
        if self._source is None:
            raise RuntimeError(_NO_SOURCE)
        return self._source()

    _source_rank = source_rank


def started(
    steps: Iterator[Any],
    keep: Any,
    name: str,
    limit: float,
    result: list[Any] | None = None,
    source: Any = None,
) -> Work:
    """Starts an operation of the engine; its handle."""
    operation = ENGINE.submit(Operation(steps, keep, name, limit))
    if not operation.done:
        ENGINE.leave_alone()
    return Work(operation, result, source)
