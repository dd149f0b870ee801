"""CheckpointException: what ranks raise together when one of them cannot save or load."""

from __future__ import annotations

import traceback
from typing import Any

__all__ = ["CheckpointException"]


def _wrap_exception(exc: BaseException) -> tuple[BaseException, Any]:
    """An exception with its traceback, as it crosses to other ranks."""
    summary = traceback.extract_tb(exc.__traceback__)
    for frame in summary:
        if hasattr(frame, "_code"):  # of Python 3.13, which cannot be pickled
            object.__setattr__(frame, "_code", None)
    return exc, summary


def _is_wrapped_exception(obj: Any) -> bool:
    """Whether an object is a result of _wrap_exception."""
    pair = isinstance(obj, tuple) and len(obj) == 2
    return pair and isinstance(obj[0], BaseException) and isinstance(obj[1], traceback.StackSummary)


class CheckpointException(BaseException):
    """Ranks that could not save or load, with what each of them raised.

    As torch.distributed.checkpoint.CheckpointException.
    """

    __module__ = "torch.distributed.checkpoint.api"

    def __init__(self, msg: str, failures: dict[int, Any]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, Any]:
        """The exception of each failed rank, and its traceback, by rank."""
        return self._failures

    def __reduce__(self) -> Any:
        return _again, self.args

    def __str__(self) -> str:
        text = f"CheckpointException ranks:{self._failures.keys()}\n"
        for rank, (error, trace) in self._failures.items():
            text += f"Traceback (most recent call last): (RANK {rank})\n"
            if trace is not None:
                text += "".join(traceback.format_list(trace))
            text += "".join(traceback.format_exception_only(type(error), value=error))
        return text


def _again(msg: str, failures: dict[int, Any]) -> CheckpointException:
    return CheckpointException(msg, failures)
