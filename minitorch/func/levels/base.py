"""Levels: how function transforms see the operators that a function calls.

Each running transform is a level. A tensor of a level wraps a tensor of the level below (its value)
and adds what the transform tracks: a history, a tangent, or a dimension that is mapped over. Calls
go to the innermost level first; it calls the operator again, one level below, on the values, and
wraps the results. At the bottom the operator computes as it does without transforms. As
aten/src/ATen/functorch/DynamicLayer.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from textwrap import indent
from typing import Any

from minitorch.aten.creation.copies import copy_row
from minitorch.core.base.fields import STRIDED, TensorBase, version_of
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import (
    ACTIVE_CONTEXTS,
    grad_mode,
    inference_mode,
    recording,
    transforms,
    watch,
)
from minitorch.core.declare.codegen.assemble import node_class
from minitorch.core.declare.general.in_place import become_result, keep_originals, keep_written
from minitorch.core.declare.general.recording import record_outputs
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.out import check_castable
from minitorch.core.declare.protocols.torch_function import functions_off
from minitorch.core.declare.registry import FUNCTIONS, ROWS, function_of_row
from minitorch.core.declare.row import Row
from minitorch.core.declare.vmap import NOTHING_SAID, VMAP_OF_COMPOSITES
from minitorch.core.declare.wording.out_rules import check_clamped, gradients_error, in_place_of
from minitorch.core.graph.node import Node, next_order
from minitorch.core.graph.views import MULTIPLE, check_writable, edge_of, note_write, view_of
from minitorch.core.graph.views import recorded_edge as edge_to
from minitorch.core.tensor.tensor import Tensor

_new = object.__new__

# Functions that replace operators while any transform runs (layer_rules.py), by the names that
# composites declare.
REPLACED: dict[str, Callable[..., Any]] = {}


def mapped(function: Callable[[Any], Any], given: Any) -> Any:
    """`given` with `function` of each tensor in it, also in lists, tuples and dicts."""
    if isinstance(given, TensorBase):
        return function(given)
    if isinstance(given, (list, tuple)):
        made = [mapped(function, each) for each in given]
        return made if type(given) is list else getattr(type(given), "_make", type(given))(made)
    if type(given) is dict:
        return {key: mapped(function, each) for key, each in given.items()}
    return given


def tensors_of(given: Any) -> list[Any]:
    """The tensors in the arguments of a call."""
    found: list[Any] = []
    mapped(found.append, given)
    return found


def unwrap_ended(x: Any) -> Any:
    """A tensor without its ended levels, unless a running level takes over their tensors."""
    while x._level is not None and not x._level.running:
        successor = x._level.successor()
        if successor is not None:
            x._level = successor
            break
        x = x._value
    return x


def wrap(level: Any, value: Any, array: Any = None) -> Any:
    """A tensor of `level` around `value`; `array`, by default that of `value`, has its sizes."""
    self = _new(Tensor)
    self._array = value._array if array is None else array
    self._edge = self._grad = self._cell = None
    self._view = None if value._view is None and array is None else STRIDED
    self._level, self._value = level, value
    return self


class Level:
    """One running transform: entered by `with`."""

    running = writing = False  # writing: whether the call writes into its first argument
    wrapper = "TensorWrapper"  # torch's name for its tensors
    number: int
    outer: tuple[Any, ...]

    def __enter__(self) -> Any:
        self.outer = transforms.get()
        self.number = 1 + sum([not isinstance(each, PassThrough) for each in self.outer])
        self.grad_mode = grad_mode.get()
        self.running = True
        transforms.set((*self.outer, self))
        ACTIVE_CONTEXTS.append(None)
        watch(+1)
        return self

    def __exit__(self, *exception: object) -> None:
        watch(-1)
        ACTIVE_CONTEXTS.pop()
        transforms.set(self.outer)
        self.running = False

    @contextmanager
    def below(self) -> Any:
        """A context in which operators are called one level below.

        Classes are asked at the innermost level alone: below it, subclasses count as Tensors.
        """
        stack, mode = transforms.get(), grad_mode.get()
        transforms.set(self.outer)
        grad_mode.set(self.mode_below(mode))
        asked = functions_off.set(True)
        try:
            yield
        finally:
            functions_off.reset(asked)
            transforms.set(stack)
            grad_mode.set(mode)

    def mode_below(self, mode: bool) -> bool:
        """The grad mode one level below while it is `mode` here."""
        return mode

    def successor(self) -> Any:
        """The running level that takes over the tensors of this ended level, or None."""
        return None

    def lifted(self, x: Any) -> Any:
        """A tensor in the form that the operators of this level make."""
        return x

    def value(self, x: Any) -> Any:
        """The tensor that a tensor of this level wraps; any other tensor as it is."""
        return x._value if x._level is self else x

    def title(self, x: Any) -> str:
        """The beginning of the printed text of a tensor of this level."""
        return f"GradTrackingTensor(lvl={self.number}, "

    def text(self, x: Any) -> str:
        """The printed text of a tensor of this level."""
        if not self.running:
            return repr(unwrap_ended(x))
        return f"{self.title(x)}value=\n{indent(repr(x._value), '    ')}\n)"

    def without_history(self, x: Any) -> Any:
        """A tensor like `x` of this level, without its history."""
        return wrap(self, x._value)

    def detached(self, x: Any, as_data: bool = False) -> Any:
        """A tensor over this memory without history at any level.

        as_data: whether it is `x.data`, not `x.detach()`.
        """
        if not self.running:
            return unwrap_ended(x).detach()
        with self.below():
            value = x._value.detach()
        result = wrap(self, value)
        result._cell = version_of(x)
        return result

    def call(self, name: str, function: Any, plain: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator; plain() is the function of a composite operator."""
        args, kwargs = mapped(unwrap_ended, args), mapped(unwrap_ended, kwargs)
        out = kwargs.pop("out", None)
        if out is not None:
            self.check_out(name, tensors_of((args, kwargs, out)))
            return mapped_into(out, self.call(name, function, plain, args, kwargs))
        said = VMAP_OF_COMPOSITES.get(name)
        if said is not None and said.replaced:
            return REPLACED[said.replaced](*args, **kwargs)
        row = getattr(function, "row", None)
        pure = row is not None and row.name == name  # such as the row of zero_
        if name.endswith("_") and not name.endswith("__") and args and not pure:
            done = self.call_in_place(name, function, args, kwargs)
            if done is not None:
                return done
        if row is None:
            return self.call_composite(name, function, plain(), args, kwargs)
        return self.call_row(row, function, args, kwargs)

    def check_out(self, name: str, tensors: list[Any]) -> None:
        """Raises for out= if a tensor has the state that this level tracks."""

    def call_composite(self, name: str, function: Any, body: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator that is made of others."""
        return body(*args, **kwargs)

    def call_row(self, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
        """The result of an operator that has a row."""
        raise NotImplementedError

    def call_in_place(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        """The first argument after a write; None if the operator writes by itself."""
        x, base = args[0], name[:-1]
        pure = getattr(Tensor, base, None) or FUNCTIONS.get(base) or OPS.__dict__.get(base)
        said = in_place_of(name)
        if said.copies:
            return self_written(x, kwargs.get("src", args[-1]), copied=True)
        overload = "Tensor" if tensors_of((args[1:], kwargs)) else "Scalar"
        row = ROWS.get(name) or ROWS.get(f"{name}_{overload}")
        if row is not None and not (said.moves or said.draws):  # the variant has its own node
            return self_written(x, self.call_row(row, function_of_row(row), args, kwargs))
        if pure is None or name.startswith("_") or said.draws:
            return None
        self.writing = True
        try:
            result = pure(*args, **kwargs)
        finally:
            self.writing = False
        if said.moves:
            return moved(x, result)
        check_clamped(name, result.dtype, x.dtype)
        check_castable(name, result.dtype, x.dtype)
        return self_written(x, result)

    def overwrite(self, x: Any, result: Any, copied: bool) -> None:
        """Writes `result` into `x`; copied: whether copy_ records it, else with the history of
        `result`."""
        raise NotImplementedError


def self_written(self: Any, result: Any, copied: bool = False) -> Any:
    """`self` after `result` was written into it at all levels."""
    stack = transforms.get()
    if stack:
        stack[-1].overwrite(unwrap_ended(self), unwrap_ended(result), copied)
    elif copied or not isinstance(result._edge, Node) or not alike(self, result):
        self.copy_(result)
    else:
        check_writable(self, recording())
        become_result(self, result, self)
    return self


def alike(self: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and dtype."""
    x, y = self._array, other._array
    return x.shape == y.shape and x.dtype == y.dtype


def mapped_into(out: Any, result: Any) -> Any:
    """`out`, a tensor or several, after the results of an operator were written into it."""
    if isinstance(out, TensorBase):
        return self_written(out, result)
    return type(out)([self_written(each, x) for each, x in zip(out, result, strict=True)])


def moved(self: Any, result: Any) -> Any:
    """`self` after it took the shape and place of its view `result`."""
    self._array, self._edge = result._array, result._edge
    for name in ("_value", "_bdim", "_pushed"):
        if name in result.__dict__:
            self.__dict__[name] = result.__dict__[name]
    return self


class PassThrough(Level):
    """The level without transforms, in which tensors of ended levels may still occur."""

    def __enter__(self) -> Any:
        super().__enter__()
        self.number -= 1
        return self

    def call(self, name: str, function: Any, plain: Any, args: Any, kwargs: Any) -> Any:
        args, kwargs = mapped(unwrap_ended, args), mapped(unwrap_ended, kwargs)
        with self.below():
            return function(*args, **kwargs)


class TrackingLevel(Level):
    """A level whose tensors show their values unchanged. Inference mode is off in it."""

    def __enter__(self) -> Any:
        self.inferring = inference_mode.get()
        inference_mode.set(False)
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        inference_mode.set(self.inferring)

    def lifted(self, x: Any) -> Any:
        return x if x._level is self else wrap(self, x)

    def call_composite(self, name: str, function: Any, body: Any, args: Any, kwargs: Any) -> Any:
        values = mapped(self.value, (args, kwargs))
        said = VMAP_OF_COMPOSITES.get(name, NOTHING_SAID)
        if said.masks and args[2] and 0 < args[1] < 1:
            with self.below():
                mask = function(OPS.ones_like(values[0][0]), *args[1:], **kwargs)
            return args[0] * self.lifted(mask)
        if not said.makes:
            return body(*args, **kwargs)
        writes = name.endswith("_")
        made = self.without_history(args[0]) if writes else None
        before = self.before(args[0], made, False) if writes else None
        with self.below():
            result = function(*values[0], **values[1])
        if writes:
            self.after(args[0], made, before)
            return args[0]
        return mapped(self.lifted, result)

    def captured(self, x: Any) -> Any:
        """A tensor wrapped for this level; tensors of other levels must not be written."""
        if x._level is not self:
            x = wrap(self, x)
            x._captured = True
        return x

    def call_row(self, row: Row, function: Any, args: Any, kwargs: Any) -> Any:
        values = mapped(self.value, (args, kwargs))
        with self.below():
            result = function(*values[0], **values[1])
        bound = {n: mapped(self.captured, x) for n, x in bind(row, args, kwargs).items()}
        outputs = result if isinstance(result, tuple) else (result,)
        outputs = [None if each is None else self.output(row, bound, each) for each in outputs]
        self.follow(row, bound, outputs, result)
        return type(result)(outputs) if isinstance(result, tuple) else outputs[0]

    def output(self, row: Row, bound: Any, value: Any) -> Any:
        """A result as a tensor of this level; if it is a view, a view of the wrapped base."""
        if not row.schema.is_view:
            return wrap(self, value)
        origin = MULTIPLE if row.schema.returns_list else None
        result = view_of(bound["self"], value._array, None, origin)
        result._level, result._value = self, value
        if _is_captured(bound["self"]):
            result._captured = True
        return result

    def follow(self, row: Row, bound: Any, outputs: list[Any], result: Any) -> None:
        """Adds the state that this level tracks to results."""
        raise NotImplementedError

    def call_in_place(self, name: str, function: Any, args: Any, kwargs: Any) -> Any:
        if args[0]._level is not self or _is_captured(args[0]):
            overload = next(
                (f".{r.schema.overload}" for r in ROWS.values() if r.inplace_name == name), ""
            )
            raise RuntimeError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to "
                f"call in-place operation (aten::{name}{overload.rstrip('.')}) that would mutate a "
                "captured Tensor. This is not supported; please rewrite the function being "
                "transformed to explicitly accept the mutated Tensor(s) as inputs."
            )
        return super().call_in_place(name, function, args, kwargs)

    def overwrite(self, x: Any, result: Any, copied: bool) -> None:
        result = self.lifted(result)
        before = self.before(x, result, copied)
        with self.below():
            self_written(x._value, result._value, copied)
        self.after(x, result, before)

    def before(self, x: Any, result: Any, copied: bool) -> Any:
        """Prepares the write of `result` into `x`; the result is passed to `after`."""

    def after(self, x: Any, result: Any, before: Any) -> None:
        """Completes the write of `result` into `x`."""
        note_write(x, None)


def _is_captured(x: Any) -> bool:
    return "_captured" in x.__dict__


class GradLevel(TrackingLevel):
    """The level of grad and vjp: its tensors have their own history."""

    def mode_below(self, mode: bool) -> bool:
        return self.grad_mode

    def check_out(self, name: str, tensors: list[Any]) -> None:
        if recording() and any([x._level is self and edge_of(x) is not None for x in tensors]):
            raise gradients_error(name)

    def follow(self, row: Row, bound: Any, outputs: list[Any], result: Any) -> None:
        record_outputs(row, bound, outputs)

    def before(self, x: Any, result: Any, copied: bool) -> Any:
        recorded = recording() and (edge_of(x) is not None or edge_of(result) is not None)
        check_writable(x, recorded)
        node = result._edge if isinstance(result._edge, Node) else None
        if recorded and (copied or node is None):  # nothing of the old value is left
            node = node_class(copy_row.row)()
            node.edges, node.order = (edge_to(x), edge_to(result)), next_order()
            node.shape, node.dtype = x._array.shape, x._array.dtype
        elif node is not None:
            keep_originals(node, x)
        return node

    def after(self, x: Any, result: Any, before: Any) -> None:
        note_write(x, before)
        if before is not None and before is result._edge:
            keep_written(before, x, result)


# Transformed functions may be operators themselves: functions that users get from now on can be
# watched.
watch(+1)
watch(-1)
