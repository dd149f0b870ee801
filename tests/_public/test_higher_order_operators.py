"""Operators that programs define by a function for each layer."""

import pytest

import minitorch as torch
from minitorch import fx
from minitorch._C import DispatchKey
from minitorch._ops import HigherOrderOperator, _higher_order_ops
from minitorch.utils._python_dispatch import TorchDispatchMode


@pytest.fixture
def operator():
    class Applied(HigherOrderOperator):
        def __init__(self):
            super().__init__("applied_in_a_test")

        def __call__(self, fn, *args):
            return super().__call__(fn, *args)

    yield Applied()
    del _higher_order_ops["applied_in_a_test"]


def test_higher_order_operator_is_an_abstract_class():
    class WithoutCall(HigherOrderOperator):
        pass

    with pytest.raises(TypeError, match="abstract"):
        WithoutCall("without_call")


def test_higher_order_operator_has_a_place_in_ops(operator):
    assert torch.ops.higher_order.applied_in_a_test is operator
    with pytest.raises(AttributeError, match="no attribute 'another'"):
        _ = torch.ops.higher_order.another


def test_higher_order_operator_without_functions_names_the_key(operator):
    with pytest.raises(NotImplementedError, match=r"at dispatch key DispatchKey\.AutogradCPU"):
        operator(torch.sin, torch.ones(1))


def test_higher_order_operator_calls_the_function_of_the_layer(operator):
    x = torch.ones(1, requires_grad=True)
    operator.py_impl(DispatchKey.CompositeExplicitAutograd)(lambda fn, *args: ("dense", fn(*args)))
    operator.py_autograd_impl(lambda fn, *args: ("autograd", fn(*args)))
    assert operator(torch.sin, x)[0] == "autograd"
    assert operator(torch.sin, x.detach())[0] == "dense"
    assert operator(abs, -3) == ("dense", 3)
    with pytest.raises(RuntimeError, match="Trying to override a python impl"):
        operator.py_impl(DispatchKey.Autograd)(abs)


def test_higher_order_operator_asks_the_mode(operator):
    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    with Mode(), pytest.raises(NotImplementedError, match="There was no rule registered"):
        operator(abs, 3)
    operator.py_impl(Mode)(lambda mode, fn, *args: "mode")
    with Mode():
        assert operator(abs, 3) == "mode"


def test_higher_order_operator_refuses_transforms(operator):
    with pytest.raises(NotImplementedError, match="applied_in_a_test"):
        torch.func.vmap(lambda x: operator(torch.sin, x))(torch.ones(2))


def test_higher_order_operator_is_named_in_graphs(operator):
    graph = fx.Graph()
    graph.output(graph.call_function(operator, (graph.placeholder("x"),)))
    assert "torch.ops.higher_order.applied_in_a_test(x)" in graph.python_code("self").src
