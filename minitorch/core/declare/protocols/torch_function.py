"""Calls that a program's own classes take over: `__torch_function__`.

torch checks the arguments of every call for it. Here only programs with such classes pay for that:
from the first class on, each public function, method and attribute of Tensor checks its arguments.
It stays the same object, so that tables of functions keep working. A class that takes over a call
of a C++ function of torch gets the arguments as they were passed; `kwargs` is None if none were
passed. If the function is Python in torch, the class gets all options by name, passed or not.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from types import CodeType, FunctionType, MethodWrapperType
from typing import Any

from minitorch.core.base.above import from_above
from minitorch.core.declare.calls import ALWAYS, MODES, NO_ARGUMENT, SELF, calls_of
from minitorch.core.declare.codegen.waiting import forward, rename, taken_over
from minitorch.core.declare.general.elementwise import is_operand
from minitorch.core.declare.protocols import function_modes
from minitorch.core.declare.protocols.function_modes import (
    TorchFunctionMode,
    active,
    seen_by_mode,
)
from minitorch.core.declare.registry import DUNDERS, FUNCTIONS, load_families
from minitorch.core.declare.wording.signatures import (
    OTHERS,
    complaint,
    is_listed,
    parameters_given,
    refusal,
    signature,
    signatures_at,
)
from minitorch.core.numbers import device as devices
from minitorch.core.tables import table
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import warn

functions_off: ContextVar[bool] = ContextVar("torch_function_off", default=False)


def torch_function(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The result of a call as Tensor computes it, converted to the subclass `cls`: the method that
    subclasses inherit. As Tensor.__torch_function__ of torch/_tensor.py."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    token = functions_off.set(True)
    try:
        result = func(*args, **(kwargs or {}))
    finally:
        functions_off.reset(token)
    return result if _is_as_it_is(func) else converted(result, cls)


def converted(result: Any, cls: Any) -> Any:
    """A result whose tensors, also those in tuples and lists, are instances of `cls`."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)([converted(each, cls) for each in result])
    return result


def disabled(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of classes that take no call over."""
    token = functions_off.set(True)
    try:
        return func(*args, **(kwargs or {}))
    finally:
        functions_off.reset(token)


def _is_as_it_is(func: Any) -> bool:
    """Whether a function's result is not converted to the subclass: a gradient, a view's base."""
    return type(func) is MethodWrapperType and func in getters_as_they_are()


def getters_as_they_are() -> set[Any]:
    """The getters of attributes of Tensor that hold other tensors. Found anew, for a module that is
    imported later may replace an attribute."""
    return {vars(Tensor)[name].__get__ for name in ("_base", "grad")}


torch_function.__name__ = "__torch_function__"
torch_function.__qualname__ = "Tensor.__torch_function__"
Tensor.__torch_function__ = classmethod(torch_function)
Parameter.__torch_function__ = staticmethod(disabled)
disabled.__name__ = disabled.__qualname__ = "_disabled_torch_function_impl"
_NO_TAKERS = disabled, None


class DisableTorchFunctionSubclass:
    """A block in which subclasses of Tensor count as plain Tensors: with ...: ..."""

    __module__ = "torch._C"

    def __init__(self, *_: Any) -> None:
        self._tokens: list[Any] = []

    def __enter__(self) -> None:
        self._tokens.append(functions_off.set(True))

    def __exit__(self, *_: Any) -> None:
        functions_off.reset(self._tokens.pop())


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A block in which, in addition, modes see no calls: with ...: ..."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        super().__enter__()
        self._tokens.append(function_modes.all_off.set(True))

    def __exit__(self, *exception: Any) -> None:
        function_modes.all_off.reset(self._tokens.pop())
        super().__exit__(*exception)


# ---- which arguments take a call over


def overriding(args: Any, kwargs: Any) -> list[Any]:
    """One argument of each class with its own __torch_function__, subclasses before their bases;
    those in lists included."""
    return _each_class([each for each in tensors_in(args, kwargs) if takes_over(type(each))])


def overriding_outside_lists(values: Iterable[Any]) -> list[Any]:
    """`overriding` for the values themselves, without lists, as in torch's Python functions."""
    return _each_class([each for each in values if is_taker(each)])


def is_taken_over(values: Iterable[Any]) -> bool:
    """Whether a mode sees a call with these arguments, or one of them takes it over."""
    return bool(active()) or (not functions_off.get() and bool(overriding_outside_lists(values)))


def takes_over(kind: type) -> bool:
    """Whether calls on instances of a class go to its `__torch_function__`."""
    return kind is not Tensor and getattr(kind, "__torch_function__", None) not in _NO_TAKERS


def is_taker(value: Any) -> bool:
    """Whether a value takes calls over."""
    return takes_over(type(value))


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a Tensor or has a __torch_function__."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def tensors_in(args: Any, kwargs: Any) -> list[Any]:
    """The arguments that may take a call over, those in lists included."""
    values = [*args, *kwargs.values()]
    flat = [t for each in values for t in (each if isinstance(each, (list, tuple)) else (each,))]
    return [t for t in flat if hasattr(type(t), "__torch_function__")]


def _each_class(tensors: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for each in tensors:
        kind = type(each)
        if all([type(other) is not kind for other in found]):
            at = (i for i, other in enumerate(found) if issubclass(kind, type(other)))
            found.insert(next(at, len(found)), each)
    return found


def take_over(
    function: Any,
    takers: list[Any],
    args: Any,
    kwargs: Any,
    refusal: Any,
    *,
    types: Any = None,
    in_python: bool = False,
) -> Any:
    """The result of a call from the innermost mode or, if that declines, from the first of `takers`
    that does not. TypeError with the text refusal(their types) if all of them do.
    types: the types that a mode gets in place of the types of `takers`.
    in_python: whether torch writes the function in Python.
    """
    own = tuple(map(type, takers))
    result = seen_by_mode(function, own if types is None else types, args, kwargs)
    if result is not NotImplemented:
        return result
    for each in takers:
        method = each.__torch_function__
        if getattr(method, "__self__", None) is each:
            warn(*_PLAIN_METHOD[in_python])
        result = method(function, own, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(refusal(own))


# Warnings of torch's C++ and Python functions for a __torch_function__ that is no classmethod.
_PLAIN = (
    "Defining your `__torch_function__{} as a plain method is deprecated and will be an error in "
    "future, please define it as a classmethod."
)
_PLAIN_METHOD = (_PLAIN.format("`"), UserWarning), (_PLAIN.format(""), DeprecationWarning)


def handled(
    function: Any, path: str, takers: list[Any], args: Any, kwargs: Any, types: Any = None
) -> Any:
    """`take_over` for C++ functions, as in torch/csrc/utils/python_arg_parser.cpp."""

    def refusal(types: Any) -> str:
        modes = "".join([f"\n\n  - mode object {mode!r}" for mode in active()[-1:]])
        each = "".join([f"\n\n  - tensor subclass {kind}" for kind in types])
        return (
            f"Multiple dispatch failed for '{path}'; all __torch_function__ handlers returned "
            f"NotImplemented:{modes}{each}\n\nFor more information, try re-running with "
            "TORCH_LOGS=not_implemented"
        )

    return take_over(function, takers, args, kwargs, refusal, types=types)


def handled_in_python(
    function: Any, path: str, relevant: Iterable[Any], args: Any, kwargs: Any
) -> Any:
    """`take_over` for Python functions, as in torch/overrides.py, where plain Tensors count too."""

    def refusal(types: Any) -> str:
        modes = "".join([f" nor in mode {mode}" for mode in active()[-1:]])
        return (
            f"no implementation found for '{path}' on types that implement __torch_function__: "
            f"{list(types)}{modes}"
        )

    off = functions_off.get()
    asked = [each for each in relevant if not off and (type(each) is Tensor or is_taker(each))]
    takers = _each_class(asked)
    return take_over(function, takers, args, kwargs, refusal, in_python=True)


# ---- which functions check their arguments

# Methods of Tensor that torch writes in Python, besides those of operators that declare it.
_IN_PYTHON = frozenset(
    """
    __array__ __array_wrap__ __contains__ __deepcopy__ __dlpack__ __dlpack_device__ __floordiv__
    __format__ __ipow__ __len__ __pow__ __rdiv__ __reduce_ex__ __repr__ __reversed__ __rfloordiv__
    __rlshift__ __rmatmul__ __rmod__ __rpow__ __rrshift__ __rsub__ __rtruediv__ __setstate__
    backward index register_hook register_post_accumulate_grad_hook
    """.split()
)
# Python's operators that torch writes in C++. Modes see them under the names of the methods that
# they call, except for these, which keep their own names.
_OPERATORS = frozenset(
    """
    __add__ __radd__ __iadd__ __sub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __div__
    __itruediv__ __idiv__ __ifloordiv__ __mod__ __imod__ __matmul__ __ne__ __lt__ __le__ __gt__
    __ge__ __rand__ __ror__ __rxor__
    """.split()
)
_OWN_NAMES = frozenset(
    """
    __and__ __iand__ __or__ __ior__ __xor__ __ixor__ __lshift__ __ilshift__ __rshift__ __irshift__
    __eq__
    """.split()
)
# Python's operators that torch writes in Python, but that decline by a TypeError, as in C++.
_DECLINING = frozenset(
    """
    __floordiv__ __pow__ __ipow__ __rdiv__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rpow__
    __rrshift__ __rsub__
    """.split()
)
# These check no argument; nor do operators whose Calls declare NO_ARGUMENT.
_UNASKED = frozenset(
    """
    __delitem__ __dir__ __hash__ __iter__ __new__ __init_subclass__ __torch_function__ as_subclass
    _check_can_require_grad broadcast_shapes is_tensor is_storage
    """.split()
)
# Functions of torch.nn.functional that torch does not write in Python, and functions that leave the
# check of arguments to the functions that they call: see asked_for.
_IN_CPP: set[str] = set()
_BY_METHOD: set[str] = set()
# Modules that torch writes in Python.
_PYTHON_MODULES = ("torch.autograd", "torch.nn.init")
# Modules whose functions show all arguments by name.
_BY_NAME = ("torch.nn.init",)
# Functions that a namespace imports from these modules are not its own.
_HELPERS = ("minitorch.aten", "minitorch.core.numbers.dtype")
_asked: set[Any] = set()
_namespaces: dict[str, dict[str, Any]] = {}


def is_in_python(name: str) -> bool:
    """Whether torch writes its function of a name in Python, and not the method alone."""
    return calls_of(name).in_python == ALWAYS


def asked_for(
    path: str, names: dict[str, Any], in_cpp: Iterable[str] = (), by_method: Iterable[str] = ()
) -> None:
    """Declares that the functions of a namespace, such as torch.nn.functional, are public.

    in_cpp: the functions of torch.nn.functional that torch does not write in Python.
    by_method: the functions of torch.nn.functional that check no argument themselves; the functions
        that they call do.
    """
    _IN_CPP.update(in_cpp)
    _BY_METHOD.update(by_method)
    _name(path, names)
    _namespaces.setdefault(path, {}).update(names)
    if _asked:
        _ask(path, names)


def _name(path: str, names: dict[str, Any]) -> None:
    """Gives operators of a namespace the module in which torch has them, where pickle finds them
    again: torch._C._nn for the C++ operators of torch.nn.functional."""
    below = path.rpartition(".")[2]
    for name, function in names.items():
        if not isinstance(function, FunctionType) or name.startswith("_"):
            continue
        if function.__module__ in _HELPERS or function.__module__.startswith("minitorch.core."):
            continue
        if path != "torch.nn.functional":
            own = f"{below}_{name}"
            if function.__name__ == own or is_listed(f"{below}.{own}"):
                function.__module__ = f"minitorch._C._{below}"
                rename(function, own)
        elif name in _IN_CPP:
            function.__module__ = "minitorch._C._nn"
        elif FUNCTIONS.get(function.__name__) is not function:
            if function.__module__.startswith("minitorch.aten."):
                rename(function, name)
            function.__module__ = "minitorch.nn.functional"


def ask_everywhere() -> None:
    """Makes every public function check from now on whether an argument takes the call over."""
    if _asked:
        return
    load_families()
    for name, function in list(vars(Tensor).items()):
        if _is_public(name, function) and not calls_of(name).removed:
            shown = vars(Tensor)[DUNDERS[name] if name in _OPERATORS else name]
            path = f"torch.Tensor.{shown.__name__}"
            in_python = name in _IN_PYTHON or bool(calls_of(name).in_python)
            is_operator = name in _OPERATORS or name in _OWN_NAMES
            _let_ask(function, shown, path, in_python, name if is_operator else "", name)
    _ask("torch", FUNCTIONS)
    _let_devices_ask()
    for path, names in _namespaces.items():
        _ask(path, names)


def notice(kind: Any) -> None:
    """Makes public functions check arguments from now on if a new class, `kind`, takes calls over.

    kind: None stands for a class that may get a `__torch_function__` later. Subclasses of Tensor
        and modes are left out: `_subclassed` sees the former, and modes report when entered.
    """
    if kind is None or (not issubclass(kind, (Tensor, TorchFunctionMode)) and takes_over(kind)):
        ask_everywhere()


def _is_public(name: str, function: Any) -> bool:
    new = isinstance(function, FunctionType) and function not in _asked
    return new and name not in _UNASKED and calls_of(name).asks != NO_ARGUMENT


def _ask(path: str, names: dict[str, Any]) -> None:
    for name, function in list(names.items()):
        if calls_of(name).removed if path == "torch" else name.startswith("_"):
            continue
        if _is_public(name, function) and function.__module__ not in _HELPERS:
            if path == "torch.nn.functional":
                if name in _BY_METHOD:
                    continue
                in_python = name not in _IN_CPP
                where = path if in_python else "torch.nn"
            else:
                in_python = path in _PYTHON_MODULES or (path == "torch" and is_in_python(name))
                where = "torch.functional" if in_python and path == "torch" else path
            other = OTHERS.get(f"{path}.{name}", "").rpartition(".")[2]
            shown = names.get(other, function)
            _let_ask(function, shown, f"{where}.{function.__name__}", in_python)


def _let_ask(
    function: Any, shown: Any, path: str, in_python: bool, operator: str = "", dunder: str = ""
) -> None:
    """Makes a function check its arguments, and show them the function that torch names `path`.

    If the function has `shown_arguments`, this rewrites the arguments for the class that takes the
    call over, as torch does before its check. The function checks the arguments that
    `function.asked` returns, or those that torch's function checks, or all.

    operator: the Python operator that it is, if C++ in torch: it declines values that are not
        operands.
    dunder: the Python operator that it may be, in C++ or not.
    """
    said = calls_of(function.__name__)
    plain = taken_over(function)
    declines = operator or (in_python and dunder in _DECLINING)
    asked = getattr(function, "asked", None)
    modes_only = said.asks == MODES and path.startswith("torch.") and not operator
    alone = path.startswith("torch.Tensor.") and takes_itself_alone(function)
    of_tensor = path.startswith("torch.Tensor.") and not in_python
    lists = in_python and path.startswith("torch.functional.") and calls_of(shown.__name__).lists
    takes_objects = any(["object " in text for text in signatures_at(_listed_at(path)) or ()])
    self_alone = of_tensor and calls_of(shown.__name__).asks == SELF
    names = _asked_names().get(path) if in_python else None
    asking_in_python = _asking_in_python(function, shown, path, names)

    def asking(*args: Any, **kwargs: Any) -> Any:
        bound = None
        if modes_only or functions_off.get():
            takers = []
        else:
            if asked is None and in_python and not lists:
                takers = overriding_outside_lists((*args, *kwargs.values()))
                if takers and names is not None:
                    bound = _bound(plain, args, kwargs)
                    takers = overriding_outside_lists(_values_of(names, bound.arguments))
            else:
                takers = overriding(args[:1], {}) if self_alone else overriding(args, kwargs)
            if takers and takes_objects:
                takers = _without_objects(path, takers, args, kwargs)
        seen = active()
        if not seen and not (takers and all([getattr(t, "_watched", True) for t in takers])):
            return plain(*args, **kwargs)
        if operator and not seen and not _is_operand(operator, args[1]):
            return NotImplemented
        if of_tensor and args and not isinstance(args[0], Tensor):
            raise _of_another(operator or shown.__name__, type(args[0]).__name__)
        try:
            if not in_python:
                return asking_in_cpp(takers, seen, args, kwargs)
            if lists and not seen and not any(map(is_taker, args)):
                below = getattr(from_above("_VF"), shown.__name__)
                return handled(below, path, takers, args, kwargs or None)
            return asking_in_python(bound or _bound(plain, args, kwargs))
        except TypeError:
            if declines:
                return NotImplemented
            raise

    def asking_in_cpp(takers: list[Any], seen: Any, args: Any, kwargs: Any) -> Any:
        refused = takers and _refusal(path, args, kwargs)
        if refused:
            raise refused
        types = (type(args[0]),) if alone and args else None
        told = shown
        if operator == "__eq__" and not seen and not takes_over(type(args[0])):
            told = vars(Tensor)[DUNDERS[operator]]  # the slot of comparisons calls it
        return handled(told, path, takers, args, kwargs or None, types)

    _asked.add(function)
    forward(function, asking, plain)
    function._unasked = plain


def _asking_in_python(function: Any, shown: Any, path: str, names: Any) -> Callable[[Any], Any]:
    """A function (bound arguments) that checks the arguments of a call that torch writes in Python.
    names: the arguments that torch's function checks; None for those of `function.asked`, or all.
    """
    in_torch = getattr(function, "shown_arguments", None)
    asked = getattr(function, "asked", None)
    untold = getattr(function, "untold", calls_of(function.__name__).untold)

    def asking(bound: Any) -> Any:
        given, options = _named(bound)
        for name in getattr(function, "shown_by_name", ()):
            options[name] = bound.arguments[name]
            given = tuple([each for each in given if each is not options[name]])
        if in_torch is not None:
            given = in_torch(given, options)
        if path.startswith(_BY_NAME):
            options = dict(bound.arguments)
            return handled_in_python(shown, path, options.values(), (), options)
        if asked is not None:
            relevant = asked(given, options)
        elif names is not None:
            relevant = _values_of(names, bound.arguments)
        else:
            relevant = [*given, *options.values()]
        for name in untold:
            del options[name]
        told = _with_positions(shown) if options.get("return_indices") else shown
        return handled_in_python(told, path, relevant, given, options)

    return asking


def _listed_at(path: str) -> str:
    """The place of the signatures of 'torch.Tensor.add', 'torch.add', 'torch.linalg.linalg_inv'."""
    owner, _, name = path.removeprefix("torch.").rpartition(".")
    return f"{owner or 'torch'}.{name}"


def _without_objects(path: str, takers: list[Any], args: Any, kwargs: Any) -> list[Any]:
    """The arguments among `takers` that are not given for a parameter `object`, which torch does
    not check."""
    listed = _listed_at(path)
    method = listed.startswith("Tensor.")
    given = args[method:]
    for text in signatures_at(listed) or ():
        read = signature(text)
        if complaint(listed, read, given, kwargs) is None:
            objects = [
                kwargs[place] if isinstance(place, str) else given[place]
                for place, each in parameters_given(read, given, kwargs)
                if each.type == "object"
            ]
            return [t for t in takers if not any([t is each for each in objects])]
    return takers


@functools.cache
def _asked_names() -> dict[str, list[str]]:
    """The arguments that torch's Python functions check, by the function's path."""
    lines = table("_public/asked_arguments.txt").splitlines()
    return {path: names for path, *names in map(str.split, lines)}


def _values_of(names: list[str], arguments: dict[str, Any]) -> list[Any]:
    """The values of some arguments of a call; the elements of an argument that is written out."""
    values = []
    for name in names:
        if name == "self":
            values.append(next(iter(arguments.values())))
        elif name in arguments:
            value = arguments[name]
            values += value if isinstance(value, tuple) else (value,)
    return values


def _let_devices_ask() -> None:
    """Makes torch.device(...) check arguments of types that it does not take."""
    plain = taken_over(devices.rarely_made)

    def asking(args: Any, kwargs: Any) -> Any:
        takers = [] if functions_off.get() else overriding(args, kwargs)
        if not takers:
            return plain(args, kwargs)
        return handled(devices.device, "torch.device", takers, args, kwargs or None)

    forward(devices.rarely_made, asking, plain)


def _refusal(path: str, args: Any, kwargs: Any) -> Exception | None:
    """The error of torch's parser for a call, raised before arguments are checked; None if none."""
    listed = _listed_at(path)
    name = listed.partition(".")[2]
    if listed.startswith("Tensor."):
        if name == "__setitem__" and len(args) != 3:
            return TypeError(f" expected 2 arguments, got {len(args) - 1}")
        return refusal(listed, args[1:], kwargs)
    return refusal(listed, args, kwargs)


# Methods of Tensor that fill a slot of its type in C.
_SLOTS = ("__getitem__", "__setitem__", "__delitem__", "__len__")


def _of_another(name: str, kind: str) -> TypeError:
    """CPython's error for a method of C++ that is called on an instance of another class."""
    if name in _SLOTS:
        return TypeError(
            f"descriptor '{name}' requires a 'torch._C.TensorBase' object but received a '{kind}'"
        )
    return TypeError(
        f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object"
    )


def _with_positions(function: Any) -> Any:
    """The function of torch.nn.functional that a pooling calls to return positions."""
    functional = sys.modules["minitorch.nn.functional"]
    return getattr(functional, f"{function.__name__}_with_indices", function)


def takes_itself_alone(function: Any) -> bool:
    """Whether a method has no argument but the tensor, so that torch passes modes its class."""
    if calls_of(function.__name__).itself_alone:
        return True
    row = getattr(function, "row", None)
    if row is not None:
        return len(row.schema.arguments) == 1 and not row.overloads
    return len(inspect.signature(function).parameters) == 1


def _is_operand(operator: str, other: Any) -> bool:
    return (is_operand(other) and operator != "__matmul__") or hasattr(
        type(other), "__torch_function__"
    )


def _bound(function: Any, args: Any, kwargs: Any) -> inspect.BoundArguments:
    """A call's arguments, defaults included. Raises Python's TypeError if they do not fit."""
    try:
        bound = _signature_of(function, function.__code__).bind(*args, **kwargs)
    except TypeError:
        function(*args, **kwargs)  # raises that error with its name
        raise
    bound.apply_defaults()
    return bound


@functools.cache
def _signature_of(function: Any, code: CodeType) -> inspect.Signature:
    """A function's signature, cached for its code: finding it takes 10 us."""
    return inspect.signature(function)


def _named(bound: inspect.BoundArguments) -> tuple[Any, dict[str, Any]]:
    """A call's arguments: those without a default by place, the others by name."""
    given: list[Any] = []
    options: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            given += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            options |= value
        elif parameter.default is parameter.empty:
            given.append(value)
        else:
            options[name] = value
    return tuple(given), options


def _subclassed(cls: Any) -> None:
    if cls.__torch_dispatch__ is not Tensor.__torch_dispatch__:
        own = getattr(cls.__torch_function__, "__func__", None)
        if own is torch_function:  # such a class sees operators; calls only if it declares so
            cls.__torch_function__ = staticmethod(disabled)
        if cls.__module__.partition(".")[0] not in ("minitorch", "torch"):
            cls._dispatches = True
    if not takes_over(cls):
        return
    ask_everywhere()
    for name, value in vars(Tensor).items():
        if type(value) is property and getattr(cls, name) is value:
            setattr(cls, name, _asking_property(value))


Tensor._subclassed = classmethod(_subclassed)


def _asking_property(attribute: property) -> property:
    def reached(reach: Callable[..., Any]) -> Callable[..., Any]:
        return _asking_accessor(reach, reach)

    get, write, delete = attribute.__get__, attribute.__set__, attribute.__delete__
    return property(reached(get), reached(write), reached(delete), attribute.__doc__)


def _asking_accessor(shown: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """A getter or setter that checks first; a class that takes the access over sees `shown`."""

    def asking(self: Any, *value: Any) -> Any:
        takers = [] if functions_off.get() else overriding((self, *value), {})
        if not takers and not active():
            return plain(self, *value)
        return handled(shown, "torch.Tensor", takers, (self, *value), None, (type(self),))

    return asking


function_modes.ASKING.everywhere = ask_everywhere
function_modes.ASKING.accessor = _asking_accessor
