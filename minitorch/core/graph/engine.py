"""The engine: walks the graph backwards, youngest ready node first, never recursively.

In a plain backward gradients are bare arrays; under create_graph they are Tensors, and what runs is
recorded. A leaf accumulates as soon as its last gradient has arrived. As torch/csrc/autograd/engine.cpp.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy

from minitorch.core.graph.accumulate import accumulate
from minitorch.core.graph.conform import conform
from minitorch.core.graph.hooks import HOOKED, call_hooks, call_leaf_hooks, call_pre_hooks
from minitorch.core.graph.modes import GradMode
from minitorch.core.graph.node import Node
from minitorch.core.tensor.base import LEAF, NOWHERE

_ndarray = numpy.ndarray


def target_of(edge: Any, self: Any) -> Any:
    """Where a gradient of the tensor `self` with this edge goes: the leaf, a Node, or (Node, number)."""
    return self if edge is LEAF else edge


def run_backward(
    roots: list[tuple[Any, Any]],
    keep_graph: bool,
    create_graph: bool,
    inputs: list[Any] | None = None,
    accumulate_inputs: bool = False,
) -> list[Any]:
    """Sends the gradients of `roots` through the graph.

    roots: (target, gradient) pairs: a leaf, a Node or (Node, number), and an array, or a Tensor if
        create_graph.
    inputs: the only targets that matter; all leaves if None. Their gradients are returned in order
        (None where none arrived) or, with accumulate_inputs, added to the .grad of those that are
        leaves.
    """
    waiting = dependencies([target for target, _ in roots])
    wanted = needed = None
    if inputs is not None:
        wanted = dict.fromkeys(inputs)
        needed = leading_to(wanted, waiting)
    task = Task(waiting, keep_graph, create_graph, wanted, needed, accumulate_inputs)
    with GradMode(create_graph), numpy.errstate(all="ignore"):
        task.start(roots)
        task.run()
    return [] if wanted is None else [wanted[target] for target in inputs or ()]


def dependencies(targets: list[Any]) -> dict[Any, int]:
    """How many gradients each node, and each leaf, has yet to receive."""
    waiting: dict[Any, int] = {}
    stack: list[Node] = []
    for target in targets:
        into = target[0] if type(target) is tuple else target
        if into not in waiting:
            waiting[into] = 0
            if isinstance(into, Node):
                stack.append(into)
    while stack:
        for into in stack.pop().edges:
            if into is None:
                continue
            if type(into) is tuple:
                into = into[0]
            if into in waiting:
                waiting[into] += 1
            else:
                waiting[into] = 1
                if isinstance(into, Node):
                    stack.append(into)
    return waiting


def leading_to(wanted: dict[Any, Any], waiting: dict[Any, int]) -> set[Node]:
    """The nodes from which a wanted target can be reached."""
    needed: set[Node] = set()
    # Oldest first: every node's edges lead to older nodes, whose answer is then known.
    for node in sorted([each for each in waiting if isinstance(each, Node)], key=_age):
        for edge in node.edges:
            if edge in wanted or (edge[0] if type(edge) is tuple else edge) in needed:
                needed.add(node)
                break
    return needed


def _age(node: Node) -> int:
    return -node.order


def plus(held: Any, grad: Any) -> Any:
    """The sum of two gradients, a fresh one."""
    return numpy.add(held, grad, out=...) if type(held) is _ndarray else held + grad


class Task:
    """One walk through a graph.

    waiting: how many gradients each target has yet to receive.
    wanted: the targets whose gradients are asked for, and the gradients once they are there.
    needed: the nodes that lead to a wanted target; the others do not run.
    """

    def __init__(
        self,
        waiting: dict[Any, int],
        keep_graph: bool,
        create_graph: bool,
        wanted: dict[Any, Any] | None,
        needed: set[Node] | None,
        accumulate_inputs: bool,
    ) -> None:
        self.waiting = waiting
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.wanted = wanted
        self.needed = needed
        self.accumulate_inputs = accumulate_inputs
        self.buffers: dict[Any, Any] = {}  # target -> gradient so far; a list for several outputs
        self.owned: set[Any] = set()  # targets whose buffer nobody else can see
        self.ready: list[tuple[int, Node]] = []

    def start(self, roots: list[tuple[Any, Any]]) -> None:
        """Puts the gradients of the roots where the walk begins."""
        for target, grad in roots:
            into = self.receive(target, grad)
            if self.waiting[into] == 0:
                if isinstance(into, Node):
                    self.waiting[into] = -1
                    heappush(self.ready, (into.order, into))
                else:
                    self.finish(into)

    def receive(self, target: Any, grad: Any) -> Any:
        """Adds a gradient to what a target has; returns the node or leaf. None adds nothing."""
        buffers = self.buffers
        if type(target) is not tuple:
            held = buffers.get(target)
            if grad is None:
                buffers.setdefault(target, None)
            elif held is None:
                buffers[target] = grad
            elif target in self.owned:
                held += grad
            else:
                buffers[target] = plus(held, grad)
                if not self.create_graph:
                    self.owned.add(target)
            return target
        into, number = target
        held = buffers.get(into)
        if held is None:
            held = buffers[into] = [None] * into.outputs
        if grad is not None:
            held[number] = grad if held[number] is None else plus(held[number], grad)
        return into

    def run(self) -> None:
        """Runs ready nodes, youngest first, until none is left."""
        ready, waiting, buffers = self.ready, self.waiting, self.buffers
        create_graph, keep_graph, wanted = self.create_graph, self.keep_graph, self.wanted
        while ready:
            node = heappop(ready)[1]
            grad = buffers.pop(node)
            if HOOKED and node.hooks is not None:
                grad = call_pre_hooks(node, grad, create_graph)
            if wanted is not None:
                self.capture(node, grad)
                if node not in self.needed:  # type: ignore[operator]
                    continue
            if grad is None:
                grads: Any = (None,) * len(node.edges)
            elif create_graph:
                grads = node.apply_graph(grad, keep_graph)
            else:
                grads = node.apply(grad, keep_graph)
            if HOOKED and node.hooks is not None:
                grads = call_hooks(node, grads, grad, create_graph)
            for edge, grad in zip(node.edges, grads):  # noqa: B905  (60 ns a node)
                if edge is None:
                    continue
                if type(edge) is tuple:
                    into, number = edge
                    if grad is not None:
                        grad = conform(grad, into.shape[number], into.dtype[number], node)
                    self.receive(edge, grad)
                elif isinstance(edge, Node):
                    into = edge
                    if grad is None:
                        buffers.setdefault(into, None)
                    else:
                        x = grad._array if create_graph else grad
                        if (
                            type(x) is not _ndarray
                            or x.shape != into.shape
                            or x.dtype is not into.dtype
                        ):
                            grad = conform(grad, into.shape, into.dtype, node)
                        if into in buffers:
                            self.receive(into, grad)
                        else:
                            buffers[into] = grad
                elif edge is NOWHERE:
                    continue
                else:
                    if grad is not None:
                        leaf = edge._array
                        x = grad._array if create_graph else grad
                        if (
                            type(x) is not _ndarray
                            or x.shape != leaf.shape
                            or x.dtype is not leaf.dtype
                        ):
                            grad = conform(grad, leaf.shape, leaf.dtype, node)
                    left = waiting[edge] - 1
                    if left == 0 and edge not in buffers:
                        self.finish_with(edge, grad)
                    else:
                        self.receive(edge, grad)
                        waiting[edge] = left
                        if left == 0:
                            self.finish(edge)
                    continue
                left = waiting[into] - 1
                waiting[into] = left
                if left == 0:
                    heappush(ready, (into.order, into))

    def finish(self, leaf: Any) -> None:
        """The last gradient of a leaf has arrived."""
        self.finish_with(leaf, self.buffers.pop(leaf, None))

    def finish_with(self, leaf: Any, grad: Any) -> None:
        """Hands a leaf its gradient."""
        if grad is None:
            return
        if leaf._hooks is not None:
            grad = call_leaf_hooks(leaf, grad, self.create_graph)
        wanted = self.wanted
        if wanted is None or (self.accumulate_inputs and leaf in wanted):
            accumulate(leaf, grad, self.create_graph)
        elif leaf in wanted:
            wanted[leaf] = grad

    def capture(self, node: Node, grad: Any) -> None:
        """Keeps the gradient of a wanted output of `node`."""
        wanted: Any = self.wanted
        if type(grad) is not list:
            if node in wanted:
                wanted[node] = grad
            return
        for number, each in enumerate(grad):
            if (node, number) in wanted:
                wanted[node, number] = each
