"""Calls of operators below autograd, as a __torch_dispatch__ sees them.

A mode sees an operator with the arguments of its schema: by place, without those at the end that
are defaults; by name only what the schema names, if it is no default. What the mode computes with
the operator itself, on the same arguments, is the call that waits, with its graph; what it returns
instead gets the node that the call would have made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch.core.declare.recording import record_outputs
from minitorch.core.declare.row import Row
from minitorch.core.declare.tangents import bind
from minitorch.core.graph.modes import GradMode, recording
from minitorch.core.numbers.size import Size
from minitorch.core.tensor.base import TensorBase

STACK: ContextVar[tuple[Any, ...]] = ContextVar("dispatch_modes", default=())
WAITING: ContextVar[Waiting | None] = ContextVar("waiting_call", default=None)


class Call:
    """An operator with its arguments.

    op: the overload of torch.ops. row: its row, None for a function made of others.
    compute: what computes it, on `given` and `named`. args, kwargs: what a mode is shown.
    """

    __slots__ = ("args", "compute", "given", "kwargs", "named", "op", "row")

    def __init__(
        self, op: Any, row: Row | None, compute: Callable[..., Any], given: Any, named: Any
    ) -> None:
        self.op, self.row, self.compute = op, row, compute
        self.given, self.named = given, named
        self.args, self.kwargs = given, named

    def run(self, modes: tuple[Any, ...]) -> Any:
        """The result, which the innermost of `modes` sees first."""
        if not modes:
            return self.compute(*self.given, **self.named)
        waiting = Waiting(self, modes[:-1], recording())
        stack, call = STACK.set(modes[:-1]), WAITING.set(waiting)
        try:
            with GradMode(False):
                result = modes[-1].__torch_dispatch__(self.op, (), self.args, self.kwargs)
        finally:
            WAITING.reset(call)
            STACK.reset(stack)
        return result if _is_same(result, waiting.result) else self._recorded(result)

    def _recorded(self, result: Any) -> Any:
        """A result that the mode made, with the node of this call."""
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        fresh = [x for x in results if isinstance(x, TensorBase) and x._edge is None]
        row = self.row
        if row is None or row.schema.is_view or self.op._opname != row.name or not fresh:
            return result
        if len(fresh) == len(results):
            record_outputs(row, bind(row, self.given, self.named), results)
        return result


class Waiting:
    """A call that a mode is shown, until the mode makes it."""

    __slots__ = ("call", "modes", "records", "result")

    def __init__(self, call: Call, modes: tuple[Any, ...], records: bool) -> None:
        self.call, self.modes, self.records = call, modes, records
        self.result: Any = None

    def is_for(self, op: Any, args: Any, kwargs: Any) -> bool:
        """Whether somebody makes this very call."""
        call = self.call
        return (
            self.result is None
            and op is call.op
            and len(args) == len(call.args)
            and all(map(_is_same, args, call.args))
            and kwargs.keys() == call.kwargs.keys()
            and all([_is_same(value, call.kwargs[name]) for name, value in kwargs.items()])
        )

    def make(self) -> Any:
        """Makes the call."""
        token = WAITING.set(None)
        try:
            with GradMode(self.records):
                self.result = self.call.run(self.modes)
        finally:
            WAITING.reset(token)
        return self.result


def _is_same(x: Any, y: Any) -> bool:
    if x is y:
        return True
    if isinstance(x, TensorBase) or isinstance(y, TensorBase):
        return False
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return len(x) == len(y) and all(map(_is_same, x, y))
    return type(x) is type(y) and bool(x == y)


def in_schema_order(row: Row, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call as a mode sees them."""
    bound = bind(row, args, kwargs)
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    wanted = 0
    for each in row.schema.arguments:
        if each.name not in bound:
            continue
        value = _plain(bound[each.name], each.type)
        default = each.default is not None and _is_same(
            value, _plain(eval(each.default), each.type)
        )
        if not each.keyword_only:
            by_place.append(value)
            wanted = wanted if default else len(by_place)
        elif not default:
            by_name[each.name] = value
    return tuple(by_place[:wanted]), by_name


def _plain(value: Any, kind: str) -> Any:
    """A value as C++ hands it to Python: lists for tuples, and the number that is kept as a tensor
    for a formula."""
    if isinstance(value, TensorBase) and value._number is not None:
        return value._number
    if isinstance(value, (tuple, Size)) or (isinstance(value, list) and "[" in kind):
        return list(value)
    if kind == "float" and type(value) is int:
        return float(value)
    if "[" in kind and "Tensor" not in kind and isinstance(value, int):
        number = kind.partition("[")[2].partition("]")[0]
        return [value] * int(number or 1)
    return value
