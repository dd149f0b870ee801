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
from minitorch.core.graph.hooks import call_hooks, call_leaf_hooks, call_pre_hooks
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
    waiting, leaves = dependencies([target for target, _ in roots])
    wanted = needed = None
    if inputs is not None:
        wanted = {key_of(target): None for target in inputs}
        needed = leading_to(wanted, roots, waiting)
    with GradMode(create_graph), numpy.errstate(all="ignore"):
        _loop(roots, waiting, leaves, keep_graph, create_graph, wanted, needed, accumulate_inputs)
    return [] if wanted is None else [wanted[key_of(target)] for target in inputs or ()]


def key_of(target: Any) -> Any:
    """What identifies a target among the wanted ones."""
    if type(target) is tuple:
        return target[0], target[1]
    return target if isinstance(target, Node) else id(target)


def dependencies(targets: list[Any]) -> tuple[dict[Node, int], dict[int, int]]:
    """How many gradients each node, and each leaf (by id), has yet to receive."""
    waiting: dict[Node, int] = {}
    leaves: dict[int, int] = {}
    stack: list[Node] = []
    for target in targets:
        into = target[0] if type(target) is tuple else target
        if isinstance(into, Node):
            if into not in waiting:
                waiting[into] = 0
                stack.append(into)
        else:
            leaves.setdefault(id(into), 0)
    while stack:
        for into in stack.pop().edges:
            if into is None:
                continue
            if type(into) is tuple:
                into = into[0]
            if into in waiting:
                waiting[into] += 1
            elif isinstance(into, Node):
                waiting[into] = 1
                stack.append(into)
            elif into is not NOWHERE:
                leaves[id(into)] = leaves.get(id(into), 0) + 1
    return waiting, leaves


def leading_to(wanted: dict[Any, Any], roots: Any, waiting: dict[Node, int]) -> set[Node]:
    """The nodes from which a wanted target can be reached."""
    needed: set[Node] = set()
    # Youngest last: every node's own edges lead to older nodes, whose answer is then known.
    for node in sorted(waiting, key=lambda node: node.sequence_nr):
        for edge in node.edges:
            if edge is None or edge is NOWHERE:
                continue
            into = edge[0] if type(edge) is tuple else edge
            if key_of(edge) in wanted or (isinstance(into, Node) and into in needed):
                needed.add(node)
                break
    return needed


def _loop(
    roots: Any,
    waiting: dict[Node, int],
    leaves: dict[int, int],
    keep_graph: bool,
    create_graph: bool,
    wanted: dict[Any, Any] | None,
    needed: set[Node] | None,
    accumulate_inputs: bool,
) -> None:
    buffers: dict[Node, Any] = {}
    partial: dict[int, Any] = {}
    owned: set[Any] = set()  # whose buffer nobody else can see, so that it may be added to in place
    ready: list[tuple[int, Node]] = []

    def finish(leaf: Any) -> None:
        """The last gradient of a leaf has arrived."""
        grad = partial.pop(id(leaf), None)
        if grad is None:
            return
        if leaf._hooks is not None:
            grad = call_leaf_hooks(leaf, grad, create_graph)
        if wanted is None:
            accumulate(leaf, grad, create_graph)
        elif id(leaf) in wanted:
            if accumulate_inputs:
                accumulate(leaf, grad, create_graph)
            else:
                wanted[id(leaf)] = grad

    for target, grad in roots:
        if type(target) is tuple:
            into, number = target
            held = buffers.setdefault(into, [None] * into.outputs)
            held[number] = grad if held[number] is None else held[number] + grad
        elif isinstance(target, Node):
            into = target
            buffers[into] = plus(buffers[into], grad) if into in buffers else grad
        else:
            held = partial.get(id(target))
            partial[id(target)] = grad if held is None else plus(held, grad)
            if leaves[id(target)] == 0:
                finish(target)
            continue
        if waiting[into] == 0:
            waiting[into] = -1
            heappush(ready, (-into.sequence_nr, into))

    while ready:
        node = heappop(ready)[1]
        grad = buffers.pop(node)
        owned.discard(node)
        if node.hooks is not None:
            grad = call_pre_hooks(node, grad, create_graph)
        if wanted is not None:
            capture(node, grad, wanted, accumulate_inputs, create_graph)
            if node not in needed:  # type: ignore[operator]
                continue
        if node.outputs == 1:
            if grad is None:
                grads = (None,) * len(node.edges)
            else:
                grads = node.apply_graph(grad) if create_graph else node.apply(grad)
        else:
            grads = node.apply_graph(*grad) if create_graph else node.apply(*grad)
        if not keep_graph:
            node.release()
        if node.hooks is not None:
            grads = call_hooks(node, grads, grad, create_graph)
        for edge, grad in zip(node.edges, grads, strict=True):
            if edge is None:
                continue
            if type(edge) is tuple:
                into, number = edge
                held = buffers.get(into)
                if held is None:
                    held = buffers[into] = [None] * into.outputs
                if grad is not None:
                    grad = conform(grad, into.shape[number], into.dtype[number], node)
                    held[number] = grad if held[number] is None else held[number] + grad
            elif isinstance(edge, Node):
                into = edge
                if grad is None:
                    buffers.setdefault(into, None)
                else:
                    x = grad._array if create_graph else grad
                    if type(x) is not _ndarray or x.shape != into.shape or x.dtype is not into.dtype:
                        grad = conform(grad, into.shape, into.dtype, node)
                    held = buffers.get(into)
                    if held is None:
                        buffers[into] = grad
                    elif into in owned:
                        held += grad
                    else:
                        buffers[into] = plus(held, grad)
                        if not create_graph:
                            owned.add(into)
            else:
                if edge is NOWHERE:
                    continue
                key = id(edge)
                if grad is not None:
                    leaf = edge._array
                    x = grad._array if create_graph else grad
                    if type(x) is not _ndarray or x.shape != leaf.shape or x.dtype is not leaf.dtype:
                        grad = conform(grad, leaf.shape, leaf.dtype, node)
                    held = partial.get(key)
                    partial[key] = grad if held is None else plus(held, grad)
                leaves[key] -= 1
                if leaves[key] == 0:
                    finish(edge)
                continue
            left = waiting[into] - 1
            waiting[into] = left
            if left == 0:
                heappush(ready, (-into.sequence_nr, into))


def plus(held: Any, grad: Any) -> Any:
    """The sum of two gradients, a fresh one."""
    return numpy.add(held, grad, out=...) if type(held) is _ndarray else held + grad


def capture(node: Node, grad: Any, wanted: Any, add: bool, create_graph: bool) -> None:
    """Keeps the gradient of a wanted output of `node`."""
    if node.outputs == 1:
        if node in wanted:
            wanted[node] = grad
        return
    for number, each in enumerate(grad):
        if (node, number) in wanted:
            wanted[node, number] = each
