"""torch._guards: what a compiler notes while it traces. None traces here, as each answer says."""

from __future__ import annotations

from typing import Any

from minitorch import outlines


def active_fake_mode() -> None:
    """The mode in which tensors are fake: none."""


def detect_fake_mode(inputs: Any = None) -> None:
    """The mode that fake tensors among `inputs` have: none of these can be made."""


class TracingContext:
    """What is noted of a function while it is traced: none can be made."""

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
    """What is noted of a compilation: none can be made."""

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
