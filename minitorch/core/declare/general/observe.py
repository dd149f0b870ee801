"""Calls while something watches: inference mode, tensor subclasses with __torch_function__, and
others among the WATCHERS."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minitorch.core.base.fields import TensorBase, untrack
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import (
    ASSEMBLED_GLOBALS,
    in_formula,
    inference_mode,
    recording,
    transforms,
)
from minitorch.core.declare.calls import calls_of
from minitorch.core.declare.codegen.assemble import define, prepare, unwatched_source
from minitorch.core.declare.general.elementwise import (
    is_operand,
    noted_as,
    operand_of,
    write,
)
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.general.recording import kept_inputs, leads
from minitorch.core.declare.general.tangents import bind, pushed, pushed_write
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_function import (
    functions_off,
    handled,
    overriding,
    tensors_in,
)
from minitorch.core.declare.registry import FUNCTIONS, function_of_row
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.errors import check_self
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.saved_hooks import packing
from minitorch.core.graph.views import INTEGER_HISTORY, refuse_history, tracking
from minitorch.core.tensor.tensor import Tensor


def inheriting(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that raises if a result of integers would inherit the history of integers, which
    only a write can have given them: see WATCHERS."""
    if not INTEGER_HISTORY:
        INTEGER_HISTORY.end()
        return compute
    row = getattr(compute, "row", None)
    if row is None or row.node is None or row.sheds_history or name.endswith("_"):
        return compute

    def checked(*args: Any, **kwargs: Any) -> Any:
        result = compute(*args, **kwargs)
        bound = bind(row, args, kwargs)
        given = [
            each for each in tensors_in([bound[name] for name in row.inputs], {}) if leads(each)
        ]
        if (
            recording()
            and not in_formula()
            and any([each._array.dtype.kind in "biu" for each in given])
        ):
            results = result if isinstance(result, (tuple, list)) else (result,)
            chosen = range(len(results)) if row.schema.returns_list else row.differentiable_outputs
            for i in chosen:
                refuse_history(results[i])
        return result

    return checked


# Each watcher gets the name of an operator and the function that computes, which has a `row` unless
# it is made of others; it returns a function to call instead. The last watcher is the outermost.
WATCHERS: list[Callable[[str, Callable[..., Any]], Callable[..., Any]]] = [
    inheriting,
    packing,
    tracking,
]


def observed(row: Any, call: Any) -> Any:
    """Calls the function of `row` on behalf of the watchers."""
    # Modes below autograd see the operators that compute a tangent as well.
    outside = bool(LEVELS) and bool(transforms.get() or STACK.get())

    def plain() -> Any:
        function = unwatched(row)
        if not LEVELS or (outside and not transforms.get()):
            return function
        return lambda *args, **kwargs: pushed(row, function, args, kwargs)

    def transformed(*args: Any, **kwargs: Any) -> Any:
        return dispatched(row.name, function_of_row(row), plain, args, kwargs)

    args, kwargs = call
    if outside:  # a dual level may be inside of transforms
        return pushed(row, transformed, args, kwargs)
    return transformed(*args, **kwargs)


def observed_of_self(row: Row, call: Any) -> Any:
    """`observed` for a method, whose first operand must be a tensor."""
    check_self(row.name, call[0][0])
    return observed(row, call)


def observed_operator(row: Row, dunder: str, self: Any, other: Any) -> Any:
    """`self + other` for the watchers; NotImplemented if Python must try `other`'s operator."""
    check_self(dunder, self)
    other = operand_of(dunder, other)
    if not is_operand(other) and not hasattr(type(other), "__torch_function__"):
        return NotImplemented
    if in_formula() and not isinstance(other, TensorBase) and row.key == f"{row.name}_Tensor":
        by_number = OPS.__dict__.get(f"{row.name}_Scalar")
        if by_number is not None:
            return by_number(self, other)
    return observed(row, ((self, other), {}))


def observed_operator_in_place(row: Row, self: Any, other: Any) -> Any:
    """`self += other` for the watchers; NotImplemented if Python must try `+`."""
    if not is_operand(other) and not hasattr(type(other), "__torch_function__"):
        return NotImplemented
    return observed_write(row, ((self, other), {}))


def observed_write(row: Any, call: Any) -> Any:
    """Calls the in-place variant of `row` on behalf of the watchers."""
    args, kwargs = call
    name = row.inplace_name

    def writer(*given: Any, **named: Any) -> Any:
        bound = bind(row, given, named)
        operands = tuple([bound.pop(a.name) for a in row.schema.tensors])
        return write(row, operands, **bound)

    writer.row = row  # type: ignore[attr-defined]
    function = Tensor.__dict__.get(name) or FUNCTIONS.get(name, writer)

    def plain(*args: Any, **kwargs: Any) -> Any:
        noted = noted_as(row, (*args, *kwargs.values())[:2])[0]
        return pushed_write(noted, writer, args, kwargs)

    return dispatched(name, function, lambda: plain if LEVELS else writer, args, kwargs)


def observed_store(name: str, function: Any, self: Any, call: Any) -> Any:
    """Stores the result of `function` in place, on behalf of the watchers."""

    def storing(self: Any, *args: Any, **kwargs: Any) -> Any:
        return store(name, function, self, (args, kwargs))

    storing.row = getattr(function, "row", None)  # type: ignore[attr-defined]
    args, kwargs = call
    return dispatched(name, Tensor.__dict__.get(name), lambda: storing, (self, *args), kwargs)


def dispatched(name: str, function: Any, plain: Any, args: Any, kwargs: Any) -> Any:
    """The result of a call, through __torch_function__ if a class of this library that an argument
    has defines it.

    plain() returns the function that computes without checking again.
    """
    levels = transforms.get()
    if levels:
        return levels[-1].call(name, function, plain, args, kwargs)
    # Public functions have asked the arguments of a program's classes before.
    takers = [] if functions_off.get() else overriding(args, kwargs)
    takers = [each for each in takers if not getattr(each, "_watched", True)]
    if takers:
        return handled(function, f"torch.{name}", takers, args, kwargs)
    compute = plain()
    for watcher in WATCHERS:
        inner, compute = compute, watcher(name, compute)
        if compute is not inner:  # its row, for the outer watchers
            vars(compute).update(vars(inner))
    if inference_mode.get() and calls_of(name).falls_back:
        args = tuple([_resolved(x) for x in args])
    result = compute(*args, **kwargs)
    if inference_mode.get():
        for each in result if isinstance(result, tuple) else (result,):
            fresh = isinstance(each, TensorBase) and each._cell is None
            if fresh and not any(each is given for given in args):
                untrack(each)
    return result


def _resolved(x: Any) -> Any:
    return OPS.resolve_neg(OPS.resolve_conj(x)) if isinstance(x, TensorBase) else x


def watching(name: str, function: Any, compute: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls the composite operator `function` while a watcher is active."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        return dispatched(name, function, lambda: compute, args, kwargs)

    return watched


def unwatched(row: Any) -> Any:
    """The function of `row` without its check for watchers."""
    name = f"{row.key}_call_unwatched"
    if name not in ASSEMBLED_GLOBALS:
        prepare(row)
        define(f"{row.key} unwatched", unwatched_source(row, name))
        ASSEMBLED_GLOBALS[name].row = row
        ASSEMBLED_GLOBALS[name].kept_inputs = functools.partial(_kept_inputs, row)
    return ASSEMBLED_GLOBALS[name]


def _kept_inputs(row: Row, *args: Any, **kwargs: Any) -> list[Any]:
    """The inputs that a call of `row` saves before it computes, in their saved form."""
    bound = bind(row, args, kwargs)
    tensors = [bound[a.name] for a in row.schema.tensors]
    return [] if row.node is None else kept_inputs(row, tensors)
