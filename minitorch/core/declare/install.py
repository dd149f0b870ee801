"""Exposing operators: as Tensor methods, as functions of `torch`, and in the language F.

An operator is assembled when it is first called: its function gets its code then, and stays the
object that it was, which programs keep in tables. The functions of composite operators, which do
not ask whether anybody watches, give way to others that do when somebody first watches.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy

from minitorch.core.arrays import NAMESPACES
from minitorch.core.declare import assemble as assembler
from minitorch.core.declare.row import Row
from minitorch.core.declare.writing import deliver, store
from minitorch.core.graph.formulas import OPS, RAW
from minitorch.core.graph.modes import ASSEMBLED, BEFORE_WATCHING, GradMode
from minitorch.core.tensor.base import TensorBase, tensor
from minitorch.core.tensor.tensor import Tensor

ROWS: dict[str, Row] = {}  # key -> row
FUNCTIONS: dict[str, Callable[..., Any]] = {}  # the functions of `torch`, by name

_composites: list[tuple[str, Callable[..., Any]]] = []
_functions: dict[str, Callable[..., Any]] = {}  # key -> public function
_places: dict[int, list[tuple[Any, str]]] = {}  # id of a composite -> where it was put


def place(owner: Any, name: str, function: Callable[..., Any]) -> None:
    """Puts `function` under `name` into a class, a language or a dict of globals."""
    _places.setdefault(id(function), []).append((owner, name))
    if isinstance(owner, dict):
        owner[name] = function
    else:
        setattr(owner, name, function)


def replace(old: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Puts `new` wherever `old` was put."""
    for owner, name in _places.pop(id(old), ()):
        current = owner.get(name) if isinstance(owner, dict) else owner.__dict__.get(name)
        if current is old:
            place(owner, name, new)


def index_module(module: dict[str, Any]) -> None:
    """Notes the composites that a module imported under its own names: they are replaced too."""
    for name, value in module.items():
        noted = _places.get(id(value))
        if noted is not None:
            noted.append((module, name))


def function_of_row(row: Row) -> Callable[..., Any]:
    """The public function of a row, assembled on first need."""
    function: Any = _functions[row.key]
    waits = function.__code__ is _first_call.__code__
    return function.__kwdefaults__["_become"]() if waits else function


def _first_call(*args: Any, _become: Any, **kwargs: Any) -> Any:
    return _become()(*args, **kwargs)


def later(name: str, make: Callable[[], Any]) -> Any:
    """A function that becomes, when it is first called, the assembled one that make() gives."""

    def become() -> Any:
        made = make()
        # At every step another thread may call.
        function.__defaults__ = made.__defaults__
        function.__kwdefaults__ = {**(made.__kwdefaults__ or {}), "_become": become}
        function.__code__ = made.__code__
        function.__kwdefaults__ = made.__kwdefaults__
        return function

    function = FunctionType(_first_call.__code__, ASSEMBLED, name)
    function.__qualname__ = name
    function.__kwdefaults__ = {"_become": become}
    return function


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

    function = _functions[row.key] = later(row.name, partial(assembler.assemble, row))
    function.row = row
    expose(row.name, function, on)
    for key in {row.key, row.name}:
        if key == row.key or key not in OPS.__dict__:
            place(OPS, key, function)
            if raw is None:
                RAW.declare(key, partial(assembler.assemble_raw, row))
            else:
                RAW.__dict__[key] = raw
    if "inplace" in row.variants:
        written = inplace_of(row)
        expose(row.written, written, inplace_on)
    for name in dunder:
        if name.startswith("__i") and name != "__invert__":
            place(Tensor, name, inplace_of(row, operator=True))
        else:
            place(Tensor, name, operator_of(row, name) if row.family == "binary" else function)
    return function


def expose(name: str, function: Callable[..., Any], on: tuple[str, ...]) -> None:
    """Puts a function under its public name where `on` says."""
    if "method" in on:
        place(Tensor, name, function)
    if "function" in on:
        place(FUNCTIONS, name, function)


def install_alias(
    name: str, function: Callable[..., Any], on: tuple[str, ...], inplace_on: tuple[str, ...]
) -> None:
    """Exposes an operator, and its in-place variant, under another name."""
    expose(name, function, on)
    for owner, kind in ((Tensor.__dict__, "method"), (FUNCTIONS, "function")):
        written = owner.get(f"{function.__name__}_")
        if written is not None and kind in on and kind in inplace_on:
            expose(f"{name}_", written, (kind,))


def through_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """A composite operator on bare arrays: by way of Tensors, whose graph is not recorded."""

    def wrapped(each: Any) -> Any:
        if type(each) in NAMESPACES:
            return tensor(each)
        if isinstance(each, numpy.generic):  # what NumPy makes of 0-d results
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


# What a Python operator takes, also where it waits for its first call.
_OPERANDS = inspect.Signature(
    [inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD) for each in ("self", "other")]
)


def operator_of(row: Row, dunder: str) -> Callable[..., Any]:
    """The Python operator of a binary row: NotImplemented for operands unknown to torch."""
    function = later(row.name, partial(assembler.assemble_operator, row, dunder))
    function.__signature__ = _OPERANDS
    return function


def inplace_of(row: Row, operator: bool = False) -> Callable[..., Any]:
    """The in-place variant of a row: the method, or the Python operator."""
    return later(row.written, partial(assembler.assemble_inplace, row, operator))


def install_function(
    name: str,
    function: Callable[..., Any],
    on: tuple[str, ...],
    out: bool,
    inplace: tuple[str, ...],
    raw: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """Exposes a composite operator, with its out= and in-place forms."""
    exposed = function
    if out:

        @functools.wraps(function)
        def exposed(*args: Any, out: Any = None, **kwargs: Any) -> Any:
            if out is None:
                return function(*args, **kwargs)
            return deliver(name, function, out, (args, kwargs))

    expose(name, watchable(name, exposed), on)
    if name not in OPS.__dict__:
        place(OPS, name, exposed)
    if raw is None:
        if name not in RAW.__dict__:
            RAW.declare(name, partial(through_tensors, function))
    else:  # formulas find this, also where a row has the name: F.sum(x, dim)
        place(OPS, name, exposed)
        RAW.__dict__[name] = raw
    if inplace:

        @functools.wraps(function)
        def written(input: Any, *args: Any, **kwargs: Any) -> Any:
            return store(f"{name}_", function, input, (args, kwargs))

        written.__name__ = name + "_"
        expose(name + "_", watchable(name + "_", written), inplace)
    return exposed


def watchable(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which is placed as an operator that others are made of; it can be watched."""
    _composites.append((name, function))
    _places.setdefault(id(function), [])
    return function


def _watch_composites() -> None:
    """Puts in the place of each composite operator one that asks whether anybody watches."""
    from minitorch.core.declare.observe import watching

    for name, function in _composites:
        replace(function, watching(name, function))


BEFORE_WATCHING.append(_watch_composites)
