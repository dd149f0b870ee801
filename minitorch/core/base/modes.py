"""Modes: the settings of the running thread while operators are called.

`recording` returns whether nodes are recorded; it is read only if an input requires grad. All
rare modes (forward mode, inference mode, function modes, saved-tensor hooks, tensor subclasses
with `__torch_function__`) count into one flag, `WATCHED`, a global of the assembled code: while it
is 0, an operator pays 2 ns for all of them together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from itertools import count
from types import SimpleNamespace
from typing import Any

# The globals that all assembled operators share (core/declare/codegen/assemble.py fills it).
ASSEMBLED_GLOBALS: dict[str, Any] = {
    "__name__": "minitorch.aten.assembled",
    "WATCHED": 0,
    "FORMULAS_RUNNING": 0,
    # Counts down, because the engine's heap gives the smallest first: that is the youngest node.
    "next_order": count(0, -1).__next__,
}

grad_mode: ContextVar[bool] = ContextVar("grad_mode", default=True)
inference_mode: ContextVar[bool] = ContextVar("inference_mode", default=False)
recording = grad_mode.get
# The answer of is_grad_enabled in inference mode, where nothing is recorded whatever it says.
grad_in_inference: ContextVar[bool] = ContextVar("grad_in_inference", default=False)
# Whether views note the operators that took them (core/graph/views.py).
view_tracking: ContextVar[bool] = ContextVar("view_tracking", default=False)
# Whether .grad gets the strides of its leaf (core/graph/accumulate.py).
grad_layout: ContextVar[bool] = ContextVar("grad_layout", default=True)
# The function transforms that run, the outermost first (minitorch/func/levels/base.py).
transforms: ContextVar[tuple[Any, ...]] = ContextVar("transforms", default=())
# Records the calls of a program that torch.compile runs (minitorch/fx/_deferred.py).
recorder: ContextVar[Any] = ContextVar("recorder", default=None)
# The ObservedWalk of this thread, if there is one (core/graph/observed_walk.py).
RUNNING: ContextVar[Any] = ContextVar("running", default=None)


def aside(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function on arrays, whose calls `recorder` leaves out of the graph of its program."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        running = recorder.get()
        if running is None:
            return function(*args, **kwargs)
        return running.aside(function, *args, **kwargs)

    return call


# One entry for each `with inference_mode`, and for each function transform, of any thread.
ACTIVE_CONTEXTS: list[None] = []
# Whether the caller is a formula, under create_graph. torch's formulas are C++, where a number
# beside a tensor has its own overload: its node is a MulBackward1, in Python a MulBackward0.
formula_mode: ContextVar[bool | None] = ContextVar("formula_mode", default=False)
in_formula = formula_mode.get

# torch's anomaly mode (core/graph/anomaly.py), one for all threads. explain: the explain_anomalies
# block that adds notes to errors, if one is open (autograd/anomaly_mode.py).
ANOMALY = SimpleNamespace(enabled=False, check_nan=True, explain=None)
# The classes of walks of anomaly mode and the profiler, which observe each node; the last is used.
WALK_CLASSES: list[Any] = []

# Predicates: the formulas of a node that one of them chooses run on Tensors, also in a plain
# backward. Autocast, the profiler and dispatch modes, which see operators, append theirs.
TENSOR_FORMULAS: list[Callable[[Any], bool]] = []

# Functions that see a tensor which a step of an optimizer is about to write without an operator:
# those of allow_mutation_on_saved_tensors (autograd/graph.py).
BEFORE_WRITES: list[Callable[[Any], None]] = []

# Functions that see a saved output when a node uses it again, and return the one to go on with: one
# for each mode below autograd (minitorch/utils/_python_dispatch.py).
TAKEN_UP: list[Callable[[Any], Any]] = []

# minitorch.aten.sparse.gradients, once a program has used a sparse tensor.
SPARSE: list[Any] = []
# Modules for gradients that are not arrays of numbers, once a program has used such tensors.
# meets(roots) returns whether a backward reaches some, so that it runs on Tensors;
# accumulated(leaf, gradient, recorded) adds one to a leaf's .grad, if it is of the module's kind.
GRADIENT_KINDS: list[Any] = []
# The type of the arrays of wrapper subclasses' instances, once a program has made one
# (minitorch/utils/wrapper_subclasses.py).
WRAPPERS: list[type] = []

# Leaves that got another dtype, until their older graphs are searched: (weak reference, the order
# of a node made then, its AccumulateGrad, shape and dtype) (core/graph/retyped_leaves.py).
PENDING_RETYPES: list[Any] = []

# Functions that nodes call, set by modules that import nodes: retyped_leaves.relink for the graphs
# of PENDING_RETYPES leaves, saved_hooks.raw_slot for `node._raw_saved_x`.
OF_NODES = SimpleNamespace(relink=None, raw_slot=None)

# Functions to call before the first watched call, and to undo that (core/declare/expose.py).
ON_FIRST_WATCH: list[Callable[[], None]] = []
AFTER_WATCHING: list[Callable[[], None]] = []

_lock = threading.Lock()


def watch(change: int) -> None:
    """Adds one watcher (+1) of every operator call, or takes one away (-1)."""
    if change > 0:
        _prepare()
    with _lock:
        ASSEMBLED_GLOBALS["WATCHED"] += change
    if change > 0:
        _prepare()  # another thread may have called rest() meanwhile


def _prepare() -> None:
    while ON_FIRST_WATCH:
        ON_FIRST_WATCH.pop()()


def rest() -> None:
    """Makes operators stop checking for watchers, if there are none.

    That takes 1 ms, and 3 ms again for the next watcher: worth it after a rare watcher such as a
    recording. Each call of a composite operator is then 200 ns faster.
    """
    with _lock:
        if ASSEMBLED_GLOBALS["WATCHED"] == 0 and not ON_FIRST_WATCH:
            for each in AFTER_WATCHING:
                each()


class RunningFormulas:
    """A block that counts a walk under create_graph into FORMULAS_RUNNING.

    Operators test that number before they read the mode.
    """

    __slots__ = ("walks",)

    def __init__(self, create_graph: bool) -> None:
        self.walks = int(create_graph)

    def __enter__(self) -> None:
        with _lock:
            ASSEMBLED_GLOBALS["FORMULAS_RUNNING"] += self.walks

    def __exit__(self, *exception: object) -> None:
        with _lock:
            ASSEMBLED_GLOBALS["FORMULAS_RUNNING"] -= self.walks


class Mode:
    """Sets a mode for the duration of a `with` block inside the library."""

    __slots__ = ("before", "on")
    variable: ContextVar[Any]

    def __init__(self, on: Any) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.before = self.variable.get()
        self.variable.set(self.on)

    def __exit__(self, *exception: object) -> None:
        self.variable.set(self.before)


class GradMode(Mode):
    """Whether operators are recorded."""

    __slots__ = ()
    variable = grad_mode


class FormulaMode(Mode):
    """Whether a formula calls operators, or a program; None for a program inside a backward."""

    __slots__ = ()
    variable = formula_mode
