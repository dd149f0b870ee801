"""The engine: walks the graph backwards, youngest node first, never recursively.

A node's edges lead only to nodes that were there when it was made, so age alone is a topological
order: the youngest node that has received a gradient has received all of them. torch's engine,
which counts what each node still waits for and takes the youngest ready node from a heap, visits
them in the same order. Leaves that are complete at once come in the order of that heap (ready.py).

There are two walks. `ObservedWalk` (observed_walk.py) lists the graph first, so that hooks see
the same as in torch. `fast_walk` (fast_walk.py) serves the ordinary backward, which nothing
observes, and takes half the time. A backward starts here: `run_backward` chooses the walk.

In a plain backward gradients are bare arrays. Under create_graph they are Tensors, and the
backward is recorded; in forward mode they are Tensors, which may have tangents. As
torch/csrc/autograd/engine.cpp.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays.floating_point import restore, silence
from minitorch.core.arrays.missing import NUMBERLESS
from minitorch.core.base.fields import tensor
from minitorch.core.base.modes import (
    ASSEMBLED_GLOBALS,
    GRADIENT_KINDS,
    PENDING_RETYPES,
    RUNNING,
    TAKEN_UP,
    TENSOR_FORMULAS,
    WALK_CLASSES,
    GradMode,
    RunningFormulas,
    grad_mode,
    transforms,
)
from minitorch.core.graph.fast_walk import fast_walk
from minitorch.core.graph.fit import SHAPES_CHANGED, release_fitting
from minitorch.core.graph.forward import active
from minitorch.core.graph.hooks import ANY_HOOKS
from minitorch.core.graph.node import Node, node_of
from minitorch.core.graph.observed_walk import ObservedWalk
from minitorch.core.graph.reach import discover, nodes_into, run_on_tensors
from minitorch.core.graph.ready import abandon, join
from minitorch.core.graph.retyped_leaves import relink


def run_backward(
    roots: list[tuple[Any, Any]],
    keep_graph: bool,
    create_graph: bool,
    inputs: list[Any] | None = None,
    accumulate_inputs: bool = False,
) -> list[Any]:
    """Sends the gradients of `roots` through the graph.

    roots: (target, gradient) pairs: a leaf, a Node or (Node, number), and an array, or a Tensor
        under create_graph or in forward mode.
    keep_graph: whether nodes keep their saved values for another backward.
    create_graph: whether the backward is recorded, to be differentiated.
    inputs: the only targets that get gradients; all leaves if None. Their gradients are returned
        in order (None if none arrived).
    accumulate_inputs: whether gradients are added to the .grad of the leaves among `inputs`
        instead.
    """
    if PENDING_RETYPES:
        relink()
    if SHAPES_CHANGED:
        release_fitting()
    if TENSOR_FORMULAS:
        run_on_tensors(roots, TENSOR_FORMULAS)
    watched = ASSEMBLED_GLOBALS["WATCHED"] and (TAKEN_UP or active() or transforms.get())
    on_tensors = create_graph or bool(watched)
    # The list is tested first: a comprehension over an empty list takes 0.2 us of a backward's 5.
    if GRADIENT_KINDS and not on_tensors and any([kind.meets(roots) for kind in GRADIENT_KINDS]):
        on_tensors, roots = True, [(target, tensor(grad)) for target, grad in roots]
    # Operators have rules for the shapes of arrays without numbers; functions on arrays have not.
    if NUMBERLESS and not on_tensors and any([type(grad) in NUMBERLESS for _, grad in roots]):
        run_on_tensors(roots)
    try:
        if inputs is None and not on_tensors and not ANY_HOOKS and not SHAPES_CHANGED:
            mode, state = grad_mode.get(), silence()
            grad_mode.set(False)
            try:
                fast_walk(roots, keep_graph)
                if FINAL:
                    call_final(sys._getframe())
            finally:
                restore(state)
                grad_mode.set(mode)
            return []
        walk, nodes = new_walk(roots, keep_graph, on_tensors, inputs, accumulate_inputs)
        outer = RUNNING.get()
        if outer is not None:
            join(walk, outer)
        token = RUNNING.set(walk)
        running = RunningFormulas(on_tensors)
        try:
            with GradMode(create_graph), running, numpy.errstate(all="ignore"):
                walk.start(roots)
                walk.run(nodes)
                if FINAL:
                    call_final(sys._getframe())
        except BaseException:
            if outer is not None:
                abandon(walk)
            raise
        finally:
            RUNNING.reset(token)
        return [] if inputs is None else [walk.wanted[target] for target in inputs]
    except BaseException:
        FINAL.pop(sys._getframe(), None)
        raise


def new_walk(
    roots: list[tuple[Any, Any]],
    keep_graph: bool,
    on_tensors: bool,
    inputs: list[Any] | None,
    accumulate_inputs: bool,
) -> tuple[Any, list[Node]]:
    """A walk that can be observed, and the nodes that it visits; as `run_backward`."""
    nodes, leaves = discover([target for target, _ in roots])
    root = node_of(roots[0][0]) if len(roots) == 1 else None
    wanted = None
    needed: set[Node] = set()
    last: set[Node] = set()
    if inputs is not None:
        wanted = dict.fromkeys(inputs)
        needed = nodes_into(wanted, nodes)
        ends = {node_of(target) for target in wanted}
        if accumulate_inputs:  # such a node runs, since a hook retains the gradient
            nodes_at_ends = {node for node in ends - needed if isinstance(node, Node)}
            last = {node for node in nodes_at_ends if node.skips_unwanted}
            needed |= ends
        nodes = [node for node in nodes if node in needed or node in ends or node is root]
    kind = WALK_CLASSES[-1] if WALK_CLASSES else ObservedWalk
    walk = kind(leaves, keep_graph, on_tensors, wanted, needed, accumulate_inputs)
    walk.nodes, walk.last, walk.root = nodes, last, root
    return walk, nodes


# The callbacks for the end of a backward, by the frame of its run_backward.
FINAL: dict[Any, list[Callable[[], object]]] = {}


def call_final(frame: Any) -> None:
    """Calls the callbacks for the end of a backward, and callbacks that they queue in turn."""
    for callback in FINAL.get(frame, ()):
        callback()
    FINAL.pop(frame, None)
