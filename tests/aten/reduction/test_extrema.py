"""Largest and smallest elements: ties, not-a-numbers, empty dimensions, overloads."""

from __future__ import annotations

import math

import pytest

import minitorch as torch


def test_of_equal_elements_the_first_is_found() -> None:
    values, indices = torch.tensor([[1, 3, 3], [2, 2, 1]]).max(1)
    assert values.tolist() == [3, 2]
    assert indices.tolist() == [1, 0]
    assert torch.tensor([3, 1, 1]).argmin().item() == 1


def test_a_not_a_number_wins() -> None:
    x = torch.tensor([1.0, math.nan, 3.0, math.nan])
    assert math.isnan(x.max().item())
    assert x.argmin().item() == 1
    assert x.min(0).indices.item() == 1
    assert math.isnan(x.amin().item())


def test_max_is_one_name_for_three_functions() -> None:
    x = torch.tensor([[1.0, 4.0], [3.0, 2.0]])
    assert x.max().item() == 4
    assert x.max(dim=0).values.tolist() == [3.0, 4.0]
    assert torch.max(x, torch.full((2, 2), 2.5)).tolist() == [[2.5, 4.0], [3.0, 2.5]]
    assert torch.max(x, axis=1, keepdims=True).indices.tolist() == [[1], [0]]


def test_max_has_node_one_without_a_dimension_and_node_zero_with_one() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    assert x.max().grad_fn.name() == "MaxBackward1"
    values, indices = x.max(1)
    assert values.grad_fn.name() == "MaxBackward0"
    assert not indices.requires_grad


def test_the_gradient_along_a_dimension_goes_to_the_first_of_equals() -> None:
    x = torch.tensor([[1.0, 1.0], [0.0, 2.0]], requires_grad=True)
    x.max(1).values.sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("reduce", [torch.max, torch.amax, lambda x: x.aminmax().max])
def test_the_gradient_of_all_elements_is_shared_by_equals(reduce):
    x = torch.tensor([3.0, 1.0, 3.0], requires_grad=True)
    reduce(x).backward()
    assert x.grad.tolist() == [0.5, 0.0, 0.5]


def test_not_a_numbers_share_the_gradient_of_max_and_spoil_that_of_amax() -> None:
    x = torch.tensor([1.0, math.nan, math.nan], requires_grad=True)
    assert torch.autograd.grad(x.max(), x)[0].tolist() == [0.0, 0.5, 0.5]
    assert torch.autograd.grad(x.amax(), x)[0].isnan().all()


def test_the_gradient_of_amax_lies_as_its_mask() -> None:
    x = torch.empty_strided((3, 2, 1, 2), (4, 1, 4, 2)).zero_().requires_grad_()
    (grad,) = torch.autograd.grad(x.amax(0, True).sum(), x)
    assert grad.stride() == (4, 2, 4, 1)


def test_nothing_has_no_extreme() -> None:
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim to be specified"):
        torch.ones(0).max()
    with pytest.raises(IndexError, match=r"argmax\(\): Expected reduction dim 0 to have non-zero"):
        torch.ones(0, 3).argmax(0)
    with pytest.raises(RuntimeError, match=r"aminmax\(\): cannot compute aminmax over an empty"):
        torch.ones(0).aminmax()
    assert torch.ones(0, 3).max(1).values.shape == (0,)


def test_complex_numbers_have_no_order() -> None:
    z = torch.ones(2, dtype=torch.complex64)
    with pytest.raises(NotImplementedError, match="not implemented for 'ComplexFloat'"):
        z.max()
    with pytest.raises(RuntimeError, match=r"argmax\(\): does not support complex input"):
        z.argmax()


def test_results_are_contiguous_whatever_the_strides_of_the_input() -> None:
    x = torch.arange(24).reshape(2, 3, 4).permute(2, 0, 1)
    assert x.max(1).values.stride() == (3, 1)
    assert x.amin(1, keepdim=True).stride() == (3, 3, 1)


def test_the_gradient_of_the_maximum_is_differentiable_by_what_it_was_given() -> None:
    x = torch.tensor([1.0, 2.0, 2.0], requires_grad=True)
    given = torch.tensor(1.0, requires_grad=True)
    (grad,) = torch.autograd.grad(x.max(), x, given, create_graph=True)
    assert grad.grad_fn.name() == "MaskedFillBackward1"
    assert torch.autograd.grad(grad.sum(), given)[0].item() == 1.0


def test_the_gradient_of_amax_is_divided_before_it_is_masked() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (grad,) = torch.autograd.grad(x.amax(1).sum(), x, create_graph=True)
    assert grad.tolist() == [[torch.tensor(1.0).div(3).item()] * 3] * 2
    given = torch.ones(2, requires_grad=True)
    (grad,) = torch.autograd.grad(x.amax(1), x, given, create_graph=True)
    assert grad.grad_fn.name() == "MulBackward0"
    assert grad.grad_fn.next_functions[0][0].name() == "DivBackward0"


def test_the_sign_of_zero_is_that_of_the_element_which_the_index_names() -> None:
    for values in ([-0.0, 0.0, -1.0], [0.0, -0.0, -1.0]):
        x = torch.tensor([values])
        extreme, index = x.max(1)
        assert math.copysign(1, extreme.item()) == math.copysign(1, values[index.item()])
        extreme, index = (-x).min(1, keepdim=True)
        assert math.copysign(1, extreme.item()) == -math.copysign(1, values[index.item()])
    half, index = torch.tensor([-0.0, 0.0, -1.0], dtype=torch.float16).cummax(0)
    assert [math.copysign(1, n) for n in half.tolist()] == [-1, 1, 1]
    assert index.tolist() == [0, 1, 1]


def test_what_is_empty_is_refused_before_its_kind_of_number() -> None:
    x = torch.zeros(2, 0, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim"):
        x.max()
    with pytest.raises(RuntimeError, match="does not support complex input"):
        x.argmax()
    assert x.cummin(7)[1].shape == x.softmax(0).shape == x.log_softmax(1).shape == (2, 0)
    assert x.median().isnan()
    assert x.bool().median()
    assert x.int().median() == -(2**31)
    assert x.to(torch.uint8).median() == 0


def test_hashes_are_the_exclusive_or_of_all_bits():
    x = torch.tensor([[1, 2], [4, 8]])
    assert torch.hash_tensor(x).item() == 15
    assert torch.hash_tensor(x, 0).tolist() == [5, 10]
    assert torch.hash_tensor(torch.tensor([1.5, 1.5])).item() == 0
    with pytest.raises(RuntimeError, match="mode: 1"):
        torch.hash_tensor(x, mode=1)
