"""torch.utils._python_dispatch: modes that see operators below autograd."""

import minitorch as torch
from minitorch.core.declare.dispatching import STACK
from minitorch.core.graph.modes import ASSEMBLED, ON_TENSORS
from minitorch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

aten = torch.ops.aten


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


def test_composite_functions_are_seen_as_their_parts():
    linear, x = torch.nn.Linear(3, 2), torch.ones(4, 3)
    with Log() as log:
        linear(x)
    assert log.seen == [aten.t.default, aten.addmm.default]


def test_the_operators_of_a_backward_are_seen():
    x = torch.ones(2, 3, requires_grad=True)
    y = (x @ torch.ones(3, 2)).sum()
    with Log() as log:
        y.backward()
    assert log.seen == [aten.expand.default, aten.t.default, aten.mm.default]
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_arguments_are_those_of_the_schema_without_defaults():
    calls = []

    class Arguments(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            calls.append((str(func), args[1:], kwargs))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 3)
    with Arguments():
        x + 1
        torch.add(x, x, alpha=2)
        x.sum((0, 1), keepdim=True)
        x.view(3, 2)
    assert calls[0] == ("aten.add.Tensor", (1,), {})
    assert calls[1][2] == {"alpha": 2}
    assert calls[2:] == [
        ("aten.sum.dim_IntList", ([0, 1], True), {}), ("aten.view.default", ([3, 2],), {})
    ]  # fmt: skip


def test_a_result_of_the_mode_gets_the_node_of_the_call():
    class Doubled(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) * 2

    x = torch.ones(2, requires_grad=True)
    with Doubled():
        y = torch.exp(x)
    assert y.grad_fn.name() == "ExpBackward0"
    assert not (y.detach() - 2 * torch.exp(torch.ones(2))).any()


def test_modes_leave_nothing_behind():
    with Log() as outer, Log() as inner, _disable_current_modes():
        torch.ones(2).exp()
    assert (outer.seen, inner.seen) == ([], [])
    assert STACK.get() == ()
    assert ASSEMBLED["WATCHED"] == 0
    assert ON_TENSORS == []
