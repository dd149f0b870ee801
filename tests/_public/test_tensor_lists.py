"""Operators of programs that take and give lists of tensors, with gradients."""

import pytest

import minitorch
from minitorch import Tensor


@pytest.fixture
def library():
    with minitorch.library._scoped_library("lists", "FRAGMENT") as made:
        yield made


def test_gradients_go_through_the_tensors_of_lists(library):
    library.define("scaled(Tensor[] xs, Tensor w) -> Tensor[]")
    library.impl("scaled", lambda xs, w: [x * w for x in xs], "CompositeExplicitAutograd")

    def backward(ctx, grads):
        assert ctx.needs_input_grad == ([True, False], True)
        return [grad * 5 for grad in grads], sum(grad.sum() for grad in grads)

    minitorch.library.register_autograd("lists::scaled", backward, lib=library)
    x, y = minitorch.ones(2, requires_grad=True), minitorch.ones(3)
    w = minitorch.tensor(5.0, requires_grad=True)
    first, second = minitorch.ops.lists.scaled((x, y), w)
    (first.sum() + 2 * second.sum()).backward()
    assert (x.grad.tolist(), y.grad, w.grad.item()) == ([5.0, 5.0], None, 8.0)


def test_gradients_of_another_structure_are_refused(library):
    library.define("first(Tensor[] xs) -> Tensor")
    library.impl("first", lambda xs: xs[0].clone(), "CompositeExplicitAutograd")
    minitorch.library.register_autograd("lists::first", lambda ctx, grad: grad, lib=library)
    x: Tensor = minitorch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="to be of the same structure as the inputs"):
        minitorch.ops.lists.first([x, x]).sum().backward()
