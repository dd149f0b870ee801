"""The operators of torch.profiler.record_function, which modes see: torch.ops.profiler."""

from __future__ import annotations

from typing import Any

from minitorch._public.custom_operators import OPERATORS, Operator, define
from minitorch.autograd.profiler import timed_block
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers.dtype import uint8
from minitorch.core.tensor.tensor import Tensor

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


def _exit(record: ScriptObject) -> None:
    record._block.__exit__()


# The blocks of handles that are tensors, by the address of their memory, which copies do not share.
_BLOCKS: dict[int, Any] = {}


def _enter_by_tensor(name: str, args: str | None = None) -> Tensor:
    """Begins a block. Returns its handle, bytes that mean nothing, as torch's do."""
    handle = OPS.zeros(8, dtype=uint8)
    _BLOCKS[handle.data_ptr()] = handle, timed_block(name).__enter__()
    return handle


def _exit_by_tensor(handle: Tensor) -> None:
    _, block = _BLOCKS.pop(handle.data_ptr(), (None, None))
    if block is not None:  # a block ends once
        block.__exit__()


def _defined(text: str, kernel: Any) -> None:
    operator = Operator("profiler", text)
    operator.put_kernel("CompositeExplicitAutograd", kernel)
    define(operator)


if ("profiler", "_record_function_enter_new") not in OPERATORS:
    _defined(f"_record_function_enter_new(str name, str? args=None) -> {_CLASS}", _enter)
    _defined("_record_function_enter(str name, str? args=None) -> Tensor", _enter_by_tensor)
    _defined("_record_function_exit(Tensor handle) -> ()", _exit_by_tensor)
    _defined(f"_record_function_exit._RecordFunction({_CLASS} record) -> ()", _exit)
