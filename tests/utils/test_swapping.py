"""torch.utils.swap_tensors: contents change places, identities stay, uses refuse."""

import gc
import weakref

import pytest

import minitorch as torch
from minitorch.autograd.function_node import State
from minitorch.utils import swap_tensors

USED = "Expected use_count of t1 to be 1 or 2 with an AccumulateGrad node but got {}"
POISONED = "Trying to execute AccumulateGrad node that was poisoned by swap_tensors"


class Sub(torch.Tensor):
    pass


class Slotted(torch.Tensor):
    __slots__ = ("note",)


def _leaf(*values):
    return torch.tensor(values, requires_grad=True)


def test_tensors_get_each_others_numbers_classes_and_attributes():
    parameter, plain = torch.nn.Parameter(torch.ones(2)), torch.tensor([[3, 4]])
    held, parameter.note = [parameter, plain], "kept"
    plain.add_(1)
    swap_tensors(parameter, plain)
    assert held == [parameter, plain]
    assert type(parameter) is torch.Tensor
    assert type(plain) is torch.nn.Parameter
    assert parameter.tolist() == [[4, 5]]
    assert (parameter.requires_grad, plain.requires_grad) == (False, True)
    assert plain.note == "kept"
    assert not hasattr(parameter, "note")
    assert (parameter._version, plain._version) == (1, 0)


def test_slots_change_places_and_have_to_be_the_same():
    x, y = torch.ones(2).as_subclass(Slotted), torch.zeros(3).as_subclass(Slotted)
    x.note = 5
    swap_tensors(x, y)
    assert y.note == 5
    assert not hasattr(x, "note")
    with pytest.raises(RuntimeError, match="if they have different slots"):
        swap_tensors(x, torch.ones(2))
    z, other = torch.ones(2).as_subclass(Sub), torch.zeros(3)
    swap_tensors(z, other)
    assert type(other) is Sub


def test_gradients_and_hooks_go_along():
    x, y, seen = _leaf(1.0, 1.0), _leaf(0.0, 0.0), []
    x.register_hook(lambda grad: seen.append("hook"))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf))
    (x * 2).sum().backward()
    seen.clear()
    swap_tensors(x, y)
    assert x.grad is None
    assert y.grad.tolist() == [2.0, 2.0]
    (x * 3).sum().backward()
    assert seen == []
    (y * 3).sum().backward()
    assert seen[0] == "hook"
    assert seen[1] is y


def test_what_was_computed_takes_its_history_along():
    x, other = _leaf(1.0, 1.0), torch.zeros(3)
    y = x.exp()
    swap_tensors(y, other)
    other.sum().backward()
    assert x.grad.tolist() == pytest.approx([2.718282, 2.718282])
    assert y.grad_fn is None


def test_a_graph_refuses_to_run_once_a_leaf_of_it_was_swapped():
    x, other = _leaf(1.0, 1.0), torch.zeros(3)
    y = x + 1
    swap_tensors(x, other)
    with pytest.raises(RuntimeError, match=POISONED):
        y.sum().backward()
    del y
    (other * 3).sum().backward()
    assert other.grad.tolist() == [3.0, 3.0]


def test_the_end_of_a_graph_that_a_program_holds_goes_along():
    x, other = _leaf(1.0), torch.zeros(3)
    end = torch.autograd.graph.get_gradient_edge(x).node
    swap_tensors(x, other)
    assert end.variable is other


def test_tensors_that_graphs_keep_are_refused():
    x, other = _leaf(1.0, 1.0), torch.zeros(3)
    y = x * x
    with pytest.raises(RuntimeError, match=USED.format(4)):
        swap_tensors(x, other)
    z = y * y
    with pytest.raises(RuntimeError, match=USED.format(3)):
        swap_tensors(y, other)
    del y, z
    swap_tensors(x, other)

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    kept = _leaf(1.0)
    result = Keeps.apply(kept)
    with pytest.raises(RuntimeError, match=USED.format(3)):
        swap_tensors(kept, torch.ones(1))
    assert result.requires_grad


def test_views_and_gradients_are_uses():
    x, other = torch.ones(2), torch.zeros(3)
    view = x[:1]
    with pytest.raises(RuntimeError, match="does not require gradients"):
        swap_tensors(x, other)
    swap_tensors(view, other)
    leaf = _leaf(1.0)
    leaf.sum().backward()
    with pytest.raises(RuntimeError, match="does not require gradients"):
        swap_tensors(leaf.grad, torch.ones(1))


def test_tensors_with_weak_references_are_refused():
    x, y = torch.ones(2), torch.ones(2)
    reference = weakref.ref(y)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref associated"):
        swap_tensors(x, y)
    assert reference() is y
    retained = _leaf(1.0) * 2
    retained.retain_grad()
    with pytest.raises(RuntimeError, match="Expected no weakrefs to t1's Tensor object"):
        swap_tensors(retained, x)
    with pytest.raises(AttributeError, match="'int' object has no attribute '_use_count'"):
        swap_tensors(x, 3)


def test_set_module_says_where_something_belongs():
    def function():
        pass

    torch.utils.set_module(function, "somewhere")
    assert function.__module__ == "somewhere"
    with pytest.raises(TypeError, match="The mod argument should be a string"):
        torch.utils.set_module(function, 3)
    assert torch.utils.cmake_prefix_path.endswith("share/cmake")


def test_a_context_with_its_attributes_in_a_dictionary_is_a_use():
    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    kept = _leaf(1.0)
    result = Keeps.apply(kept)
    states = [each for each in gc.get_objects() if type(each) is State]
    assert all(vars(each) for each in states)  # which makes the dictionaries
    del states
    with pytest.raises(RuntimeError, match=USED.format(3)):
        swap_tensors(kept, torch.ones(1))
    assert result.requires_grad
