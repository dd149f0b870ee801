"""torch.utils._python_dispatch: modes that see operators below autograd."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from operator import index
from typing import Any

from minitorch._ops import OF_NUMBERS, ops, overload_of, written_overload
from minitorch._public import foreach
from minitorch._public.function_schema import overload_text
from minitorch.aten.creation import made_calls
from minitorch.core.base.fields import sees_operators
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import TAKEN_UP, TENSOR_FORMULAS, WRAPPERS, recording, watch
from minitorch.core.declare.codegen.assemble import path_of
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.general import observe
from minitorch.core.declare.general.recording import leads
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.general.writing import check_gradients, error_name_of_row, tensors_of
from minitorch.core.declare.out import out_of
from minitorch.core.declare.protocols.mode_stack import (
    LIFT,
    NATIVE,
    STACK,
    calls_from_formula,
    classes_off,
)
from minitorch.core.declare.protocols.out_overloads import overloads_into, shown_into
from minitorch.core.declare.protocols.torch_dispatch import (
    AIM,
    WAITING,
    Aim,
    Call,
    bound_in_schema_order,
    copied,
    in_schema_order,
    wrapping,
)
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Schema
from minitorch.core.declare.wording.out_rules import error_name_of
from minitorch.core.declare.wording.public import UNSET, Unset
from minitorch.core.declare.wording.return_types import written_type
from minitorch.core.declare.wording.signatures import is_listed
from minitorch.core.graph.views import check_writable, note_write
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils.wrapper_results import (  # noqa: F401  # torch's names are here
    TensorWithFlatten,
    return_and_correct_aliasing,
    transform_subclass,
)

__all__ = ["TorchDispatchMode"]


def dispatching(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an operator as the innermost mode sees it: see WATCHERS."""
    modes, row = STACK.get(), getattr(compute, "row", None)
    if not modes and not WRAPPERS:
        return compute
    if row is None:
        return _making(name, compute, modes)

    def seen(*args: Any, **kwargs: Any) -> Any:
        types = wrapping(args, kwargs)
        if not modes and not types:
            return compute(*args, **kwargs)
        own = _own_function(name, types)
        if own is not None:
            return own(*args, **kwargs)
        if name in _COMPOSED:
            return _COMPOSED[name](*args, **kwargs)
        number = is_number(args, kwargs) and _takes_number(row, name)
        if kwargs.get("out") is not None:
            single = name in ("all", "any") and type(args[1] if args[1:] else None) is int
            call = _into(name, row, compute, args, kwargs, number or single)
            if call is not None:
                call.types = types
                return call.run(modes)
        by_place, by_name = in_schema_order(row, args, kwargs)
        op = _overload(row, name)
        if name == "_reshape_alias":  # torch no longer has it: a view
            op, by_place = ops.aten.view.default, by_place[:2]
        elif name in ("all", "any") and type(args[1] if args[1:] else None) is int:  # one row
            op, by_place = getattr(ops.aten, name).dim, (by_place[0], args[1], *by_place[2:])
        elif number:
            op = getattr(getattr(ops.aten, name), "Scalar", op)
        call = Call(op, row, compute, args, kwargs)
        call.args, call.kwargs, call.types = by_place, by_name, types
        return call.run(modes)

    return seen


def _into(
    name: str, row: Row | None, compute: Any, args: Any, kwargs: Any, number: bool = False
) -> Call | None:
    """A call with out= as modes see it: of an overload that writes. None if torch makes that of
    others."""
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    found = shown_into(name, row, kwargs["out"], args, rest, number)
    if found is None:
        return None
    overload, by_place, by_name = found
    error_name = error_name_of(name) if row is None else error_name_of_row(row)
    error_name = f"aten::{name}" if name in made_calls.schemas() else error_name
    check_gradients(out_of(name), error_name, _tensors(kwargs["out"]), tensors_of((args, rest)))
    call = Call(getattr(getattr(ops.aten, name), overload), None, compute, args, kwargs)
    call.args, call.kwargs = by_place, by_name
    return call


def _tensors(out: Any) -> list[Any]:
    outs = out if isinstance(out, (tuple, list)) else (out,)
    return [each for each in outs if isinstance(each, Tensor)]


def _isfinite(self: Any) -> Any:
    if self.is_complex():
        real, imaginary = (
            _isfinite(OPS.select(OPS.view_as_real(self), -1, part)) for part in (0, 1)
        )
        return real.bitwise_and_(imaginary)
    if not self.is_floating_point():
        return OPS.ones_like(self, dtype=dtypes.bool)
    bounded = self.abs() != math.inf
    return (self == self) * bounded


# What has a row here, and is made of others in torch.
_COMPOSED = {"isfinite": _isfinite}


# What methods make of the element that a class gives.
_NUMBERS: dict[str, Callable[..., Any]] = {
    "__bool__": bool,
    "__float__": float,
    "__int__": int,
    "__index__": index,
}


def _making(name: str, compute: Callable[..., Any], modes: Any) -> Callable[..., Any]:
    """The function of a call that has no row, as the innermost mode sees it: of factories and their
    like."""

    def seen(*args: Any, requires_grad: Any = UNSET, **kwargs: Any) -> Any:
        types = wrapping(args, kwargs)
        wanted = {} if requires_grad is UNSET else {"requires_grad": requires_grad}
        # The function itself refuses anything but a bool.
        if (not modes and not types) or type(requires_grad) not in (bool, Unset):
            return compute(*args, **kwargs, **wanted)
        own = _own_function(name, types)
        if own is not None:
            return own(*args, **kwargs)
        if name in made_calls.LIFTED:
            stack = STACK.set(())
            try:
                made = compute(*args, **kwargs, **(wanted if requires_grad is False else {}))
            finally:
                STACK.reset(stack)
            result = lift_fresh(made)
            return result.requires_grad_() if requires_grad is True else result
        elif kwargs.get("out") is not None:
            kind = kwargs.get("dtype")
            refused = kind is not None and kind is not getattr(kwargs["out"], "dtype", None)
            writing = None if refused else _into(name, None, compute, args, kwargs)
            if writing is None:
                return compute(*args, **kwargs)
            writing.types = types
            return writing.run(modes)
        else:
            called = made_calls.METHODS.get(name, name)
            several = called == "_local_scalar_dense" and args[0]._array.size != 1
            found = None if several else made_calls.shown(called, args, kwargs)
            if found is None:
                return compute(*args, **kwargs, **wanted)
            overload, by_place, by_name = found
            call = Call(getattr(getattr(ops.aten, called), overload), None, compute, args, kwargs)
            call.args, call.kwargs, call.types = by_place, by_name, types
        result = call.run(modes)
        if types and name in _NUMBERS:
            return _NUMBERS[name](result)
        return result.requires_grad_() if requires_grad is True else result

    known = name in made_calls.schemas() or name in made_calls.METHODS
    if not known and name not in made_calls.LIFTED:
        writes = name[-1] == "_" and not name.endswith("__")
        return _writing(name, compute) if writes else _by_own(name, _natively(name, compute))
    return seen


@cache
def _is_native(name: str) -> bool:
    """Whether torch writes an operator in C++: its parser knows the name, or it is torch's own."""
    paths = path_of(name), path_of(name, method=True)
    return name[0] == "_" or any([is_listed(path) for path in paths])


def _natively(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an operator made of others, which shows modes that C++ calls these if torch
    writes it in C++."""
    modes = STACK.get()
    if not modes:
        return compute
    is_native = _is_native(name)

    def native(*args: Any, **kwargs: Any) -> Any:
        if not is_native and kwargs.get("out") is None:
            return compute(*args, **kwargs)
        token = NATIVE.set(modes)
        try:
            if kwargs.get("out") is None:
                return compute(*args, **kwargs)
            call = _into(name, None, compute, args, kwargs)
            return call.run(modes) if call else _composed_into(compute, args, kwargs)
        finally:
            NATIVE.reset(token)

    return native


def _composed_into(compute: Any, args: Any, kwargs: Any) -> Any:
    """The result of a composite that writes into out=.

    In torch the last operator of the composite writes there, or else the result is copied there.
    A call that modes do not see finds the last one; in its place all is computed once more.
    """
    modes, out = STACK.get(), kwargs["out"]
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    seen = _Results()
    stack = STACK.set((seen,))
    try:
        place, parts = seen.place_of(compute(*args, **rest))
    except Exception:  # which is raised after the checks of out=
        return compute(*args, **kwargs)
    finally:
        STACK.reset(stack)

    written = []  # what the function returns, in torch.return_types of its own

    def whole(*given: Any, **named: Any) -> Any:
        written[:] = [compute(*args, **kwargs)]
        return written[0]

    def writing(call: Call) -> Call | None:
        if place is None or seen.found[place][0] is not call.op:  # which modes may change
            return None
        number = call.op._overloadname == "Scalar"
        name, outs, function = call.op._opname, out, whole
        if parts:
            outs = _all_outs(seen.found[place][1], out, parts)
            function = partial(_parts_into, call, outs, parts, whole)
        return _into(name, call.row, function, call.given, {**call.named, "out": outs}, number)

    aim = AIM.set(None if place is None else Aim(modes, place, writing))
    try:
        result = compute(*args, **rest)
    finally:
        AIM.reset(aim)
    if place is not None and _is_result(out, result):
        return written[0] if written else result
    if not isinstance(result, Tensor):
        stack = STACK.set(())
        try:
            return whole()
        finally:
            STACK.reset(stack)
    if isinstance(out, Tensor) and out.shape != result.shape:
        resize = ops.aten.resize_.default
        Call(resize, None, _resized, (out, list(result.shape)), {}).run(modes)
    op = ops.aten.copy_.default
    return Call(op, None, whole, (out, result), {}).run(modes)


def _resized(out: Any, size: Any) -> Any:
    return out if out.numel() else out.resize_(size)  # of others the write itself warns


def _all_outs(results: Any, out: Any, parts: tuple[int, ...]) -> list[Any]:
    """Tensors for all results of a call; out= is for some of them."""
    given = dict(zip(parts, out if isinstance(out, (tuple, list)) else (out,), strict=True))
    return [
        given[place]
        if place in given
        else OPS.empty((0,), dtype=each.dtype, layout=each.layout, device=each.device)
        for place, each in enumerate(results)
    ]


def _parts_into(
    call: Call, outs: list[Any], parts: tuple[int, ...], whole: Any, *given: Any, **named: Any
) -> Any:
    """The results of a call in `outs`; whole() writes into some of them."""
    results = call.compute(*call.given, **call.named)
    whole()
    for place, result in enumerate(results):
        if place not in parts:
            outs[place].resize_(result.shape).copy_(result)
    return written_type(type(results))(outs)


class _Results:
    """A mode that keeps the calls that it sees: the operator, its result, and whether it could
    write that."""

    def __init__(self) -> None:
        self.found: list[tuple[Any, Any, bool]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        known = overloads_into(func._opname) if func.namespace == "aten" else ()
        self.found.append((func, result, any([not each.composite for each in known])))
        return result

    def place_of(self, result: Any) -> tuple[int | None, tuple[int, ...]]:
        """The call that returned `result`, if it could write it, and the places in its results."""
        parts = result if isinstance(result, (tuple, list)) else (result,)
        for place, (_, found, writes) in reversed(list(enumerate(self.found))):
            if _is_result(found, result):
                return place if writes else None, ()
            if isinstance(found, (tuple, list)):
                at = [i for each in parts for i, one in enumerate(found) if one is each]
                if len(at) == len(parts):
                    return place if writes else None, tuple(at)
        return None, ()


def _is_result(given: Any, result: Any) -> bool:
    if not isinstance(given, (tuple, list)) or not isinstance(result, (tuple, list)):
        return given is result
    return len(given) == len(result) and all(x is y for x, y in zip(given, result, strict=True))


def _own_function(name: str, types: Any) -> Callable[..., Any] | None:
    """The function that a class which computes by itself has for a composite; None without one."""
    for kind in types:
        own: Any = getattr(kind, "_own_functions", {}).get(name)
        if own is not None:
            return own  # type: ignore[no-any-return]
    return None


def _by_own(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    if not WRAPPERS:
        return compute

    def seen(*args: Any, **kwargs: Any) -> Any:
        own = _own_function(name, wrapping(args, kwargs))
        return (compute if own is None else own)(*args, **kwargs)

    return seen


def lift_fresh(made: Any) -> Any:
    """A tensor of a program's own numbers, after the modes saw it go by."""
    op = ops.aten.lift_fresh.default
    return Call(op, None, op, (made,), {}).run(STACK.get())


LIFT.append(lift_fresh)


def _seen_foreach(name: str, overload: str, bound: dict[str, Any], compute: Any) -> Any:
    """The result of an operator on lists of tensors, after the modes of this thread saw it."""
    op = getattr(getattr(ops.aten, name), overload or "default")
    schema = Schema.parse(overload_text(name, overload or "default"))
    call = Call(op, None, compute, (), {})
    call.args, call.kwargs = bound_in_schema_order(schema, bound)
    call.types = wrapping(call.args, call.kwargs)
    return call.run(STACK.get())


foreach.SEEN.append(_seen_foreach)


def by_class(op: Any, *args: Any) -> Any:
    """The result of an operator, computed by the classes of its arguments."""
    call = Call(op, None, op, args, {})
    call.types = wrapping(args, {})
    return call.run(STACK.get())


def _writing(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a write that stores what another computes, as modes see it; and which it
    hands to the class of an instance that computes by itself."""

    def seen(*args: Any, **kwargs: Any) -> Any:
        if STACK.get() and args:
            return _seen_write(name, compute, args, kwargs)
        if not args or not sees_operators(args[0]) or classes_off.get():
            return compute(*args, **kwargs)
        row = _row_written(name, args)
        packet = getattr(ops.aten, name, None)
        if row is None or packet is None:
            return _become(name, *args, **kwargs)
        by_place, by_name = in_schema_order(row, args, kwargs)
        overload = getattr(packet, overload_of(row), None) or getattr(packet, packet.overloads()[0])
        number = len(args) > 1 and isinstance(args[-1], (int, float, complex))
        if number and (row.name not in _AS_TENSOR or calls_from_formula()):
            overload = getattr(packet, "Scalar", overload)
        call = Call(overload, row, compute, args, kwargs)
        call.args, call.kwargs, call.types = by_place, by_name, wrapping(args, kwargs)
        return call.run(())

    return seen


def _seen_write(name: str, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of a write that has no row, after the modes of this thread saw it."""
    packet = getattr(ops.aten, name, None)
    for row in ROWS.values():
        if packet is None or name not in (f"{row.name}_", row.name):
            continue
        seen = _as_written(row, args, kwargs)
        if seen is None:
            continue
        known = packet.overloads()
        plain = overload_of(row).removeprefix("Tensor_")
        overload = next((each for each in (overload_of(row), plain) if each in known), known[0])
        call = Call(getattr(packet, overload), None, compute, args, kwargs)
        call.args, call.kwargs = seen
        call.writes = row
        call.types = wrapping(args, kwargs)
        return call.run(STACK.get())
    return compute(*args, **kwargs)


def _as_written(row: Row, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
    """The arguments of a write as modes see them; None if they are none of a row's."""
    by_place = [each for each in row.schema.arguments if not each.keyword_only]
    if len(args) > len(by_place):
        return None
    try:
        bound = bind(row, args, kwargs)
    except (TypeError, KeyError, IndexError):
        return None
    for each in row.schema.arguments:
        value = bound.get(each.name)
        listed = each.type.startswith(("Tensor[", "Tensor?["))
        if value is None or each.name not in bound or listed:
            continue
        if isinstance(value, Tensor) != each.is_tensor or isinstance(value, str) != (
            each.type.rstrip("?") == "str"
        ):
            return None
    return in_schema_order(row, args, kwargs)


def _row_written(name: str, args: Any) -> Row | None:
    """The row of the operator whose result a write stores, for arguments like these."""
    rows = [row for row in ROWS.values() if f"{row.name}_" == name]
    numbers = len(args) > 1 and not isinstance(args[-1], Tensor)
    of_numbers = ("value", "", "Tensor_Scalar", "Tensor")
    known = of_numbers if numbers else ("Tensor", "", "src", "Tensor_Tensor")
    by_overload = {row.schema.overload: row for row in reversed(rows)}
    return next(
        (by_overload[each] for each in known if each in by_overload), next(iter(rows), None)
    )


def _become(name: str, self: Any, *args: Any, **kwargs: Any) -> Any:
    """`self` after a write of a composite: it holds the operator's result, and has the
    history of the result."""
    check_writable(self, recording() and any(map(leads, (self, *args))))
    result = getattr(Tensor, name[:-1])(copied(self), *args, **kwargs)
    self.__dict__.update(result.__dict__)
    note_write(self, None)
    self._edge = result._edge
    return self


def _takes_number(row: Row, name: str) -> bool:
    """Whether torch calls the overload for a number: for comparisons, and in formulas, which it
    writes in C++."""
    plain = name.rstrip("_")
    if plain not in OF_NUMBERS or overload_of(row) != "Tensor":
        return False
    if plain not in _AS_TENSOR:
        return True
    return calls_from_formula()


_AS_TENSOR = ("add", "sub", "mul", "div")


def is_number(args: Any, kwargs: Any) -> bool:
    """Whether the second operand of a call is a number that was no operand of a program's call."""
    other = args[1] if len(args) > 1 else kwargs.get("other")
    return isinstance(other, (int, float, complex))


observe.WATCHERS.insert(0, dispatching)
for _name in made_calls.METHODS:
    watchable(_name, vars(Tensor)[_name])


@cache
def _overload(row: Row, name: str) -> Any:
    packet = getattr(ops.aten, name)
    overload = overload_of(row) if name == row.name else written_overload(row, packet.overloads())
    return getattr(packet, overload, None) or getattr(packet, packet.overloads()[0])


def _taken_up(output: Any) -> Any:
    """An output that a node saved, after the modes of this thread saw it detached."""
    if not STACK.get():
        return output
    seen = output.detach()
    seen._edge, seen._cell, seen._tangents = output._edge, output._cell, output._tangents
    return seen


def _every(node: Any) -> bool:
    """Whether the formulas of a node run on Tensors in a plain backward: where modes see them."""
    return bool(STACK.get())


class TorchDispatchMode:
    """A context whose __torch_dispatch__ sees each operator of this thread, those of a backward
    among them.

    As torch.utils._python_dispatch.TorchDispatchMode.
    """

    __module__ = "torch.utils._python_dispatch"

    def __init__(self, _dispatch_key: Any = None) -> None:
        self._dispatch_key = _dispatch_key

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """The result of an operator: to be written by subclasses.

        func: the overload, such as torch.ops.aten.add.Tensor.
        types: the classes of those arguments that have a __torch_dispatch__ themselves.
        args, kwargs: the arguments of its schema, without defaults.
        """
        raise NotImplementedError

    def __enter__(self) -> Any:
        _push_mode(self)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        _pop_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """A mode, as its constructor makes it. Deprecated."""
        import warnings

        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`",
            stacklevel=2,
        )
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether torch itself is written with this mode."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that changes nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


# ---- the stack


def _push_mode(mode: Any) -> None:
    """Makes a mode the innermost of this thread."""
    watch(+1)
    TENSOR_FORMULAS.append(_every)
    TAKEN_UP.append(_taken_up)
    STACK.set((*STACK.get(), mode))


def _pop_mode(k: Any = None) -> Any:
    """Takes the innermost mode away, and returns it."""
    modes = STACK.get()
    if not modes:
        raise RuntimeError("trying to pop from empty mode stack")
    STACK.set(modes[:-1])
    TENSOR_FORMULAS.remove(_every)
    TAKEN_UP.remove(_taken_up)
    watch(-1)
    return modes[-1]


def _get_current_dispatch_mode() -> Any:
    """The innermost mode of this thread; None if there is none."""
    modes = STACK.get()
    return modes[-1] if modes else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes of this thread, the outermost first."""
    return list(STACK.get())


@contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[Any]:
    """A block without the innermost mode, which it gets."""
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextmanager
def _disable_current_modes() -> Iterator[list[Any]]:
    """A block without modes."""
    modes = STACK.get()
    stack, waiting = STACK.set(()), WAITING.set(None)
    try:
        yield list(modes)
    finally:
        WAITING.reset(waiting)
        STACK.reset(stack)


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode sees the operators of this thread."""
    return bool(STACK.get())


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor holds others, which __tensor_flatten__ and __tensor_unflatten__ tell of."""
    flattens = hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")
    return isinstance(t, Tensor) and type(t) is not Tensor and flattens


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether the tensors of a class hold others."""
    flattens = hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")
    return issubclass(t, Tensor) and t is not Tensor and flattens


def any_torch_dispatch_mode_on_stack() -> bool:
    """Whether a mode sees the operators of this thread."""
    return bool(STACK.get())


def is_in_any_mode_without_ignore_compile_internals() -> bool:
    """Whether a mode is active that sees a compiler's internals: none is."""
    return False
