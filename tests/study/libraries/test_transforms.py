"""Function transforms in a recording: one step for each call, and its results."""

from collections.abc import Callable
from typing import Any

import pytest

import minitorch as torch
from minitorch.study import record
from minitorch.study.tape.recording import Operator, Recording

Record = Callable[..., Recording]
_BEFORE = (
    "def f(v):\n    return (v * v).sum()\ndef g(v):\n    return v * v\n"
    "x = torch.ones(3, requires_grad=True)\n"
)
_CASES = [
    ("y = torch.vmap(g)(x)\n", "vmap", ["y"]),
    ("y = torch.func.grad(f)(x)\n", "grad", ["y"]),
    ("y, value = torch.func.grad_and_value(f)(x)\n", "grad_and_value", ["y", "value"]),
    ("y, pull = torch.func.vjp(f, x)\n", "vjp", ["y"]),
    ("y, t = torch.func.jvp(f, (x,), (x,))\n", "jvp", ["y", "t"]),
    ("y = torch.func.jacrev(g)(x)\n", "jacrev", ["y"]),
    ("y = torch.func.jacfwd(g)(x)\n", "jacfwd", ["y"]),
    ("y = torch.func.hessian(f)(x)\n", "hessian", ["y"]),
    ("y, push = torch.func.linearize(f, x)\n", "linearize", ["y"]),
    ("y = torch.func.functionalize(g)(x)\n", "functionalize", ["y"]),
    ("y = torch.vmap(torch.func.grad(f))(torch.ones(2, 3))\n", "vmap", ["y"]),
    ("y, aux = torch.func.grad(lambda v: (f(v), v * 2), has_aux=True)(x)\n", "grad", ["y", "aux"]),
    ("y = torch.vmap(lambda v: {'a': v * 2})(x)\n", "vmap", [None]),
]


def operators(tape: Recording) -> list[Operator]:
    return [event for event in tape.events if isinstance(event, Operator)]


@pytest.mark.parametrize(("text", "name", "names"), _CASES, ids=[each[0] for each in _CASES])
def test_a_transform_is_one_step_with_its_results(
    recorded: Record, text: str, name: str, names: list[str | None]
) -> None:
    tape = recorded(_BEFORE + text)
    event = operators(tape)[-1]
    assert event.name == name
    assert [tape.tensors[each.tensor].name for each in event.outs] == names
    assert all(each.name == "ones" for each in operators(tape)[:-1])
    assert tape.where(len(tape.events) - 2) == "script.py:6"


def test_what_a_transform_gave_is_what_later_steps_take(recorded: Record) -> None:
    tape = recorded(_BEFORE + "y = torch.func.grad(f)(x)\nz = y + 1\n")
    grad, add = operators(tape)[1:]
    assert add.ins == [grad.outs[0].tensor]
    value = grad.outs[0].value
    assert value is not None
    assert tape.values[value].array.tolist() == [2, 2, 2]
    edge = grad.fn[0]
    assert edge is not None
    assert tape.nodes[edge.node or 0].event == tape.events.index(grad)


def test_the_function_that_vjp_returns_is_a_step_when_it_is_called(recorded: Record) -> None:
    tape = recorded(
        _BEFORE + "y, pull = torch.func.vjp(f, x)\nv = torch.ones(())\nt, = pull(v)\nu = t * 2\n"
    )
    assert [event.name for event in operators(tape)] == ["ones", "vjp", "ones", "vjp_fn", "mul"]
    assert [tape.tensors[each.tensor].name for each in operators(tape)[3].outs] == ["t"]


def test_transforms_that_were_made_before_a_recording_are_seen() -> None:
    made = torch.vmap(torch.func.grad(lambda v: (v * v).sum()))
    jacobian = torch.func.jacrev(lambda v: v * v)
    x = torch.ones(2, 3)
    with record("minitorch") as tape:
        y = made(x)
        jacobian(x[0])
    assert [event.name for event in operators(tape)] == ["vmap", "__getitem__", "vjp", "vmap"]
    assert tape.number_of(y) == operators(tape)[0].outs[0].tensor


def test_a_graph_that_no_event_made_is_not_the_next_operators() -> None:
    jacobian = torch.func.jacrev(lambda v: v * v)  # its last views are not seen
    x = torch.ones(3, requires_grad=True)
    with record("minitorch") as tape:
        y = jacobian(x)
        z = y + 1
    number = len(tape.events) - 2
    made = [node.name for node in tape.nodes if node.event == number]
    assert (operators(tape)[-1].name, made) == ("add", ["AddBackward0"])
    assert z.grad_fn is not None


def test_a_module_inside_of_a_transform_leaves_its_parameters_alone(recorded: Record) -> None:
    tape = recorded(
        "m = torch.nn.Linear(3, 1)\np = dict(m.named_parameters())\n"
        "def loss(p, x):\n    return torch.func.functional_call(m, p, (x,)).sum()\n"
        "g = torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(p, torch.ones(2, 3))\n"
        "y = m(torch.ones(3))\n"
    )
    assert [event.name for event in operators(tape)[-3:]] == ["vmap", "ones", "linear"]
    vmap = operators(tape)[-3]
    shapes = [tape.tensors[each.tensor].shape for each in vmap.outs]
    assert shapes == [[2, 1, 3], [2, 1]]
    assert [each.name for each in tape.tensors if each.param] == ["weight", "bias"]


def test_a_transform_that_raises_leaves_no_step_and_nothing_behind(recorded: Record) -> None:
    tape = recorded(
        _BEFORE + "try:\n    torch.func.grad(g)(x)\nexcept RuntimeError:\n    pass\ny = x + 1\n"
    )
    assert [event.name for event in operators(tape)] == ["ones", "add"]


def test_gradients_of_a_batch_are_one_step(recorded: Record) -> None:
    tape = recorded(
        _BEFORE + "y = x * 2\ng, = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)\n"
    )
    event = operators(tape)[-1]
    assert (event.name, [tape.tensors[each.tensor].name for each in event.outs]) == ("grad", ["g"])


def test_the_functions_of_the_library_are_put_back() -> None:
    def found() -> list[Any]:
        return [torch.func.jacrev, torch.func.linearize, torch.func.transforms._grad]

    before = found()
    with record("minitorch"):
        assert all(one is not other for one, other in zip(found(), before, strict=True))
    assert found() == before
