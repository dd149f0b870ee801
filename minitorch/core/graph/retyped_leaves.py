"""Ends of the graph at leaves whose `.data` has got another dtype. As in torch, graphs from before
the change keep their AccumulateGrad, and later graphs lead to a new one."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable
from sys import getrefcount
from typing import Any

from minitorch.core.base.modes import OF_NODES, PENDING_RETYPES, RUNNING
from minitorch.core.graph.fit import SHAPES_CHANGED
from minitorch.core.graph.node import AccumulateGrad, Node, next_order

_ALONE = 3  # references to a gradient: two local variables, and getrefcount's own argument
_MOST = 10_000  # leaves that wait for a backward


class FormerAccumulateGrad(AccumulateGrad):
    """An AccumulateGrad that its leaf has replaced: it is an ordinary node of the graph."""

    __module__ = "builtins"
    __slots__ = ()

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        alone = getrefcount(grad) <= _ALONE
        RUNNING.get().finish_retyped(self, grad, alone)
        return ()

    apply_graph = apply

    def apply_nothing(self, retain: bool, create_graph: bool) -> tuple[Any, ...]:
        return self.apply(None, retain)

    def __del__(self) -> None:
        """Does nothing: the nodes that lead here keep the former end alive."""


FormerAccumulateGrad.__name__ = FormerAccumulateGrad.__qualname__ = "AccumulateGrad"


def replace_accumulator(leaf: Any) -> None:
    """Drops a leaf's AccumulateGrad before the leaf gets another dtype. `relink` finds the older
    graphs later, for all such leaves at once: a module has many parameters, and often no graph."""
    former = leaf._accumulator and leaf._accumulator()
    leaf.__dict__["_accumulator"] = None
    form = leaf._array.shape, leaf._array.dtype
    PENDING_RETYPES.append((weakref.ref(leaf), next_order(), former, *form))
    if len(PENDING_RETYPES) > _MOST:
        relink()


def relink() -> None:
    """Makes nodes that are older than the change of a leaf lead to the leaf's former end."""
    if not PENDING_RETYPES:
        return
    ends: dict[Any, list[tuple[int, Any]]] = {}
    for reference, order, former, shape, dtype in PENDING_RETYPES:
        leaf = reference()
        if leaf is None:
            continue
        if former is None:
            former = FormerAccumulateGrad(leaf)
            former.shape, former.dtype = shape, dtype
        else:
            former.__class__ = FormerAccumulateGrad
        ends.setdefault(leaf, []).append((order, former))
        SHAPES_CHANGED.hold(former)  # which dies at once if no graph leads to it
    PENDING_RETYPES.clear()
    for node in gc.get_objects():
        edges = getattr(node, "edges", ()) if issubclass(type(node), Node) else ()
        if any([edge in ends for edge in edges]):
            node.edges = tuple([_end(edge, node.order, ends.get(edge, ())) for edge in edges])


def _end(edge: Any, order: int, ends: Iterable[tuple[int, Any]]) -> Any:
    """The target of a node's edge: the first end that was replaced after the node was made."""
    return next((former for changed, former in ends if order > changed), edge)


OF_NODES.relink = relink
