"""Errors of scripts as torch's interpreter tells them.

Torch runs a script in an interpreter of its own. Whatever an operator raises there leaves it as a
RuntimeError, an IndexError as well, and what the script itself raises as a torch.jit.Error.
"""

import traceback
from types import TracebackType
from typing import Any

from minitorch._public.questions import JITException

_OPENING = "The following operation failed in the TorchScript interpreter."


def interpreter_error(error: Exception) -> Exception:
    """The exception that leaves the interpreter in place of one that a script met.

    It is the same one if it left a script before, or says that minitorch lacks something.
    """
    if isinstance(error, NotImplementedError) or str(error).startswith(_OPENING):
        return error
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_own(frame)]
    lines = [_OPENING, "Traceback of TorchScript (most recent call last):"]
    for frame in frames:
        lines += [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}']
        lines += [f"{frame.line}", "~" * len(frame.line or "") + " <--- HERE"]
    last = _last(error.__traceback__)
    by_module = last.filename.startswith(_MODULES) and isinstance(
        error, (ValueError, AssertionError)
    )
    if _is_own(last) and not by_module:
        return RuntimeError("\n".join([*lines, f"RuntimeError: {error}"]))
    kind = type(error)
    return JITException("\n".join([*lines, f"{kind.__module__}.{kind.__qualname__}: {error}"]))


def _last(found: TracebackType | None) -> Any:
    """The frame that raised."""
    return traceback.extract_tb(found)[-1]


def _is_own(frame: Any) -> bool:
    """Whether a frame runs code of this package, which is no script's."""
    return frame.filename.startswith((_HERE, "<minitorch"))


_HERE = __file__.removesuffix("jit/_errors.py")
_MODULES = f"{_HERE}nn/"  # which torch writes in Python: its interpreter runs them as scripts
