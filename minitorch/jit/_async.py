"""torch.jit._async: a call that runs apart, and the wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch import futures
from minitorch.jit._freeze import INSTEAD
from minitorch.jit._script import deprecated

__all__ = ["fork", "wait"]


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A future of a call, which is made at once."""
    deprecated("fork", INSTEAD)
    return futures.fork(func, *args, **kwargs)


def wait(future: Any) -> Any:
    """The value of a future."""
    deprecated("wait", INSTEAD)
    return futures.wait(future)
