"""torch._guards: what a compiler notes while it traces. None traces here."""

from __future__ import annotations

import sys
from typing import Any

from minitorch._public import outlines
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.utils._pytree import tree_leaves


def active_fake_mode() -> Any:
    """The innermost mode in which tensors are fake; None if there is none."""
    fakes = sys.modules.get("minitorch._subclasses.fake_tensor")
    stack = reversed(STACK.get()) if fakes is not None else ()
    return next((mode for mode in stack if isinstance(mode, fakes.FakeTensorMode)), None)


def detect_fake_mode(inputs: Any = None) -> Any:
    """The mode of fake tensors among `inputs`, else the one that is active; None without either."""
    fakes = sys.modules.get("minitorch._subclasses.fake_tensor")
    if fakes is None:
        return None
    found = [fakes.maybe_get_fake_mode(each) for each in tree_leaves(inputs)]
    return next((mode for mode in found if mode is not None), active_fake_mode())


class TracingContext:
    """The context of a traced function: none can be made."""

    def __init__(self, fake_mode: Any) -> None:
        raise NotImplementedError("torch._guards.TracingContext is not implemented by minitorch")

    @staticmethod
    def try_get() -> None:
        """The context of the function that is being traced: none."""

    @staticmethod
    def get() -> Any:
        """The context of the function that is being traced. RuntimeError: none is."""
        raise RuntimeError(
            "TracingContext.get() must be called within an ongoing trace.",
        )


class CompileContext:
    """The context of a compilation: none can be made."""

    def __init__(self, compile_id: Any) -> None:
        raise NotImplementedError("torch._guards.CompileContext is not implemented by minitorch")

    @staticmethod
    def try_get() -> None:
        """The context of the compilation that runs: none."""

    @staticmethod
    def current_compile_id() -> None:
        """The number of the compilation that runs: none."""

    @staticmethod
    def current_trace_id() -> None:
        """The number of the trace that runs: none."""


__getattr__, __dir__ = outlines.rest_of("torch._guards")
