"""The walk of a backward that something observes: hooks, create_graph, inputs=, forward mode.

It lists the graph first. So it knows which gradient of a leaf is the last, as hooks can observe,
and which nodes lead to the wanted inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from sys import getrefcount
from typing import Any

import numpy

from minitorch.core.arrays.layout import is_plain
from minitorch.core.base.fields import NOWHERE, laid_out, version_of
from minitorch.core.base.formulas import is_complex
from minitorch.core.base.modes import (
    FormulaMode,
    recording,
)
from minitorch.core.graph.accumulate import (
    ADDING,
    accumulate,
    accumulate_tensor,
    accumulated_by_kind,
    call_post_hooks,
    count_writes,
    held_alone,
    in_place_of,
    plus,
)
from minitorch.core.graph.fit import (
    SHAPES_CHANGED,
    expected_by,
    fit_gradient,
    fit_gradients,
)
from minitorch.core.graph.hooks import (
    ANY_HOOKS,
    call_hooks,
    call_leaf_hooks,
    call_pre_hooks,
    call_tensor_hooks,
)
from minitorch.core.graph.node import Node, apply_on_tensors, node_behind, node_of
from minitorch.core.graph.ready import (
    IN_ORDER,
    Schedule,
    begin,
    ordered_leaves,
    schedule,
    take,
)
from minitorch.core.graph.roots import fit_root

_ndarray = numpy.ndarray
next_number = count().__next__


def counted(grad: Any, writes: int) -> Any:
    """A gradient as a Tensor, with the version that it has after torch's sums."""
    result = laid_out(grad)
    version_of(result)[0] = writes
    return result


# References in `distribute` to a gradient that nothing else holds: the tuple of the gradients, two
# local variables (one for a Tensor), getrefcount's argument; and out of a buffer.
_IN_LOOP, _POPPED = 4, 3
_AFTER_HOOKS = 2  # of a gradient that a hook returned instead


def _lies_otherwise(grad: Any) -> bool:
    """Whether the strides of a gradient differ from those of a fresh array of its shape."""
    return not grad.flags.c_contiguous or (1 in grad.shape and not is_plain(grad))


def _in_formulas(error: BaseException) -> bool:
    """Whether an error was raised by this package's code, not by a function that it called."""
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return bool(trace.tb_frame.f_globals.get("__name__", "").startswith(("minitorch.", "torch.")))


class ObservedWalk:
    """One walk through a graph.

    leaves: how many gradients each leaf has yet to receive.
    wanted: the targets whose gradients the caller wants, and the gradients once they are computed.
    needed: the nodes that run if targets are wanted; other nodes only call their tensors' hooks.
    nodes: the nodes that the walk visits, the youngest first.
    root: the root if there is only one, since torch's engine treats a single root differently.
    number: a number that no other walk of the process has.
    roots: the nodes and leaves it starts from.
    node: the node that is running; None before the first.
    left: how many leaves have not yet received their gradient from `node`; -1 while it runs.
    outer: the walk that this walk runs inside of, in a node or hook, if any.
    depth: how many outer walks there are.
    heap: the tasks that torch's engine has ready, if their order matters; heap_of: the node that
        ran when the heap was made.
    """

    nodes: Sequence[Node] = ()
    root: Any = None
    roots: Sequence[Any] = ()
    node: Node | None = None
    left = -1
    outer: ObservedWalk | None = None
    depth = 0
    heap: Any = None
    heap_of: Node | None = None
    _schedule: Schedule | None = None

    def __init__(
        self,
        leaves: dict[Any, int],
        keep_graph: bool,
        on_tensors: bool,
        wanted: dict[Any, Any] | None,
        needed: set[Node],
        accumulate_inputs: bool,
    ) -> None:
        self.leaves = leaves
        self.keep_graph = keep_graph
        self.on_tensors = on_tensors
        self.wanted = wanted
        self.needed = needed
        self.last: set[Node] = set()  # needed nodes without a wanted gradient
        self.accumulate_inputs = accumulate_inputs
        self.buffers: dict[Any, Any] = {}  # target -> gradient so far; a list for several outputs
        # Targets whose buffer the walk alone holds; for leaves, how often it was written.
        self.owned: dict[Any, list[int]] = {}
        self.number = next_number()

    def executes(self, node: Any) -> bool:
        """Whether `node` runs, or its gradient is wanted."""
        node = node_behind(node)
        into = getattr(node, "variable", node)  # the leaf of an AccumulateGrad
        if into is self.root or not (into in self.leaves or node in self.nodes):
            return False  # in torch a single root is not among the nodes of its graph
        if self.wanted is None:
            return True
        ends = {node_of(target) for target in self.wanted}
        if into is not node and into in ends and not self.accumulate_inputs:
            raise RuntimeError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running "
                "autograd.grad(). This is currently not supported."
            )
        return into in ends or node in self.needed

    def start(self, roots: list[tuple[Any, Any]]) -> None:
        """Stores the gradients of the roots as the walk's first gradients."""
        fitting = [(target, fit_root(target, grad)) for target, grad in roots]
        self.roots = [self.receive(target, grad) for target, grad in fitting]
        complete = []
        for into in reversed(dict.fromkeys(reversed(self.roots))):  # each once, at its last place
            if self.leaves.get(into) == 0:
                grad = self.buffers.pop(into)
                if self.wanted is None or into in self.wanted or into is self.root:
                    complete.append((into, grad, None))
        if self.outer is not None:
            begin(self)
        self.finish_all(None, complete)

    def schedule(self) -> Schedule:
        """The schedule of this walk, made at the first call."""
        if self._schedule is None:
            self._schedule = schedule(self, self.roots)
        return self._schedule

    def receive(self, target: Any, grad: Any, grads: Any = ()) -> Any:
        """Adds a gradient, one of a node's `grads`, to a target's; returns the node or leaf.
        None adds nothing."""
        buffers = self.buffers
        if type(target) is not tuple:
            held = buffers.get(target)
            if grad is None:
                buffers.setdefault(target, None)
            elif held is None:
                buffers[target] = grad
            elif target in self.owned:
                held += grad
                self.owned[target][0] += 1
            else:
                buffers[target] = total = plus(held, grad)
                if not self.on_tensors:
                    self.owned[target] = [alone := held_alone(held, grad, grads)]
                    buffers[target] = in_place_of(held, total) if alone else total
            return target
        into, number = target
        held = buffers.setdefault(into, None)
        if grad is not None:
            if held is None:
                held = buffers[into] = [None] * into.outputs
            held[number] = plus(held[number], grad, grads, 1)
        return into

    def inspected(self, node: Node, grads: Any, grad: Any, hooked: object) -> Any:
        """The gradients that a node gave for `grad`, fitted to its inputs and seen by its hooks.

        Releases the node's saved values after that, so that a hook that raises changes nothing.
        """
        grads = fit_gradients(grads if self.wanted is None else self.leading(node, grads), node)
        if hooked:
            grads = call_hooks(node, grads, grad, self.on_tensors)
        if not self.keep_graph:
            node.release()
        return grads

    def run(self, nodes: list[Node]) -> None:
        """Runs the nodes in order.

        Wanted gradients of a node that also runs are captured before its own hooks are called.
        """
        buffers = self.buffers
        on_tensors, keep_graph, wanted = self.on_tensors, self.keep_graph, self.wanted
        inner = self.outer is not None
        for node in nodes:
            self.node, self.left = node, -1
            if inner:
                take(self, node)
            grads: Any = None  # a gradient that only its target holds need not be copied
            grad = buffers.pop(node, None)
            hooked = ANY_HOOKS and node.hooks is not None
            if wanted is not None:
                runs = node in self.needed
                if hooked and not runs:
                    grad = call_tensor_hooks(node, grad, on_tensors)
                self.capture(node, grad)
                if not runs:
                    continue  # none of its edges leads to a node that runs
            # Its saved values have to stay until its gradients are checked.
            looking = (
                True  # asked once: the latch may open
                if SHAPES_CHANGED
                else (node.complex_only and hasattr(grad, "dtype") and is_complex(grad))
                or (on_tensors and "sparse" in node.__dict__)
            )
            retain = keep_graph or hooked or looking
            if hooked:
                grad = call_pre_hooks(node, grad, on_tensors)
            if node in self.last:
                grads = node.pass_over(retain)
            elif grad is None:
                grads = node.apply_nothing(retain, on_tensors)
            elif on_tensors:
                with FormulaMode(True):
                    grads = node.apply_graph(grad, retain)
            elif node.elementwise and type(grad) is _ndarray and _lies_otherwise(grad):
                # torch's iterator keeps the order of memory; NumPy's does not always.
                grads = apply_on_tensors(node, grad, retain)
            else:
                try:
                    grads = node.apply(grad, retain)
                except ValueError as error:  # NumPy's error, where torch has its own text
                    if not SHAPES_CHANGED or not _in_formulas(error):
                        raise
                    grads = apply_on_tensors(node, grad, retain)
            hooked = hooked or (ANY_HOOKS and node.hooks is not None)  # a hook may be new
            if hooked or looking:
                grads = self.inspected(node, grads, grad, hooked)
            grad = None  # it may be one of `grads`
            complete = self.distribute(node, grads)
            if complete or inner:  # once all of `grads` are added
                self.finish_all(node, complete)

    def distribute(self, node: Node, grads: tuple[Any, ...]) -> Sequence[Any]:
        """Adds the gradients that a node returned to those of the targets of its edges.

        Returns the arguments of `finish` for each leaf that has all its gradients now.
        """
        buffers, leaves = self.buffers, self.leaves
        on_tensors, wanted = self.on_tensors, self.wanted
        complete: Sequence[Any] = ()
        for i, edge in enumerate(node.edges):
            if edge is None or edge is NOWHERE:
                continue
            grad = grads[i]
            if type(edge) is tuple:
                into, number = edge
                if grad is not None:
                    grad = fit_gradient(grad, into.shape[number], into.dtype[number], node, i)
                self.receive(edge, grad, grads)
                continue
            leaf = edge in leaves
            if leaf and wanted is not None and edge not in wanted:
                continue
            if grad is not None:
                x = grad._array if on_tensors else grad
                like = (expected_by(edge) if SHAPES_CHANGED else edge._array) if leaf else edge
                if type(x) is not _ndarray or x.shape != like.shape or x.dtype is not like.dtype:
                    grad = fit_gradient(grad, like.shape, like.dtype, node, i)
            if not leaf:
                if edge in buffers:
                    self.receive(edge, grad, grads)
                else:
                    buffers[edge] = grad
                continue
            left = leaves[edge] = leaves[edge] - 1
            if left == 0 and edge not in buffers:
                # Earlier leaves that got the same gradient have copied it by then.
                others = sum([each[1] is grad for each in complete])
                alone = getrefcount(grad) <= _IN_LOOP - on_tensors + 2 * others
                complete = [*complete, (edge, grad, alone)]
            else:
                self.receive(edge, grad, grads)
                if left == 0:
                    grad = buffers.pop(edge)
                    given = sum([each is grad for each in grads])  # references to a sum in place
                    alone = getrefcount(grad) <= _POPPED + given
                    complete = [*complete, (edge, grad, alone)]
        return complete

    def finish_all(self, node: Node | None, complete: Sequence[Any]) -> None:
        """Gives leaves the gradients that `node` completed, in torch's order.

        complete: for each leaf the arguments of `finish`.
        """
        self.left = len(complete)
        turns: Iterable[Any] = complete
        if self.left > IN_ORDER or self.heap is not None:
            turns = ordered_leaves(self, node, complete)
        for leaf, grad, alone in turns:
            self.left -= 1
            self.finish(leaf, grad, alone)

    def leading(self, node: Node, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """A node's gradients, with None for edges that lead to no wanted target."""
        wanted: Any = self.wanted
        into = self.needed.union([node_of(target) for target in wanted])
        return node.only_wanted(grads, [node_of(edge) in into for edge in node.edges])

    def finish(self, leaf: Any, grad: Any, alone: bool | None = None) -> None:
        """Gives a leaf its complete gradient.

        alone: whether no other reference to the gradient exists; None if that can still be counted.
        """
        if leaf._hooks is not None:
            grad, alone = self.after_hooks(leaf, grad, alone)
        wanted = self.wanted
        if wanted is None or (self.accumulate_inputs and leaf in wanted):
            node = leaf._accumulator() if ANY_HOOKS and leaf._accumulator is not None else None
            if node is None or node.hooks is None:
                self.accumulate(leaf, grad, alone)
                return
            grad = call_pre_hooks(node, grad, self.on_tensors)
            self.accumulate(leaf, grad)
            call_hooks(node, (), grad, self.on_tensors)
        elif leaf in wanted:
            wanted[leaf] = grad
            if leaf in self.owned and leaf._hooks is None:
                wanted[leaf] = counted(grad, self.owned[leaf][0])

    def after_hooks(self, leaf: Any, grad: Any, alone: bool | None) -> tuple[Any, bool | None]:
        """The gradient of a leaf after its hooks, and whether the walk alone references it."""
        held = getrefcount(grad)
        left = call_leaf_hooks(leaf, grad, self.on_tensors)
        if left is grad:  # unless a hook has kept it
            alone = alone and getrefcount(grad) == held + 1
        else:
            alone = getrefcount(left) <= _AFTER_HOOKS
        return left, alone

    def finish_retyped(self, end: Any, grad: Any, alone: bool | None) -> None:
        """Gives a leaf the gradient that reached `end`, of a graph that is older than its dtype."""
        leaf = end.variable
        if leaf._hooks is not None:
            grad, alone = self.after_hooks(leaf, grad, alone)
        self.accumulate(leaf, grad, alone, end)

    def accumulate(self, leaf: Any, grad: Any, alone: bool | None = None, end: Any = None) -> None:
        """Adds to a leaf's .grad. If `grad` is None, runs only the hooks after accumulation.

        end: the target that the gradient reached, if not the leaf.
        """
        if grad is not None:
            with ADDING:
                if self.on_tensors and accumulated_by_kind(leaf, grad, recording()):
                    pass
                elif self.on_tensors and not recording():
                    accumulate_tensor(leaf, grad, bool(alone))
                else:
                    accumulate(leaf, grad, self.on_tensors, alone)
                    if (end or leaf) in self.owned:
                        count_writes(leaf, grad, self.owned[end or leaf][0])
        call_post_hooks(leaf)

    def capture(self, node: Node, grad: Any) -> None:
        """Keeps the gradient of a wanted output of `node`."""
        wanted: Any = self.wanted
        if self.accumulate_inputs:
            return
        if type(grad) is not list:
            if node in wanted:
                wanted[node] = grad
                if node in self.owned and node.hooks is None:
                    wanted[node] = counted(grad, self.owned[node][0])
            return
        for number, each in enumerate(grad):
            if (node, number) in wanted:
                wanted[node, number] = each
