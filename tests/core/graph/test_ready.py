"""Leaves whose gradients are complete at once hear of it in torch's order, which is a heap's."""

import pytest

import minitorch as torch


@pytest.fixture
def order():
    """The list in which the hooks of watched leaves note their order."""
    return []


def watched(order, count, name=""):
    """Leaves that note their number when their gradient arrives."""
    leaves = [torch.ones(2, requires_grad=True) for _ in range(count)]
    for i, leaf in enumerate(leaves):
        leaf.register_hook(lambda grad, i=i: order.append(f"{name}{i}"))
    return leaves


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (2, "0 1"),
        (3, "0 1 2"),
        (4, "0 2 1 3"),
        (6, "0 2 5 4 1 3"),
        (9, "0 2 6 8 5 7 4 1 3"),
    ],
)
def test_leaves_of_one_node_come_in_the_order_of_a_heap(order, count, expected):
    torch.stack(watched(order, count)).sum().backward()
    assert order == expected.split()


def test_what_else_is_ready_changes_the_order_of_the_leaves(order):
    x, *leaves = watched(order, 5)
    others = [x * 2, x * 3, x * 4]
    (torch.stack(leaves).sum() + torch.stack(others).sum()).backward()
    assert order == ["1", "3", "4", "2", "0"]


def test_a_node_that_is_ready_with_the_leaves_changes_their_order(order):
    x, *leaves = watched(order, 4)
    torch.stack([*leaves, x * 2]).sum().backward()
    assert order == ["1", "3", "2", "0"]


def test_a_leaf_takes_its_place_with_the_last_edge_that_leads_to_it(order):
    a, b, c, d = watched(order, 4)
    torch.stack([a, b, a, c, d, b, a]).sum().backward()
    assert order == ["2", "1", "3", "0"]


def test_roots_that_are_leaves_come_in_the_order_of_a_heap(order):
    a, b, c, d = watched(order, 4)
    torch.autograd.backward([a, b, c, d, b], [torch.ones(2)] * 5)
    assert order == ["0", "3", "2", "1"]


def test_only_the_wanted_leaves_are_in_the_heap(order):
    leaves = watched(order, 8)
    y = torch.stack(leaves).sum()
    torch.autograd.grad(y, leaves[3:7], retain_graph=True)
    assert order == ["3", "5", "4", "6"]
    order.clear()
    y.backward(inputs=leaves[:0:-2])
    assert order == ["1", "5", "3", "7"]


def test_a_backward_in_a_hook_moves_the_leaves_that_wait(order):
    leaves, inner = watched(order, 3), watched(order, 3, "inner ")
    y = torch.stack(inner).sum()
    leaves[0].register_hook(lambda grad: y.backward())
    torch.stack(leaves).sum().backward()
    assert order == ["0", "inner 0", "inner 1", "inner 2", "2", "1"]


def test_what_a_failed_backward_left_is_passed_over(order):
    leaves, inner = watched(order, 5), watched(order, 5, "inner ")
    y = torch.stack([*inner, inner[0] * 2]).sum()

    def fail(grad):
        raise ValueError("not this one")

    def run(grad):
        with pytest.raises(ValueError, match="not this one"):
            y.backward()

    inner[2].register_hook(fail)
    leaves[0].register_hook(run)
    torch.stack(leaves).sum().backward()
    assert order == ["0", "inner 1", "inner 2", "1", "2", "4", "3"]


def test_a_leaf_whose_hook_fails_keeps_those_behind_it_without_gradient():
    leaves = [torch.ones(2, requires_grad=True) for _ in range(4)]

    def fail(grad):
        raise ValueError("not this one")

    leaves[1].register_hook(fail)
    with pytest.raises(ValueError, match="not this one"):
        torch.stack(leaves).sum().backward()
    assert [leaf.grad is not None for leaf in leaves] == [True, False, True, False]
