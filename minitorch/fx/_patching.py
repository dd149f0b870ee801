"""Functions that a tracer replaces while it traces: those of `torch.fx.wrap` and of math."""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from minitorch.fx.node import map_aggregate
from minitorch.fx.proxy import Proxy

# (id of a module's names, name) -> these names: functions whose calls with Proxies are nodes.
_wrapped_fns_to_patch: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_methods_to_patch: list[tuple[type, str]] = []
CURRENT_PATCHER: _Patcher | None = None
_ABSENT = object()


class _Patch(NamedTuple):
    """A name that stands for something else for a while: of a dict, or of a class."""

    owner: Any
    name: str
    before: Any
    new: Any

    def apply(self) -> None:
        """Puts the new one in."""
        self._put(self.new)

    def revert(self) -> None:
        """Puts the original function back."""
        self._put(self.before)

    def _put(self, value: Any) -> None:
        if not isinstance(self.owner, dict):
            setattr(self.owner, self.name, value)
        elif value is _ABSENT:
            del self.owner[self.name]
        else:
            self.owner[self.name] = value


class _Patcher:
    """Patches names and takes all of it back."""

    def __init__(self) -> None:
        self.patches_made: list[_Patch] = []
        self.visited: set[int] = set()

    def patch(
        self, frame_dict: dict[str, Any], name: str, new_fn: Any, deduplicate: bool = True
    ) -> None:
        """Lets a name of a module stand for another function, unless it does already."""
        new_fn.__fx_already_patched = deduplicate
        found = frame_dict.get(name, _ABSENT)
        if found is _ABSENT and not hasattr(builtins, name):
            raise KeyError(name)
        if not getattr(found, "__fx_already_patched", False):
            self._apply(_Patch(frame_dict, name, found, new_fn))

    def patch_method(self, cls: type, name: str, new_fn: Any, deduplicate: bool = True) -> None:
        """Lets a method of a class be another function, unless it is already."""
        new_fn.__fx_already_patched = deduplicate
        found = getattr(cls, name)
        if not getattr(found, "__fx_already_patched", False):
            self._apply(_Patch(cls, name, found, new_fn))

    def _apply(self, patch: _Patch) -> None:
        self.patches_made.append(patch)
        patch.apply()

    def visit_once(self, thing: Any) -> bool:
        """Whether this is the first visit to a thing."""
        first = id(thing) not in self.visited
        self.visited.add(id(thing))
        return first

    def revert_all_patches(self) -> list[_Patch]:
        """Puts everything back, in reverse."""
        for patch in reversed(self.patches_made):
            patch.revert()
        return self.patches_made

    def reapply_all_patches(self) -> list[_Patch]:
        """Patches the functions again that were put back."""
        for patch in self.patches_made:
            patch.apply()
        return self.patches_made

    def __enter__(self) -> _Patcher:
        return self

    def __exit__(self, *raised: object) -> None:
        """Puts everything back and forgets it."""
        while self.patches_made:
            self.patches_made.pop().revert()
        self.visited.clear()


@contextlib.contextmanager
def _new_patcher() -> Iterator[_Patcher]:
    """A patcher whose patches last as long as the block."""
    global CURRENT_PATCHER
    before, CURRENT_PATCHER = CURRENT_PATCHER, _Patcher()
    made = CURRENT_PATCHER
    try:
        yield made
    finally:
        made.revert_all_patches()
        CURRENT_PATCHER = before


@contextlib.contextmanager
def _maybe_revert_all_patches() -> Iterator[None]:
    """A context in which nothing is patched."""
    current = CURRENT_PATCHER
    if current is not None:
        current.revert_all_patches()
    try:
        yield
    finally:
        if current is not None:
            current.reapply_all_patches()


def _find_proxy(*objects: Any) -> Proxy | None:
    """The last Proxy among the arguments of a call."""
    found: list[Proxy] = []

    def note(each: Any) -> None:
        if isinstance(each, Proxy):
            found.append(each)

    map_aggregate(objects, note)
    return found[-1] if found else None


def _create_wrapped_func(orig_fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a node of a call with Proxies."""

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls: type, name: str) -> Callable[..., Any]:
    """A method that makes a node of a call with Proxies."""
    orig_fn = getattr(cls, name)

    @functools.wraps(orig_fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def _patch_wrapped_functions(patcher: _Patcher) -> None:
    """Patches the functions that were given to `wrap`."""
    for (_, name), names in _wrapped_fns_to_patch.copy().items():
        function = names[name] if name in names else getattr(builtins, name)
        patcher.patch(names, name, _create_wrapped_func(function))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher: _Patcher, names: dict[str, Any], function_ids: set[int]) -> None:
    """Patches those names of a module that stand for functions to be wrapped."""
    if not patcher.visit_once(names):
        return
    for name, value in list(names.items()):
        if not name.startswith("_") and callable(value) and id(value) in function_ids:
            patcher.patch(names, name, _create_wrapped_func(value))


def wrap(fn_or_name: str | Callable[..., Any]) -> str | Callable[..., Any]:
    """Lets calls of a function be nodes when their arguments hold Proxies.

    Args:
        fn_or_name: a function of the module that calls this, or its name, which may be a builtin's

    Returns: the argument, so that this is a decorator.

    Raises: RuntimeError for anything else, NotImplementedError inside a function.

    Source: torch.fx.wrap.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError(
            "Unsupported type for global function! Must be either a callable or string name"
        )
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    caller = sys._getframe(1)
    if caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(caller.f_globals), name)] = caller.f_globals
    return fn_or_name


wrap.__module__ = "minitorch.fx._symbolic_trace"  # where generated code calls it
