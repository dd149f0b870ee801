"""make_fx: graphs of the operators below autograd that a function calls."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.fx.experimental.proxy_tensor import (
    DecompositionInterpreter,
    disable_proxy_modes_tracing,
    get_proxy_mode,
    make_fx,
)
from minitorch.nn import functional as F

aten = torch.ops.aten


def targets(traced):
    return [str(node.target) for node in traced.graph.nodes if node.op == "call_function"]


def test_make_fx_names_operators_by_their_overloads():
    traced = make_fx(lambda x, y: torch.relu(x) * y + 2)(torch.ones(2), torch.ones(2))
    assert targets(traced) == ["aten.relu.default", "aten.mul.Tensor", "aten.add.Tensor"]
    assert "torch.ops.aten.relu.default(x_1)" in traced.code


def test_make_fx_computes_what_the_function_does():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    traced = make_fx(net)(torch.randn(5, 3))
    x = torch.randn(2, 3)
    assert torch.equal(traced(x), net(x))


def test_make_fx_sees_the_operators_of_a_backward():
    def gradient(x):
        return torch.autograd.grad((x * x).sum(), x)[0]

    traced = make_fx(gradient)(torch.randn(3, requires_grad=True))
    assert targets(traced)[-1] == "aten.add.Tensor"
    x = torch.randn(3, requires_grad=True)
    assert torch.equal(traced(x), 2 * x)


def test_make_fx_detaches_outputs_that_nodes_save():
    def gradient(x):
        return torch.autograd.grad(torch.sigmoid(x).sum(), x)[0]

    traced = make_fx(gradient)(torch.randn(3, requires_grad=True))
    assert targets(traced).count("aten.detach.default") == 2


def test_make_fx_sees_writes_in_place():
    def write(x, i):
        y = x.clone()
        y[i] = 0
        return y.clamp_(0, 1).masked_fill_(x > 2, 3)

    i = torch.tensor([0, 1])
    traced = make_fx(write)(torch.randn(3), i)
    assert "aten.index_put_.default" in targets(traced)
    assert "aten.masked_fill_.Scalar" in targets(traced)
    x = torch.randn(3) * 4
    assert torch.equal(traced(x, i), write(x, i))


def test_make_fx_decomposes_operators_by_its_table():
    table = {aten.relu.default: lambda x: x.clamp(0)}
    traced = make_fx(torch.relu, decomposition_table=table)(torch.ones(2))
    assert targets(traced) == ["aten.clamp.default"]


def test_make_fx_refuses_to_give_numbers_away():
    with pytest.raises(RuntimeError, match="trying to get value out of a tracing tensor"):
        make_fx(lambda x: x * x.sum().item())(torch.ones(2))
    assert make_fx(lambda x: x * torch.tensor(2.0).item())(torch.ones(2)).code


def test_make_fx_traces_transforms_and_forward_mode():
    assert targets(make_fx(torch.func.grad(lambda x: x.sin().sum()))(torch.ones(2)))[-1] == (
        "aten.mul.Tensor"
    )
    jvp = make_fx(lambda x: torch.func.jvp(torch.sin, (x,), (x,)))(torch.ones(2))
    value, tangent = jvp(torch.zeros(2))
    assert value.tolist() == [0.0, 0.0]
    assert tangent.tolist() == [0.0, 0.0]


def test_get_proxy_mode_tells_what_traces():
    def f(x):
        assert get_proxy_mode() is not None
        with disable_proxy_modes_tracing():
            assert get_proxy_mode() is None
            y = torch.ones(2)
        return x + y

    assert targets(make_fx(f)(torch.ones(2))) == ["aten.add.Tensor"]
    assert get_proxy_mode() is None


def test_decomposition_interpreter_writes_another_graph():
    traced = make_fx(torch.relu)(torch.ones(2))
    graph = torch.fx.Graph()
    table = {aten.relu.default: lambda x: x.clamp(0)}
    out = DecompositionInterpreter(traced, graph, table).run(torch.tensor([-1.0, 1.0]))
    assert out.tolist() == [0.0, 1.0]
    assert any(node.target is aten.clamp.default for node in graph.nodes)


def test_nodes_note_the_form_of_their_values():
    traced = make_fx(lambda x: F.relu(x).t())(torch.randn(2, 3))
    forms = [tuple(n.meta["val"].shape) for n in traced.graph.nodes if "val" in n.meta]
    assert forms == [(2, 3), (2, 3), (3, 2)]
    assert 't: "f32[3, 2]"' in traced.print_readable(print_output=False)


def test_values_in_traced_graphs_are_fake_tensors_of_one_mode():
    def f(x):
        return (x.t() @ x).sum(0)

    values = [n.meta["val"] for n in make_fx(f)(torch.ones(2, 3)).graph.nodes if n.op != "output"]
    assert all(isinstance(each, torch._subclasses.FakeTensor) for each in values)
    assert [tuple(each.shape) for each in values] == [(2, 3), (3, 2), (3, 3), (3,)]
    assert len({id(each.fake_mode) for each in values}) == 1


@pytest.mark.parametrize("name", ["equal", "allclose"])
def test_comparisons_to_one_truth_cannot_be_traced(name):
    with pytest.raises(RuntimeError, match=f"out of a tracing tensor with aten.{name}.default"):
        make_fx(lambda x: getattr(torch, name)(x, x))(torch.ones(2))


def test_bounds_of_draws_are_recorded_as_floats():
    graph = make_fx(lambda x: x.clone().uniform_(1, 2))(torch.ones(2)).graph
    assert "uniform_.default(clone, 1.0, 2.0)" in graph.python_code("self").src


def test_singular_values_are_traced_with_their_vectors():
    graph = make_fx(lambda x: torch.linalg.svdvals(x))(torch.eye(2)).graph
    assert next(each for each in graph.nodes if each.op == "call_function").args[1:] == ()


def test_a_backward_takes_up_each_output_once_in_order_of_names():
    def gradient(x):
        return torch.autograd.grad(torch.linalg.svdvals(x).sum(), x)[0]

    graph = make_fx(gradient)(torch.eye(2, requires_grad=True)).graph
    detached = [each for each in graph.nodes if each.target is aten.detach.default]
    assert [each.args[0] for each in detached[3:]] == detached[:3]


def test_a_gradient_reads_the_copy_that_a_traced_write_keeps():
    def gradient(x):
        return torch.autograd.grad(x.neg().clamp_min_(0).mul_(x.detach()).sum(), x)[0]

    traced = make_fx(gradient)(torch.tensor([1.0, -1.0], requires_grad=True))
    assert not [each for each in traced.graph.nodes if each.op == "get_attr"]
    x = torch.tensor([-2.0, 3.0], requires_grad=True)
    assert torch.equal(traced(x), gradient(x))


def test_a_write_copies_itself_only_if_a_formula_asks_for_it():
    def write(x, y):
        return x.neg().mul_(y)

    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    assert "aten.clone.default" not in targets(make_fx(write)(x, y))
    assert "aten.clone.default" in targets(make_fx(write)(x, y.requires_grad_()))


def test_factors_that_are_numbers_stay_numbers_in_traced_gradients():
    traced = make_fx(lambda x: torch.autograd.grad(x.mul(0.5).sum(), x)[0])(
        torch.ones(2, requires_grad=True)
    )
    assert 0.5 in next(each for each in reversed(traced.graph.nodes) if each.args[1:]).args


def test_gradients_of_empty_products_and_of_determinants_are_traced():
    def gradient(x, function):
        return torch.autograd.grad(function(x).sum(), x)[0]

    empty = torch.ones(0, requires_grad=True)
    assert make_fx(lambda x: gradient(x, torch.prod))(empty)(empty).shape == (0,)
    square = torch.tensor([[2.0, 1.0], [0.0, 3.0]], requires_grad=True)
    traced = make_fx(lambda x: gradient(x, torch.linalg.det))(square)
    assert torch.allclose(traced(square), gradient(square, torch.linalg.det))
