"""The layered layout: what holds of every graph, and how small ones look."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitorch.study.graphs.layout import Box, layered

GAP_X, GAP_Y = 24, 34


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Box], list[tuple[int, int]]]:
    """Boxes of several sizes and edges between them, from smaller to larger numbers."""
    count = draw(st.integers(0, 40))
    size = st.integers(1, 200)
    boxes = [Box(draw(size), draw(size), draw(size)) for _ in range(count)]
    numbers = st.integers(0, max(count - 1, 0))
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=80)) if count > 1 else []
    return boxes, [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]


@given(graphs())
def test_boxes_do_not_overlap(graph: tuple[list[Box], list[tuple[int, int]]]):
    boxes, edges = graph
    centers = layered(boxes, edges, GAP_X, GAP_Y).centers
    for i, (a, p) in enumerate(zip(boxes, centers)):
        for b, q in zip(boxes[:i], centers):
            is_beside = p.x + a.right < q.x - b.left or q.x + b.right < p.x - a.left
            assert is_beside or abs(p.y - q.y) >= (a.height + b.height) / 2


@given(graphs())
def test_edges_go_down(graph: tuple[list[Box], list[tuple[int, int]]]):
    boxes, edges = graph
    layout = layered(boxes, edges, GAP_X, GAP_Y)
    for (start, end), route in zip(edges, layout.routes, strict=True):
        assert route[0] == layout.centers[start]
        assert route[-1] == layout.centers[end]
        assert all(upper.y <= lower.y for upper, lower in pairwise(route))


@given(graphs())
def test_edges_pass_no_box(graph: tuple[list[Box], list[tuple[int, int]]]):
    boxes, edges = graph
    layout = layered(boxes, edges, GAP_X, GAP_Y)
    for route in layout.routes:
        if len(route) == 4:  # of neighbours, or a straight one beyond the limit of bends
            continue
        gaps = [(a.y + b.y) / 2 for a, b in zip(route[1:-1:2], route[2:-1:2], strict=True)]
        for box, center in zip(boxes, layout.centers, strict=True):
            assert min([abs(center.y - gap) for gap in gaps]) >= box.height / 2


@given(graphs())
def test_everything_is_inside_the_picture(graph: tuple[list[Box], list[tuple[int, int]]]):
    boxes, edges = graph
    layout = layered(boxes, edges, GAP_X, GAP_Y)
    for box, center in zip(boxes, layout.centers, strict=True):
        assert center.x - box.left >= -1e-6
        assert center.x + box.right <= layout.width + 1e-6
        assert center.y - box.height / 2 >= -1e-6
        assert center.y + box.height / 2 <= layout.height + 1e-6


@given(graphs())
def test_one_graph_has_one_picture(graph: tuple[list[Box], list[tuple[int, int]]]):
    assert layered(*graph) == layered(*graph)


def rounds(count: int, joined: int) -> list[tuple[int, int]]:
    """The edges of a loop: four boxes a round, and an edge to a round further on."""
    edges = []
    for i in range(0, 4 * count, 4):
        edges += [(i, i + 2), (i + 1, i + 2), (i + 2, i + 3)]
        edges += [(i + 3, k) for k in (i + 5, i + 4 * joined + 2) if k < 4 * count]
    return edges


@pytest.mark.parametrize("joined", [1, 3])
def test_long_loops_do_not_drift(joined: int):
    box = Box(60, 60, 24)
    short = layered([box] * 80, rounds(20, joined))
    long = layered([box] * 4_000, rounds(1_000, joined))
    assert long.width < 2.5 * short.width


def test_a_chain_is_straight():
    layout = layered([Box(60, 50, 24)] * 100, [(i, i + 1) for i in range(99)])
    assert len({round(center.x, 6) for center in layout.centers}) == 1
    assert layout.width == pytest.approx(110)


def test_a_source_stands_just_above_its_use():
    boxes = [Box(10, 10, 10)] * 5
    centers = layered(boxes, [(0, 2), (2, 3), (3, 4), (1, 4)]).centers
    assert centers[1].y == centers[3].y


def test_edges_beyond_the_limit_of_bends_go_straight():
    count = 400
    edges = [(i, i + 1) for i in range(count - 1)] + [(0, i) for i in range(2, count)]
    layout = layered([Box(10, 10, 10)] * count, edges)
    assert sum(len(route) // 2 - 2 for route in layout.routes) <= 6 * count + 200
    assert len(layout.routes[-1]) == 4


def test_nothing_has_an_empty_picture():
    layout = layered([], [])
    assert (layout.width, layout.height) == (0, 0)


def test_edges_upwards_are_refused():
    with pytest.raises(ValueError, match=r"edge \(1, 0\)"):
        layered([Box(1, 1, 1)] * 2, [(1, 0)])
