"""torch.futures: values that are not there yet; imported when first asked for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, NoReturn, TypeVar

from minitorch.core.numbers.device import device

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class _Future:
    """A future, as torch._C.Future: completed once, with a value or with an exception."""

    __module__, __qualname__ = "torch", "Future"

    def __init__(self, devices: Any, /) -> None:
        if any(each.index is None for each in devices):
            raise ValueError(f"Expected devices to have indices, got {devices[0]}")
        self._completed = threading.Condition()
        self._result: tuple[Any, BaseException | None] | None = None
        self._callbacks: list[Callable[[Any], None]] = []
        # Called by a thread that waits, if that thread must do the work: messages between ranks;
        # also where it is done already: streams of a device wait then.
        self._drive: Callable[[], Any] | None = None

    def done(self) -> bool:
        """Whether it has a value or an exception."""
        return self._result is not None

    def wait(self) -> Any:
        """The value, as soon as there is one; or raises the exception."""
        if self._drive is not None:
            self._drive()
        with self._completed:
            self._completed.wait_for(self.done)
        return self.value()

    def value(self) -> Any:
        """The value of one that is done; or raises the exception."""
        if self._result is None:
            raise RuntimeError(
                "completed() INTERNAL ASSERT FAILED at "
                '"/__w/pytorch/pytorch/aten/src/ATen/core/ivalue_inl.h":1016, please report a bug '
                "to PyTorch. "
            )
        value, error = self._result
        if error is not None:
            raise error
        return value

    def then(self, callback: Callable[[Any], Any]) -> Any:
        """A future of the result of `callback` on this one, once this one is done."""
        if not callable(callback):
            raise TypeError("then(): incompatible function arguments.")
        result = _Future([])
        result._drive = self._drive

        def run(future: Any) -> None:
            try:
                value = callback(future)
            except Exception as error:
                kind = type(error).__name__
                text = f"Got the following error when running the callback: {kind}: {error}"
                result._complete(None, RuntimeError(text))
            else:
                result._complete(value)

        self.add_done_callback(run)
        return result

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Calls `callback` with this future once it is done, at once if it is."""
        with self._completed:
            if self._result is None:
                self._callbacks.append(callback)
                return
        self._call(callback)

    def _call(self, callback: Callable[[Any], None]) -> None:
        try:
            callback(self)
        except Exception as error:  # torch writes it into its log
            print(f"Got the following error when running the callback: {error!r}", file=sys.stderr)

    def set_result(self, result: Any) -> None:
        """Completes it with a value. RuntimeError if it is done."""
        self._complete(result)

    def _complete(self, value: Any, error: BaseException | None = None) -> None:
        with self._completed:
            if self._result is not None:
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future "
                    "can only be marked completed once."
                )
            self._result = value, error
            callbacks, self._callbacks = self._callbacks, []
            self._completed.notify_all()
        for each in callbacks:
            self._call(each)

    def __reduce__(self) -> NoReturn:
        raise RuntimeError("Can not pickle torch.futures.Future")


_Future.__name__ = "Future"


class Future(_Future, Generic[T]):
    """A value that is not there yet.

    As https://docs.pytorch.org/docs/stable/futures.html.
    """

    __module__ = "torch.jit"

    def __init__(self, *, devices: list[Any] | None = None) -> None:
        super().__init__([device(each) for each in devices or []])

    def set_exception(self, result: Any) -> None:
        """Completes it with an exception, which `wait` and `value` raise."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)


def collect_all(futures: Any) -> Any:
    """A future of the list of `futures`, completed once all are, or one has failed."""
    result, left = _Future([]), set(map(id, futures))
    drives = [each._drive for each in futures if each._drive is not None]
    if drives:
        result._drive = lambda: [drive() for drive in drives]

    def count(future: Any) -> None:
        left.discard(id(future))
        error = future._result[1]
        if not result.done() and (error is not None or not left):
            result._complete(list(futures), error)

    for each in futures:
        each.add_done_callback(count)
    if not futures:
        result.set_result([])
    return result


def wait_all(futures: Any) -> list[Any]:
    """The values of futures, once all are there; or raises the first exception."""
    return [each.wait() for each in collect_all(futures).wait()]


def fork(func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """A future of a call, which is made at once."""
    result = _Future([])
    result.set_result(func(*args, **kwargs))
    return result


def wait(future: Any, /) -> Any:
    """The value of a future."""
    if not isinstance(future, _Future):
        raise TypeError("wait(): incompatible function arguments.")
    return future.wait()
