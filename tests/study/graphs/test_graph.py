"""Walking graphs: order, edges, leaves, kept values; nothing is computed or unpacked."""

from typing import Any

import pytest

import minitorch
from minitorch.study.graphs.graph import Leaf, Operation, graph_of, roots_of, shapes_of, storages_of
from minitorch.study.libraries.kinds import is_tensor


def leaf(*shape: int) -> Any:
    return minitorch.rand(*shape, requires_grad=True)


def assert_steps_are_in_order(a: Any, b: Any) -> None:
    """Asserts that steps are in the order in which a backward runs them.

    Args:
        a, b: square leaves of either library.
    """
    late = (a @ b).exp()
    loss = (late + (b * a).sin() * late).sum()
    ran: list[Any] = []
    graph = graph_of([loss])
    for each in graph.steps:
        if type(each) is Operation:
            each.node.register_hook(lambda *_, number=each.number: ran.append(number))
        else:
            each.tensor.register_post_accumulate_grad_hook(ran.append)
    loss.backward()
    expected = [each.number if type(each) is Operation else each.tensor for each in graph.steps]
    assert len(ran) == len(expected)
    assert all(one is other for one, other in zip(ran, expected))


def test_steps_are_in_the_order_in_which_a_backward_runs_them():
    assert_steps_are_in_order(leaf(3, 3), leaf(3, 3))


def test_edges_lead_to_the_parts_that_next_functions_name():
    a, b = leaf(2), leaf(2)
    graph = graph_of([a * b * a + 3])
    for each in graph.operations:
        pairs = [(None, 0) if edge is None else (edge.to.node, edge.output) for edge in each.edges]
        assert pairs == list(each.node.next_functions)
    assert {id(each.tensor) for each in graph.leaves} == {id(a), id(b)}


def test_a_chain_of_ten_thousand_nodes_needs_no_recursion():
    x = y = leaf(1)
    for _ in range(10_000):
        y = y * 1
    graph = graph_of([y])
    assert [each.number for each in graph.operations] == list(range(1, 10_001))
    assert graph.leaves[0].tensor is x


def test_several_outputs_share_one_graph():
    x = leaf(4)
    first, second = minitorch.split(x * 2, 2)
    graph = graph_of([first, second])
    assert [each.name for each in graph.operations] == ["SplitBackward0", "MulBackward0"]
    assert len(graph.roots) == 1
    assert [edge.output for edge in graph_of([second + first]).operations[0].edges] == [1, 0]


def test_leaves_and_constants_are_graphs_without_operations():
    x = leaf(2)
    assert [type(each) for each in graph_of([x]).steps] == [Leaf]
    assert graph_of([minitorch.ones(2)]).steps == []


def test_storages_are_shared_by_views_and_count_all_bytes():
    x = minitorch.ones(10, 10)
    one, other = storages_of(x[0])[0], storages_of(x.T)[0]
    assert one.key == other.key
    assert one.bytes == other.bytes == 400
    assert storages_of(x + 0)[0].key != one.key


def test_storages_of_a_sparse_tensor_are_those_of_its_parts():
    x = minitorch.eye(3).to_sparse()
    assert [each.bytes for each in storages_of(x)] == [48, 12]


def test_shapes_are_those_of_the_outputs():
    x = leaf(4, 2)
    assert shapes_of((x * 2).grad_fn) == [(4, 2)]
    assert shapes_of(minitorch.split(x, 3)[0].grad_fn) == [(3, 2), (1, 2)]


def test_roots_are_found_in_nests_in_order():
    x, y = leaf(1), leaf(1) * 2
    edge = minitorch.autograd.graph.get_gradient_edge(y)
    found = roots_of({"a": (x, [3, y]), "b": edge}, "explain")
    assert found[0] is x
    assert found[1] is y
    assert found[2] is y.grad_fn


def test_what_is_no_tensor_is_refused_by_the_name_of_the_tool():
    with pytest.raises(TypeError, match=r"call the model first: make_dot\(model\(x\)\)"):
        roots_of(minitorch.nn.Linear(1, 1), "make_dot")


def test_is_tensor_knows_tensors_and_parameters_only():
    others = [1.0], leaf(1).exp().grad_fn, minitorch.Tensor
    assert all([is_tensor(each) for each in (leaf(1), minitorch.nn.Parameter(leaf(1)))])
    assert not any([is_tensor(each) for each in others])
