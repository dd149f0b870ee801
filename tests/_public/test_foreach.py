"""torch._foreach_*: operators on lists of tensors."""

import pytest

import minitorch as torch


def lists():
    x = [torch.tensor([1.0, 2.0]), torch.tensor([[3.0]])]
    return x, [torch.tensor([0.5, 4.0]), torch.tensor([[2.0]])]


def test_numbers_lists_and_tensors_are_overloads_of_one_name():
    x, y = lists()
    assert [t.tolist() for t in torch._foreach_add(x, 1)] == [[2.0, 3.0], [[4.0]]]
    assert [t.tolist() for t in torch._foreach_add(x, [1, 2])] == [[2.0, 3.0], [[5.0]]]
    assert [t.tolist() for t in torch._foreach_add(x, y, alpha=2)] == [[2.0, 10.0], [[7.0]]]
    assert [t.tolist() for t in torch._foreach_add(x, torch.tensor(3.0))] == [[4.0, 5.0], [[6.0]]]


def test_functions_in_place_return_the_list_that_they_wrote():
    x, y = lists()
    first = x[0]
    assert torch._foreach_lerp_(x, y, 0.5) is x
    assert x[0] is first
    assert first.tolist() == [0.75, 3.0]
    torch._foreach_copy_(x, y)
    assert first.tolist() == [0.5, 4.0]
    torch._foreach_zero_(x)
    assert not first.any()


def test_nodes_have_the_names_that_torch_gives_them():
    x, y = lists()
    for each in x:
        each.requires_grad_()
    assert torch._foreach_mul(x, y)[0].grad_fn.name() == "ForeachMulBackward0List"
    assert torch._foreach_norm(x)[1].grad_fn.name() == "ForeachNormBackward0"
    grads = torch.autograd.grad(torch._foreach_mul(x, 3)[0].sum(), x[0])
    assert grads[0].tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x, y: torch._foreach_add([], 1), "must have at least one tensor"),
        (lambda x, y: torch._foreach_add(x, [1]), "same number of elements as scalar list"),
        (lambda x, y: torch._foreach_mul(x, y[:1]), "same number of tensors, got 2 and 1"),
        (lambda x, y: torch._foreach_add(x, y[0]), "expected to be 0 dim but it has 1 dimensions"),
        (lambda x, y: torch._foreach_max([torch.ones(0)]), "maximum of an empty tensor"),
    ],
)
def test_lists_that_do_not_fit_are_refused(call, text):
    with pytest.raises(RuntimeError, match=text):
        call(*lists())


def test_operators_of_torch_ops_return_lists():
    x, _ = lists()
    assert type(torch.ops.aten._foreach_add.Scalar(x, 1)) is list
