"""The reach of a backward: its nodes and leaves, and the nodes that lead to a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from minitorch.core.graph.node import (
    FIRST,
    Node,
    apply_mixed,
    insert_first_nodes,
    mixed_class,
    node_of,
)


def discover(targets: list[Any]) -> tuple[list[Node], dict[Any, int]]:
    """The nodes in reach, youngest first, and how many gradients each leaf will receive."""
    nodes: set[Node] = set()
    leaves: dict[Any, int] = {}
    stack: list[Node] = []
    for target in targets:
        into = target[0] if type(target) is tuple else target
        if not isinstance(into, Node):
            leaves.setdefault(into, 0)
        elif into not in nodes:
            nodes.add(into)
            stack.append(into)
    while stack:
        for into in stack.pop().edges:
            if into is None:
                continue
            if type(into) is tuple:
                into = into[0]
            if into in nodes:
                continue
            if isinstance(into, Node):
                nodes.add(into)
                stack.append(into)
            else:
                leaves[into] = leaves.get(into, 0) + 1
    found = sorted(nodes, key=attrgetter("order"))
    if found and found[0].order == FIRST:
        found = insert_first_nodes(found)
    return found, leaves


def nodes_into(wanted: dict[Any, Any], nodes: list[Node]) -> set[Node]:
    """The nodes among `nodes` that lead to a wanted target, except for the target's own node."""
    needed: set[Node] = set()
    ends = {node_of(target) for target in wanted}
    for node in reversed(nodes):
        for edge in node.edges:
            into = node_of(edge)
            if into in ends or into in needed:
                needed.add(node)
                break
    return needed


def run_on_tensors(
    roots: list[tuple[Any, Any]], conditions: Sequence[Callable[[Any], bool]] | None = None
) -> None:
    """Makes formulas run on Tensors also in a plain backward from (target, gradient) pairs.

    conditions: predicates, of which one holds for each node whose formulas do so; None for all.
    """
    for node in discover([target for target, _ in roots])[0]:
        kind = node.__class__
        if kind.apply is apply_mixed:
            continue
        if conditions is None or any([holds(node) for holds in conditions]):
            node.__class__ = mixed_class(kind)
