"""A layered layout for graphs of operations: boxes in ranks, edges that go down.

Boxes are numbered in the order in which they were made, so every edge leads from a smaller number
to a larger one, and no cycle has to be broken. Leaves are no boxes: they are drawn beside each use,
and need room at its left. The passes are few and their number is fixed, each is linear in boxes,
edges and bends; the same input gives the same picture.

1. Ranks: a box stands below all that lead to it; one that nothing leads to, just above its use.
2. Bends: an edge that passes ranks gets a point in each, which takes its place in the row.
3. Order: each row is sorted by the mean place of its neighbours, four times down and up.
4. Places: each box wants to be where its neighbours are; boxes that would overlap are pooled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

BEND = 3.0  # how much room a passing edge takes to each side
SORTS = 4
PLACINGS = 10
# Each placing draws boxes that are no links of a chain to the middle by this much: without it
# long graphs drift sideways.
TO_THE_MIDDLE = 0.97


class Box(NamedTuple):
    """The reach of a box from its anchor to the left and right, and its height."""

    left: float
    right: float
    height: float


class Point(NamedTuple):
    """A point of the picture: x to the right, y down."""

    x: float
    y: float


class Layout(NamedTuple):
    """The positions of boxes and edges.

    centers: for each box, the anchor's x and the middle's y.
    routes: for each edge, the points that it passes, from center to center; where it leaves or
        enters a row, it has a point at the row's lower or upper end, and is upright inside rows.
    """

    centers: list[Point]
    routes: list[list[Point]]
    width: float
    height: float


@dataclass(slots=True)
class _Rows:
    """Boxes and bends in their ranks; bends are numbered after the boxes.

    above, below: the neighbours of each in the ranks above and below.
    depth: how much leads to each; a long chain is kept straight, short side branches give way.
    """

    boxes: int
    left: list[float]
    right: list[float]
    rank: list[int]
    depth: list[int]
    above: list[list[int]]
    below: list[list[int]]
    rows: list[list[int]] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)


def layered(
    boxes: Sequence[Box],
    edges: Sequence[tuple[int, int]],
    gap_x: float = 24,
    gap_y: float = 34,
) -> Layout:
    """The layout of `boxes` joined by `edges`.

    Args:
        boxes: in the order in which they were made.
        edges: pairs (from, to) of numbers of boxes, from < to.
        gap_x, gap_y: the least distance of neighbours in a row, and of rows.

    Raises:
        ValueError: if an edge leads to a box that was made before.
    """
    for start, end in edges:
        if start >= end:
            raise ValueError(f"edge ({start}, {end}) leads to a box that was made before")
    rows = _rows_of(boxes, edges)
    _sort(rows)
    x = _places(rows, gap_x)
    tall = [[boxes[k].height for k in row if k < len(boxes)] for row in rows.rows]
    heights = [max(row, default=0) for row in tall]
    tops = [0.0]
    for height in heights:
        tops.append(tops[-1] + height + gap_y)
    everything = range(len(x))
    start = min([x[k] - rows.left[k] for k in everything], default=0)
    end = max([x[k] + rows.right[k] for k in everything], default=0)
    middles = [top + height / 2 for top, height in zip(tops, heights)]
    points = [Point(x[k] - start, middles[rows.rank[k]]) for k in everything]
    bands = [_Band(top, top + height) for top, height in zip(tops, heights)]
    routes = [_route(chain, points, rows, bands) for chain in rows.chains]
    return Layout(points[: len(boxes)], routes, end - start, max(tops[-1] - gap_y, 0))


class _Band(NamedTuple):
    """The upper and lower end of a row."""

    top: float
    bottom: float


def _route(chain: list[int], points: list[Point], rows: _Rows, bands: list[_Band]) -> list[Point]:
    """The points that an edge passes."""
    route = [points[chain[0]]]
    for above, below in pairwise(chain):
        route.append(Point(points[above].x, bands[rows.rank[above]].bottom))
        route.append(Point(points[below].x, bands[rows.rank[below]].top))
    return [*route, points[chain[-1]]]


# ---- Ranks and bends


def _rows_of(boxes: Sequence[Box], edges: Sequence[tuple[int, int]]) -> _Rows:
    into: list[list[int]] = [[] for _ in boxes]
    out: list[list[int]] = [[] for _ in boxes]
    for start, end in edges:
        into[end].append(start)
        out[start].append(end)
    depth = [0] * len(boxes)
    for k, sources in enumerate(into):
        depth[k] = max([depth[i] + 1 for i in sources], default=0)
    rank = list(depth)
    for k, targets in enumerate(out):
        if targets and not into[k]:
            rank[k] = min([rank[i] for i in targets]) - 1
    rows = _Rows(
        boxes=len(boxes),
        left=[box.left for box in boxes],
        right=[box.right for box in boxes],
        rank=rank,
        depth=depth,
        above=[[] for _ in boxes],
        below=[[] for _ in boxes],
    )
    rows.rows = [[] for _ in range(max(rank, default=-1) + 1)]
    for k, r in enumerate(rank):
        rows.rows[r].append(k)
    _add_bends(rows, edges)
    return rows


def _add_bends(rows: _Rows, edges: Sequence[tuple[int, int]]) -> None:
    """Gives each edge its chain of bends. Beyond six bends a box, a long edge goes straight: what
    passes everything would else make a row of each rank."""
    limit = 6 * rows.boxes + 200
    bends = 0
    for start, end in edges:
        chain = [start]
        passed = range(rows.rank[start] + 1, rows.rank[end])
        if bends + len(passed) > limit:
            rows.chains.append([start, end])
            continue
        for rank in passed:
            k = len(rows.left)
            rows.left.append(BEND)
            rows.right.append(BEND)
            rows.rank.append(rank)
            rows.depth.append(rows.depth[start])
            rows.above.append([])
            rows.below.append([])
            rows.rows[rank].append(k)
            chain.append(k)
        chain.append(end)
        bends += len(passed)
        for above, below in pairwise(chain):
            rows.below[above].append(below)
            rows.above[below].append(above)
        rows.chains.append(chain)


# ---- The order in each row


def _sort(rows: _Rows) -> None:
    place = [0.0] * len(rows.left)
    for row in rows.rows:
        _number(row, place)
    for _ in range(SORTS):
        for row in rows.rows[1:]:
            _sort_row(row, rows.above, place)
        for row in rows.rows[-2::-1]:
            _sort_row(row, rows.below, place)


def _sort_row(row: list[int], neighbours: list[list[int]], place: list[float]) -> None:
    if len(row) < 2:
        return
    mean = {}
    for k in row:
        near = neighbours[k]
        mean[k] = sum([place[i] for i in near]) / len(near) if near else place[k]
    row.sort(key=lambda k: (mean[k], k))
    _number(row, place)


def _number(row: Iterable[int], place: list[float]) -> None:
    for i, k in enumerate(row):
        place[k] = i


# ---- The places in each row


def _places(rows: _Rows, gap: float) -> list[float]:
    x = [0.0] * len(rows.left)
    offsets = [_offsets(row, rows, gap) for row in rows.rows]
    for row, offset in zip(rows.rows, offsets):
        for k, left in zip(row, offset):
            x[k] = left - offset[-1] / 2
    for i in range(PLACINGS):
        downwards = i % 2 == 0
        order = range(len(rows.rows)) if downwards else range(len(rows.rows) - 1, -1, -1)
        near, far = (rows.above, rows.below) if downwards else (rows.below, rows.above)
        for r in order:
            wanted = _wanted(rows, rows.rows[r], near, far, x)
            _pool(rows.rows[r], offsets[r], wanted, rows.depth, x)
    return x


def _offsets(row: list[int], rows: _Rows, gap: float) -> list[float]:
    """The least distance of each of a row from its first one."""
    offsets = [0.0]
    for before, after in pairwise(row):
        between = gap if before < rows.boxes and after < rows.boxes else gap * 0.7
        offsets.append(offsets[-1] + rows.right[before] + rows.left[after] + between)
    return offsets


def _wanted(
    rows: _Rows, row: list[int], near: list[list[int]], far: list[list[int]], x: list[float]
) -> list[float]:
    """The desired position of each box of a row: the mean of its neighbours, weighted by depth."""
    boxes, depth = rows.boxes, rows.depth
    wanted = []
    for k in row:
        links = near[k] or far[k]
        if len(links) == 1 and len((far if links is near[k] else near)[links[0]]) == 1:
            wanted.append(x[links[0]])  # a chain stays straight
            continue
        total = weight = 0.0
        for i in links:
            share = (1 + depth[i]) ** 2 * (2 if k >= boxes or i >= boxes else 1)
            total += share * x[i]
            weight += share
        wanted.append(TO_THE_MIDDLE * (total / weight if weight else x[k]))
    return wanted


class _Block(NamedTuple):
    """Neighbours that stand as close as they may: sums of weighted places and of weights."""

    total: float
    weight: float
    first: int


def _pool(
    row: list[int], offsets: list[float], wanted: list[float], depth: list[int], x: list[float]
) -> None:
    """Puts each of a row as near to where it wants to be as order and distances allow: the nearest
    places in the sense of weighted squares."""
    blocks: list[_Block] = []
    for i, k in enumerate(row):
        weight = 1.0 + depth[k]
        block = _Block(weight * (wanted[i] - offsets[i]), weight, i)
        while blocks and blocks[-1].total * block.weight > block.total * blocks[-1].weight:
            last = blocks.pop()
            block = _Block(last.total + block.total, last.weight + block.weight, last.first)
        blocks.append(block)
    ends = [block.first for block in blocks[1:]] + [len(row)]
    for block, end in zip(blocks, ends):
        for i in range(block.first, end):
            x[row[i]] = block.total / block.weight + offsets[i]
