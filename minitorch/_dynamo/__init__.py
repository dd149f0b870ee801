"""torch._dynamo: nothing is compiled, so what steers the compiler hands functions on.

Backends that are functions get graphs all the same: minitorch/fx/_backends.py.
"""

from __future__ import annotations

from typing import Any

from minitorch._public import outlines
from minitorch.compiler import (
    OptimizedModule,
    allow_in_graph,
    assume_constant_result,
    compile,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
)
from minitorch.core.base.modes import recorder

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "disable",
    "disallow_in_graph",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "nonstrict_trace",
    "optimize",
    "optimize_assert",
    "reset",
    "run",
    "set_stance",
    "substitute_in_graph",
]


def is_dynamo_supported() -> bool:
    """Whether torch.compile takes functions here, as torch answers on this platform: yes.

    They run as they are.
    """
    return True


def is_inductor_supported() -> bool:
    """Whether inductor could compile here: no."""
    return False


def optimize(backend: Any = "inductor", **settings: Any) -> Any:
    """A decorator that does what torch.compile does: it hands functions on."""
    return lambda function: compile(function, backend=backend)


def optimize_assert(backend: Any, **settings: Any) -> Any:
    """A decorator as `optimize`, for functions that must be compiled as a whole."""
    return optimize(backend)


def run(fn: Any = None) -> Any:
    """`fn` as it is: no part of it was compiled."""
    return run if fn is None else compile(fn)


def _as_it_is(fn: Any) -> Any:
    """`fn` itself, or the list of functions: it is not compiled anyway."""
    return [_as_it_is(each) for each in fn] if isinstance(fn, (list, tuple)) else fn


disallow_in_graph = forbid_in_graph = nonstrict_trace = _as_it_is


def substitute_in_graph(original_fn: Any, **settings: Any) -> Any:
    """A decorator that leaves the function as it is: there is no graph to substitute it in."""
    return _as_it_is


def graph_break(msg: str = "") -> None:
    """Ends the graph of the function that runs, if a backend gets it."""
    running = recorder.get()
    if running is not None:
        running.end_graph(f"graph_break({msg!r})")


def mark_dynamic(t: Any, index: Any, **bounds: Any) -> None:
    """Tells the compiler, which is not there, that a size changes."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Tells the compiler, which is not there, that a size may change."""


def mark_static(t: Any, index: Any = None) -> None:
    """Tells the compiler, which is not there, that a size stays."""


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Tells the compiler, which is not there, that a tensor stays where it is."""


__getattr__, __dir__ = outlines.rest_of("torch._dynamo")
