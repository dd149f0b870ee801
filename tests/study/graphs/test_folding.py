"""Rounds: operations that are found to repeat, and those that are not."""

from collections.abc import Callable
from typing import Any

import minitorch
from minitorch.study.graphs.folding import Part, Rounds, folded
from minitorch.study.graphs.graph import graph_of


def shape_of(y: Any) -> list[Any]:
    """The parts of a graph: names of operations, and of rounds how many, and how long each is."""
    return [shown(part) for part in folded(graph_of([y]).operations)]


def shown(part: Part) -> Any:
    return (part.count, len(part.first)) if type(part) is Rounds else part.name


def loop(count: int, body: Callable[[Any, int], Any]) -> Any:
    y = minitorch.ones(2, 2, requires_grad=True).neg()  # the last round is like the others
    for i in range(count):
        y = body(y, i)
    return y


def test_rounds_of_one_node_are_folded():
    assert shape_of(loop(20, lambda y, _: y.sin())) == ["SinBackward0", (19, 1), "NegBackward0"]


def test_rounds_of_several_nodes_are_folded_after_the_first_one():
    parts = shape_of(loop(10, lambda y, _: (y @ y).sin() * 2))
    assert parts == ["MulBackward0", "SinBackward0", "MmBackward0", (9, 3), "NegBackward0"]


def test_a_few_nodes_are_not_folded():
    assert shape_of(loop(4, lambda y, _: y.sin())) == ["SinBackward0"] * 4 + ["NegBackward0"]


def test_rounds_of_other_shapes_are_not_alike():
    x = y = minitorch.ones(1, requires_grad=True)
    for _ in range(12):
        y = minitorch.cat([y, x])
    assert shape_of(y) == ["CatBackward0"] * 12


def test_rounds_that_are_joined_in_another_way_inside_are_not_alike():
    def body(y: Any, i: int) -> Any:
        one, other = y.sin(), y.cos()
        return one.exp() + other if i % 2 else other.exp() + one

    parts = shape_of(loop(10, body))
    assert [each for each in parts if type(each) is tuple] == [(4, 8)]


def test_loops_in_loops_are_folded_in_both():
    def body(y: Any, i: int) -> Any:
        for _ in range(12):
            y = y.sin()
        return y.exp()

    parts = ["ExpBackward0", "SinBackward0", (11, 1), (5, 13), "NegBackward0"]
    assert shape_of(loop(6, body)) == parts


def test_all_operations_are_covered_once():
    y = loop(9, lambda y, i: (y.sin() + y if i % 3 else y.exp()) * 2)
    parts = folded(graph_of([y]).operations)
    numbers = []
    for part in parts:
        numbers += [each.number for each in (part.operations if type(part) is Rounds else [part])]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) == len(graph_of([y]).operations)


def test_parameters_of_their_own_do_not_keep_blocks_apart():
    y = minitorch.ones(2, 2, requires_grad=True).neg()
    for _ in range(5):
        y = (y @ minitorch.ones(2, 2, requires_grad=True)).sin()
    assert shape_of(y)[:3] == ["SinBackward0", "MmBackward0", (4, 2)]
