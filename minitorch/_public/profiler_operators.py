"""The operators of torch.profiler.record_function, which modes see: torch.ops.profiler."""

from __future__ import annotations

from typing import Any

from minitorch._public.custom_operators import OPERATORS, Operator, define
from minitorch.autograd.profiler import timed_block

_CLASS = "__torch__.torch.classes.profiler._RecordFunction"


class ScriptObject:
    """The handle of a block that is being timed."""

    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self._block = timed_block(name).__enter__()

    def __repr__(self) -> str:
        return f"ScriptObject <{_CLASS}>"


def _enter(name: str, args: str | None = None) -> ScriptObject:
    return ScriptObject(name)


def _exit(handle: ScriptObject) -> None:
    handle._block.__exit__()


def _defined(text: str, kernel: Any) -> None:
    operator = Operator("profiler", text)
    operator.put_kernel("CompositeExplicitAutograd", kernel)
    define(operator)


if ("profiler", "_record_function_enter_new") not in OPERATORS:
    _defined(f"_record_function_enter_new(str name, str? args=None) -> {_CLASS}", _enter)
    _defined(f"_record_function_exit._RecordFunction({_CLASS} _0) -> ()", _exit)
