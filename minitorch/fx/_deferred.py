"""Calls that wait: a mode notes what a program asks of tensors, and answers with empty ones.

torch.compile hands a backend the graph of what a program calls. Dynamo finds it in the bytecode;
here the program itself runs, each time that it is called. A `Recorder` sees its calls of torch,
notes each as a `Step`, and gives tensors without numbers for results (`Deferred`). Where numbers
are needed, and at the end, it has the steps run, and the Deferred tensors that somebody still
holds become the results. Where dynamo breaks its graph, the steps so far are one, too.
"""

from __future__ import annotations

import builtins
import dis
import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import signature
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple
from weakref import ref

import numpy

from minitorch import _C
from minitorch._public import outlines
from minitorch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    _depends_on_numbers,
)
from minitorch.amp import state
from minitorch.core.base import modes
from minitorch.core.base.fields import LEAF, TensorBase, is_leaf
from minitorch.core.declare.protocols.function_modes import (
    TorchFunctionMode,
    active,
    without_innermost,
)
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_function import disabled
from minitorch.core.graph.saved_hooks import HOOKS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor

# Methods and attributes that need numbers or memory, or change what no step could tell.
_NUMBERS = frozenset(
    """
    item tolist numpy __array__ __bool__ __int__ __float__ __complex__ __index__ __contains__
    __repr__ __str__ __format__ equal allclose is_nonzero backward
    """.split()
)
_NOW = _NUMBERS | frozenset(
    """
    __deepcopy__ __reduce_ex__ __dlpack__ grad_fn data_ptr
    untyped_storage storage _version is_leaf output_nr retain_grad retains_grad register_hook
    register_post_accumulate_grad_hook requires_grad_ detach_ set_ resize_ resize_as_ t_
    transpose_ squeeze_ unsqueeze_ swapaxes_ swapdims_ as_strided_ share_memory_ is_shared
    as_subclass rename_ names _backward_hooks _base seed initial_seed
    """.split()
)
_MOVES = frozenset(("to", "cpu", "cuda", "type", "type_as", "tensor", "as_tensor"))
NUMBERS_NEEDED = (DataDependentOutputException, DynamicOutputShapeException)
_ALIASES = {
    "div": "truediv", "true_divide": "truediv", "floor_divide": "floordiv", "remainder": "mod",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "bitwise_not": "invert",
    "__rdiv__": "truediv",
}  # fmt: skip
_BINARY = {
    "+": "add", "&": "and_", "//": "floordiv", "<<": "lshift", "@": "matmul", "*": "mul",
    "%": "mod", "|": "or_", "**": "pow", ">>": "rshift", "-": "sub", "/": "truediv", "^": "xor",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
_INPLACE = frozenset([getattr(operator, f"i{name.strip('_')}", None) for name in _BINARY.values()])
_UNARY = {"UNARY_NEGATIVE": operator.neg, "UNARY_INVERT": operator.invert}
# Where calls pass through; modules that were found as torch's have its name.
_PLUMBING = tuple(
    [f"{top}.{name}" for top in ("minitorch", "torch") for name in ("core", "aten", "fx")]
)


class Input(NamedTuple):
    """A tensor that a graph takes, by its place among all that were seen."""

    place: int


class Value(NamedTuple):
    """The result of a step."""

    step: int


class Step(NamedTuple):
    """A call. Its arguments are Inputs, Values, and things that are no tensors.

    name: of the variable that gets the result, if any.
    part: whether it takes a result out of a tuple or a dict.
    """

    kind: str
    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name: str | None = None
    part: bool = False


_ARRAY: Any = vars(TensorBase)["_array"]


class Deferred(FakeTensor):
    """A result that waits. What asks it for numbers gets those that it has then."""

    __module__ = "torch"
    _value: Any = None

    @property
    def _array(self) -> Any:
        if modes.recorder.get() is not None:  # a part of the library computes by itself
            _finish(self)
        return _ARRAY.__get__(self)

    @_array.setter
    def _array(self, array: Any) -> None:
        _ARRAY.__set__(self, array)

    device = property(lambda self: _ARRAY.__get__(self).place)  # type: ignore[assignment]
    is_meta = property(lambda self: self.device.type == "meta")  # type: ignore[assignment]
    is_cuda = property(lambda self: self.device.type == "cuda")  # type: ignore[assignment]
    is_cpu = property(lambda self: self.device.type == "cpu")  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        _finish(self)
        return self.__deepcopy__(memo)  # by now that of the class it has become an instance of


def _asking(name: str) -> Callable[..., Any]:
    def asking(self: Any, *args: Any, **kwargs: Any) -> Any:
        _finish(self)
        return getattr(self, name)(*args, **kwargs)

    return asking


for _name in ("item tolist numpy data_ptr __bool__ __int__ __float__ __index__ __repr__ "
              "__str__ __format__").split():  # fmt: skip
    setattr(Deferred, _name, _asking(_name))


def _finish(*first: Any) -> None:
    recorder = modes.recorder.get()
    if recorder is None:
        raise RuntimeError("a tensor of a program that was compiled has left it unfinished")
    recorder.end_graph("the program needs a tensor's numbers", *first)


class Recorder(TorchFunctionMode):
    """Sees the calls of a program.

    finished: runs steps: (steps, inputs, used, outputs, names) -> the tensors of the outputs.
    code: of the function whose variables give names to steps.
    direct: the function's arguments that are tensors; dynamo looks at them when they are used, at
        what others hold when it is taken from them, and so before.
    fullgraph: whether a program that ends a graph halfway is refused.
    """

    def __init__(
        self,
        finished: Callable[..., list[Any]],
        code: CodeType | None,
        direct: list[Any],
        fullgraph: bool = False,
    ) -> None:
        super().__init__()
        self._finished, self._code, self._fullgraph = finished, code, fullgraph
        self._direct = {id(each) for each in direct if isinstance(each, TensorBase)}
        self.names: dict[int, str] = {}  # of variables that hold results of earlier steps
        self._begin()

    def _begin(self) -> None:
        self.steps: list[Step] = []
        self.inputs: list[Any] = []
        self.used: list[int] = []  # those that steps take, in dynamo's order
        self._values: dict[int, Any] = {}  # what stands for the inputs now
        self._fakes: dict[int, Any] = {}
        self._made: list[Any] = []  # weak references to Deferred tensors
        self._mode = FakeTensorMode(allow_non_fake_inputs=True)
        self._history: Any = None
        self._grad = self._first_grad = modes.grad_mode.get()
        self._around = _surroundings()

    def finish(self, *first: Any) -> None:
        """Runs the steps that wait; their results that are still held are tensors from now on.

        first: holds those that are the first outputs
        """
        steps, inputs, used, made = self.steps, self.inputs, self.used, self._made
        if self._grad != self._first_grad:
            self._note_grad_mode(self._first_grad)
        grad = self._first_grad
        held = [each for each in (reference() for reference in made) if each is not None]
        ahead = {id(each): each for each in _tensors(first) if isinstance(each, Deferred)}
        waiting = [*ahead.values(), *[each for each in held if id(each) not in ahead]]
        self._begin()
        if not steps:
            return
        values = [each._value for each in waiting]
        token = modes.grad_mode.set(grad)
        try:
            with _unseen(self):
                results = self._finished(steps, inputs, used, values, self.names)
        finally:
            modes.grad_mode.reset(token)
        _become(waiting, results)
        for each, value in zip(waiting, values):
            if steps[value.step].name:
                self.names[id(each)] = steps[value.step].name  # type: ignore[assignment]

    def end_graph(self, why: str, *first: Any) -> None:
        """Finishes before the program has. Unsupported under fullgraph."""
        if self._fullgraph:
            raise outlines.find("torch._dynamo.exc", "Unsupported")(
                f"Graph break under fullgraph=True: {why}"
            )
        self.finish(*first)

    def aside(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function that is no part of a graph."""
        self.finish()
        with _unseen(self):
            return function(*args, **kwargs)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        token = modes.recorder.set(None)  # what the call itself calls is not the program's
        try:
            return self._answered(func, args, kwargs or {})
        finally:
            modes.recorder.reset(token)

    def _answered(self, func: Any, args: Any, kwargs: Any) -> Any:
        name = getattr(func, "__name__", "")
        attribute = name in ("__get__", "__set__", "__delete__")
        if attribute:
            name = _attributes().get(getattr(func, "__self__", None), "")
        if (attribute and func.__name__ != "__get__") or not self._waits(name, args, kwargs):
            if name in _NUMBERS:
                self.end_graph(f"Tensor.{name} needs the tensor's numbers", args)
            self.finish(args)
            return func(*args, **kwargs)
        if name == "grad" and not isinstance(args[0], Deferred):
            return func(*args, **kwargs)
        if name in ("_set_grad_enabled", "set_grad_enabled"):
            return func(*args, **kwargs)
        try:
            given = self._faked(args), self._faked(kwargs)
            result = self._empty(func, name, *given)
        except Exception as error:
            if isinstance(error, NUMBERS_NEEDED) or _depends_on_numbers(str(error), name):
                self.end_graph(f"the result of {name} depends on numbers", args)
            # Operations that need numbers, and errors: eager torch handles both.
            self.finish(args)
            return func(*args, **kwargs)
        tensors = list(_tensors(result))
        if any(each.requires_grad and is_leaf(each) and not _is_given(each, given[0])
               for each in tensors):  # fmt: skip
            self.finish()  # a leaf that the program itself makes
            return func(*args, **kwargs)
        if not tensors and (result is not None or not any(True for _ in _tensors(args))):
            return result
        return self._noted(func, name, attribute, args, kwargs, result)

    def _empty(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        """The result of a call with empty tensors."""
        elsewhere = "device" in kwargs or name.startswith("new_") or name in _MOVES
        if elsewhere or next(_tensors((args, kwargs)), None) is None:
            with self._mode:
                return func(*args, **kwargs)
        return disabled(func, (), args, kwargs)  # without the mode: a tenth of the time

    def _waits(self, name: str, args: Any, kwargs: Any) -> bool:
        """Whether a call may be a step: it may not if its surroundings could have changed later."""
        if name in _NOW or self._around != _surroundings():
            return False
        for each in _leaves((args, kwargs)):
            if isinstance(each, TensorBase):
                plain = type(each) in (Tensor, Parameter, Deferred) and each._level is None
                if not plain or each._tangents is not None or each.is_nested:
                    return False
            elif isinstance(each, numpy.ndarray):
                return False
        return True

    def _faked(self, value: Any) -> Any:
        """Arguments with empty tensors in place of all others."""
        if isinstance(value, TensorBase):
            return value if isinstance(value, Deferred) else self._fake(value)
        if isinstance(value, dict):
            return {name: self._faked(each) for name, each in value.items()}
        return rebuilt(value, self._faked)

    def _fake(self, x: Any) -> Any:
        if id(x) not in self._fakes:
            made = self._mode.from_tensor(x)
            if made._edge is LEAF and not is_leaf(x):
                with self._mode:
                    made = made.clone()  # no leaf, which might not be written in place
            self._fakes[id(x)] = made
            self._values[id(x)] = Input(len(self.inputs))
            self.inputs.append(x)
        return self._fakes[id(x)]

    def _noted(
        self, func: Any, name: str, attribute: bool, args: Any, kwargs: Any, result: Any
    ) -> Any:
        """The result of a call that is a step from now on."""
        if modes.grad_mode.get() != self._grad:
            self._note_grad_mode(modes.grad_mode.get())
        frame = _caller()
        symbol, variable = _as_written(frame)
        originals = {id(self._faked(each)): each for each in _tensors((args, kwargs))}
        args, kwargs = _as_called(func, args, kwargs, frame)
        if frame.f_code is not self._code:
            variable = None
        self._use((args, kwargs))
        kind, target = "call_function", func
        listed = tuple(self._valued(args))
        if attribute:
            target, listed = getattr, (*listed, name)
        elif name in ("__getitem__", "__setitem__"):
            target = getattr(operator, name.strip("_"))
        elif symbol is not None and not kwargs and _is_spelled(name, symbol, len(args)):
            target = symbol
            if _is_reversed(name, symbol):
                listed = listed[::-1]
        elif getattr(Tensor, name, None) is func or _is_method(func, name):
            kind, target = "call_method", name
        step = Value(len(self.steps))
        self.steps.append(Step(kind, target, listed, self._valued(kwargs), variable))
        if target is symbol and symbol in _INPLACE and isinstance(args[0], TensorBase):
            self._set_value(args[0], step)
        return self._result(result, step, originals)

    def _use(self, given: Any) -> None:
        new = [each for each in _tensors(given) if not isinstance(each, Deferred)]
        for each in sorted(new, key=lambda each: id(each) in self._direct):
            value = self._values[id(each)]
            if isinstance(value, Input) and value.place not in self.used:
                self.used.append(value.place)

    def _note_grad_mode(self, enabled: bool) -> None:
        self._grad = enabled
        self.steps.append(Step("call_function", _C._set_grad_enabled, (enabled,), {}))

    def _result(self, result: Any, step: Value, originals: dict[int, Any]) -> Any:
        """The value that the program gets for a fake result: an argument if the result is one."""
        if isinstance(result, TensorBase):
            if id(result) in originals:
                return originals[id(result)]
            result.__class__ = Deferred
            if not is_leaf(result):
                result._edge = self._some_history()  # its own edge would keep saved tensors alive
            result._value = step  # type: ignore[attr-defined]
            self._made.append(ref(result))
            return result
        if isinstance(result, dict):
            return {key: self._part(each, key, step, originals) for key, each in result.items()}
        parts = enumerate(result) if isinstance(result, (list, tuple)) else ()
        found = [self._part(each, i, step, originals) for i, each in parts]
        return _remade(result, found) if found else result

    def _some_history(self) -> Any:
        if self._history is None:
            leaf = self._mode.from_tensor(Tensor(1).requires_grad_())
            with self._mode:
                self._history = leaf.clone()
        return self._history._edge

    def _part(self, result: Any, key: Any, step: Value, originals: dict[int, Any]) -> Any:
        if next(_tensors(result), None) is None or id(result) in originals:
            return originals.get(id(result), result)
        part = Value(len(self.steps))
        self.steps.append(Step("call_function", operator.getitem, (step, key), {}, part=True))
        return self._result(result, part, originals)

    def _valued(self, value: Any) -> Any:
        """Arguments with Inputs and Values in place of tensors."""
        if isinstance(value, TensorBase):
            return value._value if isinstance(value, Deferred) else self._values[id(value)]
        if isinstance(value, dict):
            return {name: self._valued(each) for name, each in value.items()}
        return rebuilt(value, self._valued)

    def _set_value(self, x: Any, value: Value) -> None:
        if isinstance(x, Deferred):
            x._value = value
        else:
            self._values[id(x)] = value


def _surroundings() -> tuple[Any, ...]:
    """The settings besides its arguments that a call depends on; later steps would not see them."""
    return (
        modes.inference_mode.get(), modes.transforms.get(), HOOKS.get(), STACK.get(),
        state.is_autocast_enabled("cpu"), dtypes.get_default_dtype(),
    )  # fmt: skip


@contextmanager
def _unseen(recorder: Recorder) -> Iterator[None]:
    """A block whose calls the recorder does not see, for no part of it is the program's."""
    token = modes.recorder.set(None)
    try:
        if active() and active()[-1] is recorder:
            with without_innermost():
                yield
        else:
            yield
    finally:
        modes.recorder.reset(token)


@contextmanager
def recorded(recorder: Recorder) -> Iterator[None]:
    """A block whose calls are steps, which it has to finish.

    What is printed comes after what was computed before it.
    """
    original = builtins.print

    def printing(*args: Any, **kwargs: Any) -> None:
        running = modes.recorder.get()
        if running is None:
            original(*args, **kwargs)
        else:
            running.end_graph("the program prints")
            running.aside(original, *args, **kwargs)

    token = modes.recorder.set(recorder)
    builtins.print = printing
    try:
        with recorder:
            yield
    finally:
        if builtins.print is printing:
            builtins.print = original
        modes.recorder.reset(token)


def _become(waiting: list[Any], results: list[Any]) -> None:
    """Makes Deferred tensors the results, with their histories, and views of one another."""
    stand = {id(real): each for each, real in zip(waiting, results)}
    for each, real in zip(waiting, results):
        each._array, each._edge, each._grad = real._array, real._edge, real._grad
        each._cell, view = real._cell, real._view
        if view is not None and id(view[0]) in stand:
            view = (stand[id(view[0])], *view[1:])
        each._view = view
        each.__dict__.clear()
        each.__dict__.update(real.__dict__)
        each.__class__ = type(real)


# ---- what a program has written


def _caller() -> FrameType:
    """The frame of the program that makes the call."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PLUMBING):
        frame = frame.f_back
    if frame.f_code.co_name == "_forward":  # of a function that modes see
        frame = frame.f_back
    return frame


def _as_called(func: Any, args: Any, kwargs: Any, frame: FrameType) -> tuple[Any, Any]:
    """The arguments as the program gave them: functions in Python tell modes all that they take."""
    call = _calls(frame.f_code).get(frame.f_lasti)
    if call is None or not isinstance(func, FunctionType) or not kwargs:
        return args, kwargs
    count, named = call
    parameters = signature(func).parameters
    taken = [name for name, each in parameters.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    values = {**dict(zip(taken, args)), **kwargs}
    listed = taken[: count - len(named)]
    untold = {*kwargs} - {*listed, *named}
    if len(args) > len(listed) or not {*listed, *named} <= {*values}:
        return args, kwargs
    if any(values[each] is not parameters[each].default for each in untold if each in parameters):
        return args, kwargs
    if not untold <= {*parameters}:
        return args, kwargs
    return tuple([values[each] for each in listed]), {each: values[each] for each in named}


@cache
def _calls(code: CodeType) -> dict[int, tuple[int, tuple[str, ...]]]:
    """The number of arguments of each call of some code, and the names of the last of them."""
    found: dict[int, tuple[int, tuple[str, ...]]] = {}
    named: tuple[str, ...] = ()
    for each, places in _instructions(code):
        if each.opname in ("KW_NAMES", "LOAD_CONST"):
            named = code.co_consts[each.arg or 0]
        elif each.opname in ("CALL", "CALL_KW"):
            if each.opname == "CALL" and sys.version_info >= (3, 13):
                named = ()
            found.update(dict.fromkeys(places, (each.arg or 0, named if _are_names(named) else ())))
        elif each.opname != "PRECALL":
            named = ()
    return found


def _are_names(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, str) for each in value)


@cache
def _instructions(code: CodeType) -> list[tuple[dis.Instruction, range]]:
    """The instructions of some code, with the places at which a frame may be in each."""
    found = list(dis.get_instructions(code))
    ends = [*[each.offset for each in found[1:]], len(code.co_code)]
    return [(each, range(each.offset, end, 2)) for each, end in zip(found, ends)]


def _as_written(frame: FrameType) -> tuple[Any, str | None]:
    """The operator that the frame applies, and the variable that gets the result, if any."""
    return _spelling(frame.f_code).get(frame.f_lasti, (None, None))


@cache
def _spelling(code: CodeType) -> dict[int, tuple[Any, str | None]]:
    found: dict[int, tuple[Any, str | None]] = {}
    instructions = _instructions(code)
    following: Any
    for (each, places), (following, _) in zip(instructions, [*instructions[1:], (None, None)]):
        symbol: Any = None
        if each.opname in ("BINARY_OP", "COMPARE_OP"):
            text = str(each.argrepr if each.opname == "BINARY_OP" else each.argval)
            inplace = text.endswith("=") and text not in _BINARY
            name = _BINARY.get(text.removesuffix("=") if inplace else text)
            if name is not None:
                symbol = getattr(operator, f"i{name.strip('_')}" if inplace else name)
        else:
            symbol = _UNARY.get(each.opname)
        stores = following is not None and following.opname == "STORE_FAST"
        found.update(dict.fromkeys(places, (symbol, following.argval if stores else None)))
    return found


def _is_spelled(name: str, symbol: Any, count: int) -> bool:
    """Whether a program that writes this operator calls the method of this name."""
    base = name.strip("_")
    known = {_ALIASES.get(name, _ALIASES.get(base, base)), base, base.removeprefix("r")}
    return count <= 2 and bool({symbol.__name__.strip("_"), symbol.__name__[1:]} & known)


def _is_reversed(name: str, symbol: Any) -> bool:
    """Whether a method of this name applies the operator to its arguments from right to left."""
    base = name.strip("_")
    return (
        base.startswith("r")
        and base != symbol.__name__
        and base in ("rdiv", f"r{symbol.__name__.strip('_')}")
    )


def _is_method(func: Any, name: str) -> bool:
    """Whether a function can be named as a method of Tensor alone."""
    return hasattr(Tensor, name) and getattr(func, "__module__", "").startswith("minitorch.core")


# ---- arguments and results


@cache
def _attributes() -> dict[Any, str]:
    found = {}
    for kind in reversed(Tensor.__mro__):
        found.update({v: name for name, v in vars(kind).items() if type(v) is property})
    return found


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _tensors(value: Any) -> Iterator[Any]:
    return (each for each in _leaves(value) if isinstance(each, TensorBase))


def _is_given(result: Any, args: Any) -> bool:
    return any(each is result for each in _tensors(args))


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value, each part of which is changed."""
    if type(value) is slice:
        return slice(change(value.start), change(value.stop), change(value.step))
    if isinstance(value, (list, tuple)):
        return _remade(value, [change(each) for each in value])
    return value


def _remade(value: Any, parts: list[Any]) -> Any:
    """A list or tuple of the kind of another one."""
    if hasattr(value, "_fields"):
        return type(value)(*parts)
    return type(value)(parts)
