"""The nodes and hooks that run, and the results, where the inputs are named."""

import pytest

import minitorch as torch


@pytest.fixture
def chain():
    a = torch.ones(2, requires_grad=True)
    b = a * 2
    return a, b, b * 3


def test_a_gradient_on_the_way_is_taken_before_its_hooks(chain):
    a, b, c = chain
    b.register_hook(lambda grad: grad * 2)
    on_the_way, last = torch.autograd.grad(c.sum(), [b, a])
    assert on_the_way.tolist() == [3, 3]
    assert last.tolist() == [12, 12]


def test_a_gradient_at_the_end_is_taken_after_its_hooks(chain):
    _, b, c = chain
    b.register_hook(lambda grad: grad * 2)
    assert torch.autograd.grad(c.sum(), [b])[0].tolist() == [6, 6]


def test_hooks_of_leaves_that_are_not_asked_for_stay_silent(chain):
    a, b, c = chain
    called = []
    a.register_hook(called.append)
    torch.autograd.grad(c.sum(), [b])
    assert not called


def test_a_root_that_leads_nowhere_calls_its_hooks_and_retains(chain):
    _, _, c = chain
    called = []
    c.register_hook(lambda grad: called.append(grad.tolist()))
    c.retain_grad()
    other = torch.ones(2, requires_grad=True)
    torch.autograd.grad(c, [other], torch.ones(2), allow_unused=True)
    assert called == [[1, 1]]
    assert c.grad.tolist() == [1, 1]


def test_a_named_non_leaf_retains_its_gradient(chain):
    a, b, c = chain
    c.sum().backward(inputs=[b])
    assert b.retains_grad
    assert b.grad.tolist() == [3, 3]
    assert a.grad is None


def test_gradients_that_pass_come_back_as_themselves(chain):
    a, _, _ = chain
    given = torch.ones(2)
    first, second = torch.autograd.grad(a, [a, a], given)
    assert first is second is given
    (view,) = torch.autograd.grad(a.view(1, 2), [a], torch.ones(1, 2))
    assert view._base is not None


def test_a_view_without_history_is_no_root():
    x = torch.ones(2, requires_grad=True) * 2
    with torch.no_grad():
        view = x[0]
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        view.backward()


def test_retaining_survives_a_write():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.tanh_()
    y.sum().backward()
    assert y.grad.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("hook", "error", "text"),
    [
        (lambda ins, outs: ins[0], TypeError, "expected tuple, but hook returned 'Tensor'"),
        (
            lambda ins, outs: ins[:1],
            RuntimeError,
            "incorrect number of values",
        ),
        (lambda ins, outs: (ins[0].sum(), None), RuntimeError, "has changed the size of value"),
        (lambda ins, outs: (ins[0].double(), None), RuntimeError, "has changed the type of value"),
    ],
)
def test_what_a_hook_of_a_node_returns_is_checked(chain, hook, error, text):
    _, b, c = chain
    b.grad_fn.register_hook(hook)
    with pytest.raises(error, match=text):
        c.sum().backward()


def test_a_named_result_without_derivative_only_keeps_its_gradient():
    a = torch.tensor([3.0, 1.0], requires_grad=True)
    b = torch.unique(a)
    b.backward(torch.ones(2), inputs=[b])
    assert b.grad.tolist() == [1, 1]
    with pytest.raises(NotImplementedError, match="the derivative for '_unique2'"):
        torch.unique(a).sum().backward()
