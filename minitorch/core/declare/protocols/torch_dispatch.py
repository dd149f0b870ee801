"""Calls of operators below autograd, as a __torch_dispatch__ sees them.

A mode sees an operator with the arguments of its schema: by place, without trailing defaults; by
name only keyword-only arguments that are not defaults. If the mode calls the operator itself on the
same arguments, that makes the original call, with its graph. If it returns another result, this
result gets the node that the call would have made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch.core.arrays.lazy import Lazy
from minitorch.core.base.fields import TensorBase, sees_operators
from minitorch.core.base.modes import WRAPPERS, FormulaMode, GradMode, in_formula, recording
from minitorch.core.declare.calls import BITS, CONJUGATES, calls_of
from minitorch.core.declare.general.recording import leads, record, record_outputs
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.protocols.mode_stack import STACK, calls_from_formula, classes_off
from minitorch.core.declare.protocols.torch_function import tensors_in
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.graph.node import save_output
from minitorch.core.graph.views import check_writable, note_write
from minitorch.core.numbers.size import Size

# The methods of every tensor that read conjugates and negatives as they are: see Calls.reads.
_READ_BOTH = frozenset(("is_complex", "is_floating_point", "size", "stride"))
WAITING: ContextVar[Waiting | None] = ContextVar("waiting_call", default=None)


class Aim:
    """Which of the next calls that modes see is to write into out=.

    modes: the stack of modes that must see the call.
    left: how many of their calls come before it.
    writing: (the call) -> the call that writes into out= in its place, or None.
    """

    __slots__ = ("left", "modes", "writing")

    def __init__(self, modes: tuple[Any, ...], left: int, writing: Callable[[Any], Any]) -> None:
        self.modes, self.left, self.writing = modes, left, writing

    def at(self, call: Call, modes: tuple[Any, ...]) -> Call | None:
        """The call to make instead of `call`, for `modes` to see; None for `call` itself."""
        if modes is not self.modes:
            return None
        self.left -= 1
        return self.writing(call) if self.left == -1 else None


AIM: ContextVar[Aim | None] = ContextVar("aim", default=None)


def wrapping(args: Any, kwargs: Any) -> tuple[Any, ...]:
    """The classes of arguments that compute by themselves, subclasses before their bases."""
    if not WRAPPERS or classes_off.get():
        return ()
    kinds = dict.fromkeys([type(each) for each in tensors_in(args, kwargs) if sees_operators(each)])
    found: list[Any] = []
    for kind in kinds:
        at = (i for i, other in enumerate(found) if issubclass(kind, other))
        found.insert(next(at, len(found)), kind)
    return tuple(found)


class Call:
    """An operator with its arguments.

    op: the overload of torch.ops. row: its row, None for a function made of others.
    writes: the row whose result this writes into its first argument, if `row` is None.
    compute: the function that computes it, on `given` and `named`. args, kwargs: the arguments
        that a mode sees.
    types: the classes of arguments that compute by themselves.
    """

    __slots__ = ("args", "compute", "given", "kwargs", "named", "op", "row", "types", "writes")

    def __init__(
        self, op: Any, row: Row | None, compute: Callable[..., Any], given: Any, named: Any
    ) -> None:
        self.op, self.row, self.compute = op, row, compute
        self.given, self.named = given, named
        self.args, self.kwargs = given, named
        self.types: tuple[Any, ...] = ()
        self.writes: Row | None = None

    def run(self, modes: tuple[Any, ...], outermost: bool = True) -> Any:
        """The result, which the innermost of `modes` sees first.

        outermost: whether no mode makes this call; then the modes see its saved outputs as well.
        """
        if not modes:
            if not self.types:
                return self.compute(*self.given, **self.named)
            return self._outside(self.by_classes())
        aim = AIM.get()
        if aim is not None and outermost and (writing := aim.at(self, modes)) is not None:
            return writing.run(modes)
        if outermost and self.op.namespace == "aten":
            self._resolve()
        waiting = Waiting(self, modes[:-1], recording())
        original = None
        if outermost and waiting.records and self._copies_itself():
            with GradMode(False):
                original = self.given[0].clone()  # which modes see
        stack, call = STACK.set(modes[:-1]), WAITING.set(waiting)
        try:
            with GradMode(False), FormulaMode(None):
                result = modes[-1].__torch_dispatch__(self.op, self.types, self.args, self.kwargs)
        finally:
            WAITING.reset(call)
            STACK.reset(stack)
        if not _is_same(result, waiting.result):
            result = self._recorded(result)
        if isinstance(result, (list, tuple)):
            result = self._outside(result, type(waiting.result))
        if original is not None:
            _keep_original(result, original)
        known = self.row or self.writes
        if outermost and waiting.records and known is not None:
            _show_saved_outputs(known, result)
        return result

    def _resolve(self) -> None:
        """Shows modes copies of arguments that are conjugates or negatives, if the operator does
        not read these as they are."""
        name = self.op._opname
        reads = calls_of(name).reads
        if reads == BITS or name in _READ_BOTH or name[-1] == "_":
            return

        def resolved(x: Any) -> Any:
            if isinstance(x, (list, tuple)):
                return type(x)(map(resolved, x)) if any(map(_is_lazy, x)) else x
            if not _is_lazy(x) or (reads == CONJUGATES and not x._array.negated):
                return x
            with GradMode(False):
                return x.clone()  # which modes see

        self.args = tuple(map(resolved, self.args))
        self.kwargs = {key: resolved(value) for key, value in self.kwargs.items()}

    def _copies_itself(self) -> bool:
        """Whether this writes a tensor whose old value a formula needs."""
        row = self.writes or self.row
        if row is None or "self" not in row.saved:
            return False
        if self.op._opname != (row.inplace_name if row is self.row else f"{row.name}_"):
            return False
        bound = bind(row, self.given, self.named)
        asking = [bound.get(row.inputs[i]) for i in row.kept_for("self")]
        return any([isinstance(x, TensorBase) and leads(x) for x in asking])

    def by_classes(self) -> Any:
        """The result of the first class that does not decline, with the node of this call.

        TypeError with torch's text if all of them decline.
        """
        name = self.op._opname
        own_row = getattr(self.types[0], "_own_row", None)
        row: Any = self.row if own_row is None else own_row(self.op.__name__, self.row, self.given)
        written = row is not None and name == row.inplace_name and name.endswith("_")
        bound = {} if row is None else bind(row, self.given, self.named)
        if written:
            wanted = recording() and any(map(leads, bound.values()))
            check_writable(self.given[0], wanted)
            if wanted and row.node is None:
                kind = self.types[0].__name__
                raise NotImplementedError(f"torch.Tensor.{name} of a {kind} that requires grad")
            if wanted and "self" in row.saved:
                bound["self"] = copied(bound["self"])
        writes = written or self._writes_into_first()
        version = self.given[0]._version if writes else 0
        stack, call = STACK.set(()), WAITING.set(None)
        try:
            with GradMode(False):
                result = self._of_classes()
        finally:
            WAITING.reset(call)
            STACK.reset(stack)
        if writes and type(self.given[0]._cell) is list:  # the write is counted once, below
            self.given[0]._cell[0] = version
        if written:
            return _with_write(row, bound, self.given[0], wanted)
        if writes:
            if calls_of(name).counted:
                note_write(self.given[0], None)
            return self.given[0]
        fresh = all([result is not each for each in self.given])
        if row is not None and name == row.name and fresh:
            results = list(result) if isinstance(result, (list, tuple)) else [result]
            record_outputs(row, bound, results)
            edge = next((x._edge for x in results if isinstance(x, TensorBase)), None)
            if edge is not None and recording():
                (edge[0] if type(edge) is tuple else edge).__dict__["wraps"] = True
        return result

    def _outside(self, result: Any, kind: Any = None) -> Any:
        """A result of several in the kind of tuples that functions return: named ones, if the
        schema names them.

        kind: the kind that the call itself returned, if it was made.
        """
        if not isinstance(result, (list, tuple)):
            return result
        row = self.row
        if kind is None or not issubclass(kind, tuple):
            kind = tuple
            if row is not None and self.op._opname == row.name and row.schema.names_outputs:
                kind = return_type(row.name, row.schema.outputs)
        return result if type(result) is kind else kind(result)

    def _writes_into_first(self) -> bool:
        """Whether this is a write that returns its first argument, whatever a class returns."""
        name = self.op._opname
        is_write = name[-1] == "_" and not name.endswith("__")
        return is_write and bool(self.given) and isinstance(self.given[0], TensorBase)

    def _of_classes(self) -> Any:
        for kind in self.types:
            result = kind.__torch_dispatch__(self.op, self.types, self.args, self.kwargs)
            if result is not NotImplemented:
                return result
        each = "".join([f"\n\n  - tensor subclass {kind}" for kind in self.types])
        raise TypeError(
            f"Multiple dispatch failed for 'torch._ops.{self.op}'; all __torch_dispatch__ handlers "
            f"returned NotImplemented:{each}\n\nFor more information, try re-running with "
            "TORCH_LOGS=not_implemented"
        )

    def _recorded(self, result: Any) -> Any:
        """A result that the mode made, with the node of this call."""
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        fresh = [x for x in results if isinstance(x, TensorBase) and x._edge is None]
        row = self.row
        if row is None or self.op._opname != row.name or not fresh:
            return result
        if len(fresh) == len(results):
            record_outputs(row, bind(row, self.given, self.named), results)
        return result


def _keep_original(result: Any, original: Any) -> None:
    """Makes the node of a write keep the copy of the old value that modes saw."""
    edge = result._edge
    node = edge[0] if type(edge) is tuple else edge
    saved = getattr(node, "saved_self", None)
    held: Any = saved[0] if type(saved) is tuple and len(saved) == 2 else saved
    if type(held) is type(original) and held._array is not result._array:
        original._edge = held._edge
        node.saved_self = original


def _is_lazy(x: Any) -> bool:
    return isinstance(x, TensorBase) and type(x._array) is Lazy


def _show_saved_outputs(row: Row, result: Any) -> None:
    """Shows modes the detach calls that torch makes for the saved outputs of a call's node."""
    results = result if isinstance(result, (list, tuple)) else (result,)
    tensors = [each for each in results if isinstance(each, TensorBase)]
    known: list[Any] = [each for each in tensors if each._level is None and each._edge is not None]
    edge = known[0]._edge if known else None
    node = edge[0] if type(edge) is tuple else edge
    for name in row.saved:
        saved = getattr(node, f"saved_{name}", None)
        if type(saved) is tuple and len(saved) == 4 and type(saved[1]) is list:
            for each in known:
                if each._array is saved[0]:
                    each.detach()
                    break


def copied(self: Any) -> Any:
    """A copy of a tensor with its history, for a formula that needs the value before a write."""
    with GradMode(False):
        copy = self.clone()
    copy._edge = self._edge
    return copy


def _with_write(row: Row, bound: dict[str, Any], self: Any, wanted: bool) -> Any:
    """`self` after a class wrote into it, whatever that returned; with the node of the write."""
    node = None
    if wanted:
        sources = [self if a.name == "self" else bound[a.name] for a in row.schema.tensors]
        node = record(row, bound, self, edges_of=sources, written=True)
        node.__dict__["wraps"] = True
    note_write(self, node)
    if node is not None and "result" in row.saved:
        node.saved_result = save_output(self)
    return self


class Waiting:
    """A call that a mode sees, until the mode makes it."""

    __slots__ = ("call", "formula", "modes", "records", "result")

    def __init__(self, call: Call, modes: tuple[Any, ...], records: bool) -> None:
        self.call, self.modes, self.records = call, modes, records
        self.formula = in_formula()
        self.result: Any = None

    def is_for(self, op: Any, args: Any, kwargs: Any) -> bool:
        """Whether a call with these arguments is this one."""
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
            with GradMode(self.records), FormulaMode(self.formula):
                self.result = self.call.run(self.modes, outermost=False)
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
    """The arguments of a call by place and by name, as a mode sees them."""
    return bound_in_schema_order(row.schema, bind(row, args, kwargs))


def bound_in_schema_order(
    schema: Schema, bound: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """`in_schema_order` for arguments that are all known by the names of the schema."""
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    # torch's C++ passes undefined tensors on: all to a backward, to others only those by place.
    wanted, in_cpp, to_backward = 0, calls_from_formula(), "backward" in schema.name
    for each in schema.arguments:
        if each.name not in bound:
            continue
        value = _plain(bound[each.name], each.type)
        hands_on = in_cpp and each.type == "Tensor?" and (to_backward or not each.keyword_only)
        told = each.default == "None" and (f" {each.name}=" not in schema.text or hands_on)
        default = (
            each.default is not None
            and not told  # an optional argument without a default in the schema
            and _is_same(value, _plain(eval(each.default), each.type))
        )
        if not each.keyword_only:
            by_place.append(value)
            wanted = wanted if default else len(by_place)
        elif not default:
            by_name[each.name] = value
    return tuple(by_place[:wanted]), by_name


def _plain(value: Any, kind: str) -> Any:
    """A value as torch's C++ passes it to Python: lists for tuples, and a number in place of the
    tensor that stands for it in a formula."""
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
