"""The iterators over data pipes: one of them at a time is valid, and errors name their pipe."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import wraps
from inspect import getmembers, isgeneratorfunction, signature
from typing import Any


class _SnapshotState(Enum):
    """The state of a pipe: not begun, restored, or under way."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


def watch_iterators(cls: Any) -> None:
    """Wraps the `__iter__` that a class of pipes defines itself."""
    define = vars(cls).get("__iter__")
    if define is None:
        return

    @wraps(define)
    def __iter__(*args: Any, **kwargs: Any) -> Any:
        pipe = args[0]
        found = define(*args, **kwargs)
        if isgeneratorfunction(define):
            return _generated(pipe, found)
        return IteratorDecorator(found, pipe, _begin(pipe))

    cls.__iter__ = __iter__


def _begin(pipe: Any) -> int:
    """Makes the present iterators of a pipe invalid, resets it, and returns a new one's number."""
    number = 0 if pipe._valid_iterator_id is None else pipe._valid_iterator_id + 1
    pipe._valid_iterator_id = number
    pipe._number_of_samples_yielded = 0
    pipe._fast_forward_iterator = None
    pipe.reset()
    pipe._snapshot_state = _SnapshotState.Iterating
    return number


def _check(pipe: Any, number: int) -> None:
    if number == pipe._valid_iterator_id:
        return
    raise RuntimeError(
        "This iterator has been invalidated because another iterator has been created from the "
        f"same IterDataPipe: {_described(pipe)}\n{_ONE_ITERATOR}"
    )


_ONE_ITERATOR = (
    "This may be caused by multiple references to the same IterDataPipe. "
    "We recommend using `.fork()` if that is necessary.\n"
    "For feedback regarding this single iterator per IterDataPipe constraint, "
    "feel free to comment on this issue: https://github.com/pytorch/data/issues/45."
)


def _described(pipe: Any) -> str:
    """A pipe as the call that made it, as far as it keeps its arguments as attributes."""
    taken = signature(type(pipe)).parameters
    shown = (
        f"{name}={type(value).__name__ if hasattr(value, '_valid_iterator_id') else value}"
        for name, value in getmembers(pipe)
        if name in taken
    )
    return f"{type(pipe).__name__}({', '.join(shown)})"


def _generated(pipe: Any, generator: Any) -> Iterator[Any]:
    """Items of a generator function. It becomes the valid iterator with its first step."""
    number = _begin(pipe)
    try:
        item = next(generator)
        while True:
            pipe._number_of_samples_yielded += 1
            request = yield item
            _check(pipe, number)
            item = generator.send(request)
    except StopIteration:
        return
    except Exception as error:
        if error.args and isinstance(error.args[0], str) and _ONE_ITERATOR not in error.args[0]:
            text = f"{error.args[0]}\nThis exception is thrown by __iter__ of {_described(pipe)}"
            error.args = (text, *error.args[1:])
        raise
    finally:
        generator.close()


class IteratorDecorator:
    """Items of the iterator that a pipe's `__iter__` returns, which may be the pipe itself."""

    def __init__(self, iterator: Any, pipe: Any, number: int) -> None:
        self.iterator = iterator
        self.source_dp = pipe
        self.iterator_id = number

    def __iter__(self) -> IteratorDecorator:
        return self

    def __next__(self) -> Any:
        _check(self.source_dp, self.iterator_id)
        item = next(self.iterator)
        self.source_dp._number_of_samples_yielded += 1
        return item

    def __getattr__(self, name: str) -> Any:
        return getattr(self.iterator, name)
