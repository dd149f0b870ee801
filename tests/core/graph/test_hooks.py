"""Hooks see what torch shows them, in the same order."""

import pytest

import minitorch as torch


def test_a_wanted_gradient_is_kept_as_it_was_before_the_hooks_where_it_leads_on():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    of_x, of_y = torch.autograd.grad((y * 3).sum(), [x, y])
    assert of_y.tolist() == [3.0, 3.0]
    assert of_x.tolist() == [60.0, 60.0]


def test_a_wanted_gradient_that_leads_nowhere_is_what_the_hooks_made_of_it():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    (of_y,) = torch.autograd.grad((y * 3).sum(), [y])
    assert of_y.tolist() == [30.0, 30.0]


def test_hooks_of_an_output_without_gradient_are_called_with_none():
    a, b = torch.ones(4, requires_grad=True).split(2)
    seen = []
    b.register_hook(seen.append)
    a.sum().backward()
    assert seen == [None]


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (lambda grad: grad[:1], "hook '<lambda>' has changed the size of value"),
        (
            lambda grad: grad.double(),
            (
                "hook '<lambda>' has changed the type of value "
                "(was torch.FloatTensor got torch.DoubleTensor)"
            ),
        ),
    ],
)
def test_what_a_hook_returns_must_be_like_the_gradient(returned, text):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(returned)
    with pytest.raises(RuntimeError) as error:
        y.sum().backward()
    assert str(error.value) == text


def test_a_hook_makes_no_gradient_where_there_is_none():
    a, b = torch.ones(4, requires_grad=True).split(2)
    b.register_hook(lambda grad: torch.ones(2))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        a.sum().backward()


def test_what_was_never_kept_is_none_also_when_the_rest_was_freed():
    x = torch.ones(2, requires_grad=True)
    y = x * torch.ones(2)
    y.sum().backward()
    assert y.grad_fn._saved_self is None
    with pytest.raises(RuntimeError, match="a second time"):
        y.grad_fn._saved_other  # noqa: B018


def test_hooks_of_accumulate_grad_are_called_though_nobody_holds_the_node():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    calls = []
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda outputs: (outputs[0] * 10,))
    node.register_hook(lambda inputs, outputs: calls.append((inputs, outputs[0].tolist())))
    del node
    y.sum().backward()
    assert calls == [((), [20.0, 20.0])]
    assert x.grad.tolist() == [20.0, 20.0]


def test_a_tensor_that_retains_its_gradient_does_so_after_a_write():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    assert y.retains_grad
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]


def test_a_hook_of_a_node_sees_gradients_fitted_to_its_inputs():
    seen = []
    x = torch.ones(3, requires_grad=True)
    factor = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    y = x * factor
    y.grad_fn.register_hook(lambda ins, outs: seen.extend(ins))
    y.sum().backward()
    assert [(each.shape, each.dtype) for each in seen] == [
        ((3,), torch.float32),
        ((1,), torch.float64),
    ]


class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def test_hooks_of_a_leaf_hear_that_no_gradient_comes():
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    heard = []
    handle = y.register_hook(heard.append)
    y.register_post_accumulate_grad_hook(lambda leaf: heard.append(leaf.grad))
    Forgetful.apply(x, y).sum().backward()
    assert heard == [None, None]
    handle.remove()
    y.register_hook(lambda grad: torch.ones(3))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        Forgetful.apply(x, y).sum().backward()


def test_a_hook_of_a_node_sees_no_gradient_that_nobody_wants():
    seen = []
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    product = x * y
    product.grad_fn.register_hook(lambda ins, outs: seen.append([each is None for each in ins]))
    torch.autograd.grad(product.sum(), x)
    assert seen == [[False, True]]


def test_a_hook_after_accumulation_returns_nothing():
    x = torch.ones(2, requires_grad=True)
    handle = x.register_post_accumulate_grad_hook(lambda leaf: 3)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        (x * 2).sum().backward()
    handle.remove()
    x.register_post_accumulate_grad_hook(lambda leaf: leaf * 2)
    with pytest.raises(RuntimeError, match="should return None"):
        (x * 2).sum().backward()


def test_hooks_of_an_accumulate_grad_live_as_long_as_a_graph_leads_there():
    log = []
    x = torch.ones(2, requires_grad=True)

    def hooked(name):
        node = torch.autograd.graph.get_gradient_edge(x).node
        return node.register_hook(lambda ins, outs: log.append(name))

    hooked("nobody")
    (x * 2).sum().backward()
    node = torch.autograd.graph.get_gradient_edge(x).node
    handle = hooked("held")
    y = x * 2
    del node
    y.sum().backward(retain_graph=True)
    z = x * 3
    del y
    z.sum().backward(retain_graph=True)
    handle.remove()
    z.sum().backward()
    assert log == ["held", "held"]
