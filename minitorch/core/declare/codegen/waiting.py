"""Functions whose code changes while programs hold them.

A program may keep a function in a table, so a function stays one object. It changes by getting
other code: the code of the assembled operator at the first call (`assembled_later`), or code that
calls another function (`forward`). A copy (`copy_of`) keeps the old code.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from minitorch.core.base import naming
from minitorch.core.base.deferred import Deferred
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.declare.codegen import assemble as assembler

WATCHED: dict[FunctionType, Any] = {}  # functions that check -> a copy with the old code
# Held while a function gets other code, never during an import; calls do not take it. Its thread
# may take it twice: a finalizer that runs meanwhile may call a waiting function.
CHANGING = threading.RLock()


# The code of a waiting function: it gets its own code, and is called again. It has no docstring,
# which all functions made from this code would share.
def first_call(*args: Any, _become: Any, **kwargs: Any) -> Any:
    return _become()(*args, **kwargs)


def assembled_later(name: str, make: Callable[[], Any], function: Any = None) -> Any:
    """A function that becomes, when it is first called, the assembled one that make() gives.

    function: the stand-in that becomes it; a new function if None.
    """
    return waiting(name, _assembled, make, function)


def waiting(name: str, become: Any, make: Callable[[], Any], function: Any = None) -> Any:
    """A function that, at its first call, calls become(function, make) and then the result."""
    if function is None:
        function = FunctionType(first_call.__code__, ASSEMBLED_GLOBALS, name)
        function.__qualname__ = name
    function.__kwdefaults__ = {"_become": Deferred((become, function, make))}
    return function


def _assembled(function: Any, make: Callable[[], Any]) -> Any:
    made = make()  # it may import; another thread may make it too
    with CHANGING:
        if function.__code__ is not first_call.__code__:  # another thread, or a watcher, came first
            return function
        # At every step another thread may call.
        function.__defaults__ = made.__defaults__
        waits = {"_become": Deferred((_assembled, function, make))}
        function.__kwdefaults__ = {**(made.__kwdefaults__ or {}), **waits}
        function.__code__ = made.__code__
        function.__kwdefaults__ = made.__kwdefaults__
    return function


def copy_of(function: Any) -> Any:
    """Another function like `function`, which is assembled on its own if it waits for that."""
    with CHANGING:
        made = naming.copy_of(function)
    wait_itself(made)
    return made


def rename(function: Any, name: str) -> None:
    """Gives a function another name, which CPython's errors show; also its copy with the old code,
    if it has one."""
    for each in (function, WATCHED.get(function, function)):
        each.__name__ = each.__qualname__ = name


def wait_itself(function: Any) -> None:
    """Makes a function that got the code of a waiting function become the assembled one, too."""
    if function.__code__ is first_call.__code__:
        become, _, make = function.__kwdefaults__["_become"]
        function.__kwdefaults__ = {"_become": Deferred((become, function, make))}


def forward(function: Any, to: Callable[..., Any], like: Any, watched: bool = False) -> Any:
    """`function`, which from now on calls another, and has the name and signature of `like`.

    watched: whether it does so only while there is a watcher, and otherwise calls `like` from the
        same frame: each further frame that gathers all arguments costs 0.1 us.
    """
    code = _forwarding(function.__code__.co_freevars, watched)
    given = {"_to": to, "_else": like, "_modes": ASSEMBLED_GLOBALS} if watched else {"_to": to}
    with CHANGING:
        # At every step another thread may call.
        function.__kwdefaults__ = {**(function.__kwdefaults__ or {}), **given}
        function.__code__ = code
        function.__defaults__, function.__kwdefaults__ = None, given
    function.__module__, function.__qualname__ = like.__module__, like.__qualname__
    function.__dict__.update(like.__dict__, __wrapped__=like)
    return function


@functools.cache
def _forwarding(cells: tuple[str, ...], watched: bool) -> CodeType:
    """The code that calls `_to`, or `_else`, for functions whose closure has these cells.

    Code copies the cells of its function into each frame, as many as it names. If the function had
    fewer cells, reading the frame's locals would crash the process. So it names all, and uses none.
    """
    named = ", ".join(cells)
    lines = [
        f"def around({named}):",
        f"    def _forward(*args, {'_to, _else, _modes' if watched else '_to'}, **kwargs):",
        *([f"        nonlocal {named}"] if cells else []),
        *(["        if not _modes['WATCHED']: return _else(*args, **kwargs)"] if watched else []),
        "        return _to(*args, **kwargs)",
        "    return _forward",
    ]
    names: dict[str, Any] = {}
    assembler.define(
        f"forward {named}{watched * ' if watched'}".strip(), "\n".join(lines) + "\n", names
    )
    code: CodeType = names["around"](*cells).__code__
    return code


def taken_over(function: Any) -> Any:
    """A copy of a function, which from now on checks its arguments first, then calls the copy.

    If the function checks for watchers, the copy does so in its place.
    """
    plain = copy_of(function)
    if function in WATCHED:
        WATCHED[plain] = WATCHED.pop(function)
    return plain
