"""The walk of an ordinary backward, whose nodes nothing observes.

It finds the graph as it goes, adds the gradients to the leaves at the end, and takes half the time
of `ObservedWalk`. Gradients are arrays. It is one function, longer than others: a node of a chain
takes 1 us, and a call would take 25 to 50 ns of that.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy

from minitorch.core.base.fields import NOWHERE
from minitorch.core.graph.accumulate import (
    ADDING,
    accumulate,
    count_writes,
    held_alone,
    in_place_of,
    plus,
)
from minitorch.core.graph.fit import fit_gradient
from minitorch.core.graph.node import Node
from minitorch.core.graph.reach import discover
from minitorch.core.graph.roots import ROOT

_ndarray = numpy.ndarray


def fast_walk(roots: list[tuple[Any, Any]], keep_graph: bool) -> None:
    """Runs a backward on arrays, whose nodes nothing observes, and adds to the .grad of leaves.

    roots: (target, gradient) pairs, as for `run_backward`.
    keep_graph: whether nodes keep their saved values for another backward.
    """
    leaves: dict[Any, Any] = {}  # leaf -> gradient so far
    buffers: dict[Node, Any] = {}  # node -> gradient so far; a list for several outputs
    # Targets whose gradient the walk alone holds; for leaves, how often it was written.
    owned: dict[Any, list[int]] = {}
    ready: list[tuple[int, Node]] = []  # the nodes in `buffers`, youngest first
    node: Any = ROOT
    fits = False
    edges: Any
    grads: Any
    edges, grads = zip(*roots) if roots else ((), ())
    try:
        while True:
            while not ready and ((n := len(edges)) == 1 or (n == 2 and edges[1] is None)):
                # Nothing else waits: along a chain the gradient goes straight from node to node.
                grad = grads[0]
                into = edges[0]
                if type(grad) is not _ndarray:
                    break
                try:
                    if not fits and (grad.shape != into.shape or grad.dtype is not into.dtype):
                        break
                    edges = into.edges
                except AttributeError:  # a leaf, one of several outputs, or nothing
                    break
                node = into
                fits = node.fits
                grads = node.apply(grad, keep_graph)
            # The youngest node among this node's edges stays out of the heap: it is often next.
            following: Any = None
            pending: Any = None
            i = -1
            for edge in edges:
                i += 1  # zip(edges, grads) would cost 130 ns a node more
                if edge is None:
                    continue
                grad = grads[i]
                if isinstance(edge, Node):
                    if type(grad) is not _ndarray:  # NumPy makes scalars of 0-d results
                        if grad is not None:
                            grad = fit_gradient(grad, edge.shape, edge.dtype, node, i)
                    elif not fits and (grad.shape != edge.shape or grad.dtype is not edge.dtype):
                        grad = fit_gradient(grad, edge.shape, edge.dtype, node, i)
                    if following is None and edge not in buffers:
                        following, pending = edge, grad
                    elif edge is following:
                        pending = plus(pending, grad, grads, 1)
                    elif edge in buffers:
                        add_to(buffers, edge, grad, owned, grads)
                    elif edge.order > following.order:
                        buffers[edge] = grad
                        heappush(ready, (edge.order, edge))
                    else:
                        buffers[following] = pending
                        heappush(ready, (following.order, following))
                        following, pending = edge, grad
                elif type(edge) is tuple:
                    into, number = edge
                    if into not in buffers:
                        buffers[into] = None
                        heappush(ready, (into.order, into))
                    if grad is not None:
                        held = buffers[into]
                        if held is None:
                            held = buffers[into] = [None] * into.outputs
                        grad = fit_gradient(grad, into.shape[number], into.dtype[number], node, i)
                        held[number] = plus(held[number], grad, grads, 1)
                elif grad is not None and edge is not NOWHERE:
                    x = edge._array
                    if (
                        type(grad) is not _ndarray
                        or grad.shape != x.shape
                        or grad.dtype is not x.dtype
                    ):
                        grad = fit_gradient(grad, x.shape, x.dtype, node, i)
                    if edge in leaves:
                        add_to_leaf(leaves, edge, grad, owned, grads)
                    else:
                        leaves[edge] = grad
            if ready and (following is None or ready[0][0] < following.order):
                if following is not None:
                    buffers[following] = pending
                    heappush(ready, (following.order, following))
                following = heappop(ready)[1]
                pending = buffers.pop(following)
            elif following is None:
                break
            node = following
            fits = node.fits
            edges = node.edges
            if pending is None:
                grads = node.apply_nothing(keep_graph, False)
            else:
                grads = node.apply(pending, keep_graph)
            grad = pending = None  # a gradient that only its target holds need not be copied
    except BaseException:
        missing = discover([node, *buffers])[1]  # leaves that a failed or waiting node leads to
        with ADDING:
            for leaf, grad in leaves.items():
                if leaf not in missing:
                    accumulate(leaf, grad, False)
        raise
    grads = None
    with ADDING:
        for leaf in [*leaves]:  # the last leaf may keep an array that several got
            grad = leaves.pop(leaf)
            accumulate(leaf, grad, False)
            if owned and leaf in owned:
                count_writes(leaf, grad, owned[leaf][0])


def add_to(
    buffers: dict[Any, Any], target: Any, grad: Any, owned: dict[Any, list[int]], grads: Any
) -> None:
    """Adds a gradient to the one that `target` has; in place once the walk alone holds it."""
    held = buffers[target]
    if held is None or grad is None:
        buffers[target] = grad if held is None else held
    elif target in owned:
        held += grad
    else:
        buffers[target] = plus(held, grad, grads, 2)
        owned[target] = []


def add_to_leaf(
    leaves: dict[Any, Any], leaf: Any, grad: Any, owned: dict[Any, list[int]], grads: Any
) -> None:
    """Adds one of a node's gradients to a leaf's gradient, and counts torch's writes: torch's first
    sum is in place if no other reference to the first gradient exists."""
    held = leaves[leaf]
    writes = owned.get(leaf)
    if writes is None:
        leaves[leaf] = total = plus(held, grad)
        owned[leaf] = [alone := held_alone(held, grad, grads)]
        leaves[leaf] = in_place_of(held, total) if alone else total
    else:
        held += grad
        writes[0] += 1
