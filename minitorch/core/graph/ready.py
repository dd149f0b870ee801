"""The order in which ends of the graph that are ready at once come out of torch's queue.

torch keeps ready nodes in a std::priority_queue. All ends at leaves have the same priority, the
highest. A binary heap returns equal entries neither in the order in which they were added nor in
reverse: of four that one node makes ready, the third comes before the second. Hooks see that.

The order of leaves that were pushed at once depends on how many other entries the heap has, not on
their places. So a walk that no other walk interrupts needs no heap for its nodes, only their
number when several leaves become ready. A backward that starts inside a backward shares the heap
of the outer one, so its walk repeats all steps of torch's heap. As ReadyQueue of
torch/csrc/autograd/engine.cpp, and push_heap and pop_heap of libstdc++.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from minitorch.core.base.fields import NOWHERE
from minitorch.core.graph.node import FIRST, Node, node_of

# Up to this many leaves come out in the order they went in, whatever else is in the heap.
IN_ORDER = 2


class Task:
    """A node or leaf of a walk that is ready to run.

    rank: (depth of the backward, number among the nodes); a greater rank runs sooner.
    """

    __slots__ = ("rank", "target", "walk")

    def __init__(self, depth: float, number: int, target: Any = None, walk: Any = None) -> None:
        self.rank = depth, number
        self.target = target
        self.walk = walk


def push(heap: list[Task], task: Task) -> None:
    """Adds a task, as std::push_heap does."""
    heap.append(task)
    _rise(heap, len(heap) - 1, task)


def pop(heap: list[Task]) -> Task:
    """Takes the first task, as std::pop_heap does: the hole that it leaves sinks to the bottom, and
    the last task rises from there."""
    task = heap.pop()
    if not heap:
        return task
    first, size, hole, right = heap[0], len(heap), 0, 2
    while right < size:
        larger = right - 1 if heap[right].rank < heap[right - 1].rank else right
        heap[hole] = heap[larger]
        hole, right = larger, 2 * larger + 2
    if right == size:  # a left child alone
        heap[hole] = heap[right - 1]
        hole = right - 1
    _rise(heap, hole, task)
    return first


def _rise(heap: list[Task], hole: int, task: Task) -> None:
    """Puts a task into the heap's hole, or above it if its rank is greater; equals stay above."""
    while hole and heap[above := (hole - 1) // 2].rank < task.rank:
        heap[hole] = heap[above]
        hole = above
    heap[hole] = task


class Schedule(NamedTuple):
    """The order in which the nodes and leaves of a walk become ready.

    after: by node, the nodes and leaves that are ready once it has run; None stands for the caller.
    waiting: by node, how many other nodes are ready while it runs.
    """

    after: dict[Node | None, list[Any]]
    waiting: dict[Node | None, int]


def schedule(walk: Any, roots: Sequence[Any]) -> Schedule:
    """The schedule of a walk from `roots`: nodes and leaves. It looks at each edge once."""
    nodes, leaves, wanted = frozenset(walk.nodes), walk.leaves, walk.wanted
    last: dict[Any, Node | None] = {}  # by target, the last node that leads there, in that order
    for into in roots:
        last.pop(into, None)
        last[into] = None
    for node in walk.nodes:
        for edge in node.edges:
            if edge is None or edge is NOWHERE:
                continue
            into = node_of(edge)
            if into in nodes or (into in leaves and (wanted is None or into in wanted)):
                last.pop(into, None)
                last[into] = node
    after: dict[Node | None, list[Any]] = {}
    for into, before in last.items():
        after.setdefault(before, []).append(into)
    waiting: dict[Node | None, int] = {None: 0}
    ready = sum([into in nodes for into in after.get(None, ())])
    for node in walk.nodes:
        ready -= 1
        waiting[node] = ready
        ready += sum([into in nodes for into in after.get(node, ())])
    return Schedule(after, waiting)


def join(walk: Any, outer: Any) -> None:
    """Lets a walk that starts inside a node or hook of `outer` share the heap of `outer`."""
    heap = _heap_of(outer, outer.left >= 0)
    if outer.left > 0 and outer.heap is None:  # its leaf is first in the heap, and stays there
        push(heap, Task(outer.depth, -FIRST, walk=outer))
    walk.outer, walk.depth, walk.heap = outer, outer.depth + 1, heap


def begin(walk: Any) -> None:
    """Takes several roots of an inner walk through the heap as torch does, as one."""
    if len(walk.roots) > 1:
        push(walk.heap, all_roots := Task(walk.depth, -FIRST))
        while pop(walk.heap) is not all_roots:  # skips abandoned tasks
            pass


def take(walk: Any, node: Node) -> None:
    """Takes a node that an inner walk is about to run from the heap."""
    heap, depth = walk.heap, walk.depth
    while heap and heap[0].rank[0] >= depth and pop(heap).target is not node:
        pass


def abandon(walk: Any) -> None:
    """Hands the tasks of an inner walk that failed to the outer walk, which skips them."""
    for task in walk.heap:
        if task.walk is walk:
            task.rank = inf, task.rank[1]
    walk.outer.heap, walk.outer.heap_of = walk.heap, walk.outer.node


def ordered_leaves(walk: Any, node: Node | None, complete: Sequence[Any]) -> Iterator[Any]:
    """The items of `complete` in torch's order; each item begins with a leaf.

    All leaves become ready through `node`. Between two of them a hook may run a backward.
    """
    walk.heap = heap = _heap_of(walk, False)
    walk.heap_of = node
    given = {item[0]: item for item in complete}
    for into in walk.schedule().after.get(node, ()):
        if into in given:
            task = Task(walk.depth, -FIRST, into, walk)
        elif into in walk.leaves:
            continue
        elif walk.outer is None:
            task = Task(-1, 0)
        else:
            # A FormerAccumulateGrad comes after the leaves.
            task = Task(walk.depth, min(-into.order, -FIRST - 1), into, walk)
        push(heap, task)
    while given and heap[0].rank[0] >= walk.depth:
        into = pop(heap).target
        if into in given:
            yield given.pop(into)
    if walk.outer is None:
        walk.heap = None


def _heap_of(walk: Any, pushed: bool) -> list[Task]:
    """The heap of a walk as it is now; its own nodes are equal entries.

    pushed: whether the heap has the nodes that the last node made ready.
    """
    heap: list[Task] | None = walk.heap
    if heap is not None and (walk.outer is not None or walk.heap_of is walk.node):
        return heap
    plan = walk.schedule()
    ready = plan.waiting.get(walk.node, 0)
    if pushed:
        ready += sum([into not in walk.leaves for into in plan.after.get(walk.node, ())])
    return [Task(-1, 0) for _ in range(ready)]
