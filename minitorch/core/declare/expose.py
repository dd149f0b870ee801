"""Exposing operators: as Tensor methods, as functions of `torch`, and in the language F.

An operator is assembled at its first call: its function then gets its code, and stays the same
object, since programs keep functions in tables. Functions of composite operators stay the same
object too: their code does not check for watchers, and is replaced by checking code while a
watcher exists.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy

from minitorch.core.arrays import NAMESPACES
from minitorch.core.base.deferred import Deferred
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import AFTER_WATCHING, ON_FIRST_WATCH, GradMode
from minitorch.core.declare.calls import CALLS, Calls, calls_of
from minitorch.core.declare.codegen import assemble as assembler
from minitorch.core.declare.codegen.shells import is_shell, shell, unshelled
from minitorch.core.declare.codegen.waiting import (
    CHANGING,
    WATCHED,
    assembled_later,
    copy_of,
    forward,
    wait_itself,
    waiting,
)
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.general.observe import watching
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import IN_PLACE
from minitorch.core.declare.registry import (
    BY_KEY,
    DUNDERS,
    FAMILIES,
    FUNCTIONS,
    PLACES,
    ROWS,
    resolved,
)
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.signatures import is_listed
from minitorch.core.tensor.tensor import Tensor

_HERE = __name__.rpartition(".")[0]
_composites: list[tuple[str, FunctionType]] = []
_stand_ins: dict[str, Any] = {}  # methods of families that are not loaded yet, by name


def _loaded(function: Any, load: Callable[[], None]) -> Any:
    load()
    return resolved(function)


def await_family(load: Callable[[], None], groups: dict[str, str]) -> None:
    """Adds placeholders for a family of operators until load() declares them.

    groups: place of names -> the names, as in minitorch/aten/index.py.
    """
    FAMILIES.append(load)
    for places, names in groups.items():
        for name in names.split():
            if "m" in places:
                _stand_ins[name] = waiting(name, _loaded, load)
                setattr(Tensor, name, _stand_ins[name])
            if "o" in places:
                OPS.wait(name, load)
                RAW.wait(name, load)


def install(
    row: Row,
    on: tuple[str, ...],
    dunder: tuple[str, ...],
    raw: Callable[..., Any] | None = None,
    inplace_on: tuple[str, ...] = ("method",),
) -> Callable[..., Any]:
    """Registers a row and exposes its function, which is returned."""
    if row.key in ROWS:
        raise ValueError(f"two rows are called {row.key}")
    ROWS[row.key] = row
    PLACES[row.key] = _declaring_place()

    function = BY_KEY[row.key] = assembled_later(row.name, Deferred((assembler.assemble, row)))
    function.row = row
    function.__doc__ = row.help
    if "function" in on:
        publish(row.name, function)
    if "method" in on:
        make = Deferred((assembler.assemble, row, True))
        method = assembled_later(row.name, make, _stand_ins.pop(row.name, None))
        method.row = row
        method.__doc__ = function.__doc__
        setattr(Tensor, row.name, method)
    make = Deferred((assembler.assemble_raw, row))
    for key in {row.key, row.name}:
        if key == row.key or OPS.lacks(key):
            OPS.__dict__[key] = function
            if raw is None:
                RAW.declare(key, make)
            else:
                RAW.__dict__[key] = raw
    if "inplace" in row.variants:
        for kind in inplace_on:
            is_method = kind == "method"
            stand_in = _stand_ins.pop(row.inplace_name, None) if is_method else None
            path = assembler.path_of(row.inplace_name, is_method)
            expose(row.inplace_name, inplace_of(row, path=path, stand_in=stand_in), (kind,))
    for name in dunder:
        in_place = name.startswith("__i") and name != "__invert__"
        DUNDERS[name] = row.inplace_name if in_place else row.name
        if in_place:
            setattr(Tensor, name, inplace_of(row, operator=name))
        else:
            setattr(Tensor, name, operator_of(row, name) if row.family == "binary" else method)
    return function


def _declaring_place() -> tuple[CodeType, int]:
    """The code that calls a family, and the instruction; finding its line would take 20 us."""
    frame: Any = sys._getframe(2)
    while frame.f_globals["__name__"].startswith(_HERE):
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def expose(name: str, function: Callable[..., Any], on: tuple[str, ...]) -> None:
    """Puts a function under its public name in the places of `on`."""
    if "method" in on:
        setattr(Tensor, name, function)
    if "function" in on:
        publish(name, function)


# Functions that rename a function when it is published: origins.rename adds itself.
ON_PUBLISH: list[Callable[[Any], Any]] = []


def publish(name: str, function: Any) -> None:
    """Adds a function to `torch`, where pickle finds it again."""
    function.__module__, function.__qualname__ = "minitorch", name
    FUNCTIONS[name] = function
    for rename in ON_PUBLISH:
        rename(function)


def install_alias(
    name: str, function: Callable[..., Any], on: tuple[str, ...], inplace_on: tuple[str, ...]
) -> None:
    """Exposes an operator, and its in-place variant, under another name."""
    if calls_of(function.__name__).numbers:
        CALLS[name] = Calls(numbers=True)
    if f"{function.__name__}_" in IN_PLACE:
        IN_PLACE[f"{name}_"] = IN_PLACE[f"{function.__name__}_"]
    for owner, kind in ((Tensor.__dict__, "method"), (FUNCTIONS, "function")):
        if kind in on:
            known = owner.get(function.__name__, function)
            _expose_alias(name, known, kind)
        written = owner.get(f"{function.__name__}_")
        if written is not None and kind in on and kind in inplace_on:
            _expose_alias(f"{name}_", written, kind)


def _expose_alias(name: str, function: Any, kind: str) -> None:
    is_method = kind == "method"
    stand_in = _stand_ins.pop(name, None) if is_method else None
    expose(name, aliased(function, name, assembler.path_of(name, is_method), stand_in), (kind,))


def aliased(function: Any, name: str, path: str, stand_in: Any = None) -> Any:
    """A public function that does the same as `function`, with the errors of the one at `path`.

    stand_in: the function that becomes it; a new one if None.
    """
    if (row := getattr(function, "written_row", None)) is not None:
        made = inplace_of(row, path=path, stand_in=stand_in)
        made.__name__ = made.__qualname__ = name
        return made
    if (row := getattr(function, "row", None)) is None:
        if is_shell(function) and is_listed(path):
            made = shelled(path, function.inner, function.into, stand_in)
        else:
            made = copy_of(function)
            if stand_in is not None:
                made = forward(stand_in, made, made)
        made.__name__ = name
        return watchable(function.__name__, made)
    made = assembled_later(name, Deferred((assembler.assemble, row, False, path)), stand_in)
    made.row = row
    return made


def through_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """A composite operator on bare arrays: it computes on Tensors, without recording."""

    def wrapped(each: Any) -> Any:
        if type(each) in NAMESPACES:
            return tensor(each)
        if isinstance(each, numpy.generic):  # NumPy's scalar for a 0-d result
            return tensor(numpy.asarray(each))
        return type(each)(map(wrapped, each)) if type(each) in (list, tuple) else each

    def unwrapped(each: Any) -> Any:
        if isinstance(each, TensorBase):
            return each._array
        return tuple(map(unwrapped, each)) if isinstance(each, (list, tuple)) else each

    def on_arrays(*args: Any, **kwargs: Any) -> Any:
        with GradMode(False):
            return unwrapped(function(*map(wrapped, args), **kwargs))

    return on_arrays


# The signature of a Python operator, also before its first call.
_OPERANDS = inspect.Signature(
    [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in ("self", "other")]
)


def inner_of(function: Any) -> Any:
    """The function of a row for composites that have checked the arguments; it takes these by
    place. If programs may write a list out, it is 0.14 us faster: it gathers and checks nothing."""
    row = function.row
    return assembled_later(row.name, Deferred((assembler.assemble_inner, row)))


def operator_of(row: Row, dunder: str) -> Callable[..., Any]:
    """The Python operator of a binary row: NotImplemented for operands unknown to torch."""
    function = assembled_later(dunder, Deferred((assembler.assemble_operator, row, dunder)))
    function.__signature__ = _OPERANDS
    return function


def inplace_of(row: Row, operator: str = "", path: str = "", stand_in: Any = None) -> Any:
    """The in-place variant of a row: the function or method at `path`, or the Python `operator`."""
    path = path or assembler.path_of(row.inplace_name)
    make = Deferred((assembler.assemble_inplace, row, bool(operator), path))
    made = assembled_later(operator or row.inplace_name, make, stand_in)
    made.written_row = row
    if row.doc:
        name = row.name.removesuffix("_")
        made.__doc__ = f"{name}, written into its first argument.\n\n    {row.doc.lstrip()}"
    return made


def install_function(
    name: str,
    function: Callable[..., Any],
    on: tuple[str, ...],
    out: bool,
    inplace: tuple[str, ...],
    raw: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Exposes a composite operator, with its out= and in-place forms."""
    function.__name__ = function.__qualname__ = name
    into = partial(deliver, name, unshelled(function)) if out else None
    exposed = expose_apart(name, function, on, into)
    if OPS.lacks(name):
        OPS.__dict__[name] = exposed
    if raw is None:
        if RAW.lacks(name):
            RAW.declare(name, Deferred((through_tensors, function)))
    else:  # formulas find this even if a row has the name: F.sum(x, dim)
        OPS.__dict__[name] = exposed
        RAW.__dict__[name] = raw
    if inplace:

        @functools.wraps(function)
        def written(input: Any, *args: Any, **kwargs: Any) -> Any:
            return store(f"{name}_", function, input, (args, kwargs))

        written.__name__ = written.__qualname__ = name + "_"
        written.like = unshelled(function)  # type: ignore[attr-defined]  # its parameters
        expose_apart(name + "_", written, inplace)
    return exposed


def expose_apart(
    name: str, function: Any, on: tuple[str, ...], into: Callable[..., Any] | None = None
) -> Any:
    """Puts a composite function under its name, and its method as a separate object: a class that
    takes calls over tells torch.mean from Tensor.mean. Returns the function of `torch` if there is
    one, else the method."""
    if "method" in on:
        path = assembler.path_of(name, method=True)
        method = watchable(name, shelled(path, function, into, _stand_ins.pop(name, None)))
        setattr(Tensor, name, method)
        if "function" not in on:
            return method
    exposed = shelled(assembler.path_of(name), function, into)
    if "function" in on:
        publish(name, exposed)
    return watchable(name, exposed)


def shelled(path: str, function: Any, into: Any = None, stand_in: Any = None) -> Any:
    """A function as programs call it at `path`: it raises for the calls that torch's parser refuses
    there. A function with the attribute `refuses` does so itself.

    into: as for `shell`.
    stand_in: the function that becomes it; a new one if None.
    """
    in_python = not is_listed(path)  # in torch
    if in_python or hasattr(function, "refuses"):
        made = function if into is None else _delivering(function, into)
        made = copy_of(made) if stand_in is None else forward(stand_in, made, made)
        if in_python and path.startswith("Tensor."):
            made.__qualname__ = path  # CPython's errors have this name
        return made
    made = assembled_later(function.__name__, Deferred((shell, path, function, into)), stand_in)
    # functools.update_wrapper takes 5 us, three times as long: 2 ms for all functions.
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    made.__doc__ = function.__doc__
    made.__dict__.update(function.__dict__)
    made.__wrapped__, made.shell = function, made
    made.inner, made.into = unshelled(function), into
    return made


def refusing(path: str, function: Any) -> Any:
    """A function that raises for the calls that torch's parser refuses at `path`; `function` itself
    if it does so already, or if torch writes it in Python."""
    known = is_shell(function) or hasattr(function, "row") or hasattr(function, "written_row")
    return function if known or not is_listed(path) else shelled(path, function)


def _delivering(function: Any, into: Callable[..., Any]) -> Any:
    @functools.wraps(function)
    def exposed(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return function(*args, **kwargs)
        return into(out, (args, kwargs))

    return exposed


def watchable(name: str, function: Any) -> Any:
    """`function`, which is exposed as an operator made of others, so that it can be watched."""
    _composites.append((name, function))
    if not ON_FIRST_WATCH:
        watch(name, function)
    return function


def watch(name: str, function: Any) -> None:
    """Makes the function of a composite operator check for watchers first."""
    function = getattr(function, "_unasked", function)  # the check of arguments comes first
    if function not in WATCHED:
        plain = WATCHED[function] = copy_of(function)
        forward(function, watching(name, function, plain), plain, watched=True)


def _watch_composites() -> None:
    for each in _composites.copy():  # composites declared meanwhile are watched at once
        watch(*each)


def _rest_composites() -> None:
    """Gives functions that check for watchers their old code without the check."""
    while WATCHED:
        function, plain = WATCHED.popitem()
        with CHANGING:
            # Another thread may call between any two steps.
            function.__defaults__ = plain.__defaults__
            function.__kwdefaults__ = {
                **(function.__kwdefaults__ or {}),
                **(plain.__kwdefaults__ or {}),
            }
            function.__code__ = plain.__code__
            function.__kwdefaults__ = plain.__kwdefaults__
            wait_itself(function)
        function.__dict__.pop("__wrapped__")
        function.__dict__.update(plain.__dict__)
    ON_FIRST_WATCH.append(_watch_composites)


ON_FIRST_WATCH.append(_watch_composites)
AFTER_WATCHING.append(_rest_composites)
