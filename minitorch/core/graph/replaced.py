"""The ends of the graph at leaves whose `.data` has got another dtype since: as in torch, graphs
from before keep the AccumulateGrad that they had, and later ones lead to a new one."""

from __future__ import annotations

import weakref
from sys import getrefcount
from typing import Any

from minitorch.core.graph.conform import MISFITS
from minitorch.core.graph.modes import RETYPED
from minitorch.core.graph.node import AccumulateGrad, leading_to, next_order

_ALONE = 3  # references to a gradient: two local variables, and getrefcount's own argument


class FormerAccumulateGrad(AccumulateGrad):
    """One that its leaf has replaced: a node of the graph as all others."""

    __slots__ = ()

    def apply(self, grad: Any, keep: bool) -> tuple[Any, ...]:
        from minitorch.core.graph.engine import RUNNING

        alone = getrefcount(grad) <= _ALONE
        RUNNING.get().hand_over(self, grad, alone)
        return ()

    apply_graph = apply

    def apply_nothing(self, keep: bool, create_graph: bool) -> tuple[Any, ...]:
        return self.apply(None, keep)

    def __del__(self) -> None:
        """What leads here holds it."""


FormerAccumulateGrad.__name__ = FormerAccumulateGrad.__qualname__ = "AccumulateGrad"


def replace_accumulator(leaf: Any) -> None:
    """Before a leaf gets another dtype. The graphs that lead to it are looked for when one is next
    asked for, for all such leaves at once: a module has many parameters, and often no graph."""
    former = leaf._accumulator and leaf._accumulator()
    leaf.__dict__["_accumulator"] = None
    form = leaf._array.shape, leaf._array.dtype
    RETYPED.append((weakref.ref(leaf), next_order(), former, *form))


def settle() -> None:
    """Leads the nodes from before the leaves' changes to the former ends."""
    changes = [(leaf, *rest) for reference, *rest in RETYPED if (leaf := reference()) is not None]
    RETYPED.clear()
    nodes = leading_to(*[leaf for leaf, *_ in changes])
    for leaf, order, former, shape, dtype in changes:
        if former is None:
            former = FormerAccumulateGrad(leaf)
            former.shape, former.dtype = shape, dtype
        else:
            former.__class__ = FormerAccumulateGrad
        for node in nodes:
            if node.order > order and any([edge is leaf for edge in node.edges]):
                node.edges = tuple([former if edge is leaf else edge for edge in node.edges])
                MISFITS[:] = [True]
