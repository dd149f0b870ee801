"""Values that nodes keep: names, states, and that looking runs no code of the program."""

from typing import Any

import minitorch
from minitorch.study.graphs.graph import graph_of, storages_of
from minitorch.study.libraries.saved import (
    CHANGED,
    FREED,
    KEPT,
    PACKED,
    RECOMPUTED,
    saved_tensors,
    saved_values,
)
from minitorch.utils.checkpoint import checkpoint


def leaf(*shape: int) -> Any:
    return minitorch.rand(*shape, requires_grad=True)


def kept(node: Any) -> dict[str, str]:
    """The states of the tensors that a node keeps, by name."""
    return {each.name: each.state for each in saved_tensors(saved_values(node))}


def test_saved_values_are_those_of_the_node_in_order():
    x = leaf(2, 3)
    y = x.pow(2).sum(1)
    node = y.grad_fn
    assert [(each.name, each.value) for each in saved_values(node)] == [
        ("dim", (1,)),
        ("keepdim", False),
        ("self_sym_sizes", (2, 3)),
    ]
    below = {each.name: each.value for each in saved_values(node.next_functions[0][0])}
    assert below["exponent"] == 2
    assert below["self"] is x


def test_saved_lists_of_tensors_are_members():
    x = leaf(3, 3)
    index = minitorch.tensor([0, 2])
    node = x[index].grad_fn
    assert kept(node) == {"indices[0]": KEPT}


def test_freed_values_are_said_to_be_freed():
    x = leaf(2)
    y = (x * x).exp()
    node = y.grad_fn
    assert kept(node) == {"result": KEPT}
    y.sum().backward()
    assert kept(node) == {"result": FREED}
    assert kept(node.next_functions[0][0]) == {"other": FREED, "self": FREED}
    assert [each.name for each in graph_of([y]).operations] == ["ExpBackward0", "MulBackward0"]


def test_values_written_since_are_said_to_be_changed_and_still_held():
    y = leaf(2).exp()
    y += 1
    saved = saved_values(y.grad_fn.next_functions[0][0])[0]
    assert saved.state == CHANGED
    assert storages_of(saved.value)[0].key == storages_of(y)[0].key


def test_no_unpack_hook_runs():
    def unpack(packed: Any) -> Any:
        raise AssertionError("unpacked")

    x = leaf(2)
    with minitorch.autograd.graph.saved_tensors_hooks(lambda each: each.tolist(), unpack):
        y = x.exp() * x
    graph = graph_of([y])
    assert [kept(each.node) for each in graph.operations] == [
        {"other": PACKED, "self": PACKED},
        {"result": PACKED},
    ]
    values = [each.value for each in saved_values(y.grad_fn)]
    assert values == [x.tolist(), x.exp().tolist()]


def test_no_checkpoint_runs_again():
    calls = []

    def block(x: Any) -> Any:
        calls.append(1)
        return x.sin().exp()

    y = checkpoint(block, leaf(2), use_reentrant=False)
    assert [kept(each.node) for each in graph_of([y]).operations] == [
        {"result": RECOMPUTED},
        {"self": RECOMPUTED},
    ]
    assert len(calls) == 1


class Cube(minitorch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        square = x * x
        ctx.save_for_backward(x, None, square)
        ctx.power, ctx.own = 3, square + 1
        return square * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.power * ctx.saved_tensors[2]


def test_functions_keep_saved_tensors_and_tensors_on_ctx():
    x = leaf(2)
    y = Cube.apply(x)
    known = {each.name: each.value for each in saved_values(y.grad_fn)}
    assert known["saved_tensors[0]"] is x
    assert known["saved_tensors[1]"] is None
    assert known["ctx.power"] == 3
    tensors = {"saved_tensors[0]": KEPT, "saved_tensors[2]": KEPT, "ctx.own": KEPT}
    assert kept(y.grad_fn) == tensors
    y.sum().backward()
    assert kept(y.grad_fn) == {"saved_tensors": FREED, "ctx.own": KEPT}


def test_of_the_tensors_of_a_function_only_the_written_one_is_said_to_be():
    x, other = leaf(2), minitorch.ones(2)
    y = Pair.apply(x, other)
    other += 1
    assert kept(y.grad_fn) == {"saved_tensors[0]": KEPT, "saved_tensors[1]": CHANGED}


class Pair(minitorch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, other: Any) -> Any:
        ctx.save_for_backward(x, other)
        return x * other

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        raise AssertionError("not run")
