"""Sorting and order statistics."""

from math import isnan, nan
from typing import Any

import pytest

import minitorch as torch

Y = torch.tensor([[3.0, 1.0, 2.0], [9.0, nan, 7.0]])


def test_not_a_number_sorts_as_the_largest() -> None:
    assert Y.sort().indices.tolist() == [[1, 2, 0], [2, 0, 1]]
    assert Y.sort(descending=True)[1].tolist() == [[0, 2, 1], [1, 0, 2]]
    assert Y.topk(2).indices.tolist() == [[0, 2], [1, 0]]
    assert Y.topk(2, largest=False).values.tolist() == [[1.0, 2.0], [7.0, 9.0]]


def test_equal_elements_stay_in_order_both_ways() -> None:
    x = torch.tensor([1, 1, 1, 0, 0])
    assert x.sort().indices.tolist() == [3, 4, 0, 1, 2]
    assert x.sort(descending=True, stable=True).indices.tolist() == [0, 1, 2, 3, 4]


def test_more_than_sixteen_equal_elements_end_up_where_introsort_leaves_them() -> None:
    assert torch.sort(torch.zeros(16))[1].tolist() == list(range(16))
    order = [9, 17, 16, 15, 14, 13, 12, 11, 10, 0, 8, 7, 6, 5, 4, 3, 2, 1]
    assert torch.sort(torch.zeros(18))[1].tolist() == order
    assert torch.sort(torch.zeros(18), stable=True)[1].tolist() == list(range(18))
    parity = torch.arange(300) % 2  # long enough to be parted by NumPy
    order = torch.argsort(parity).tolist()
    assert order[:6] == [128, 242, 116, 118, 240, 120]
    assert order[-4:] == [141, 143, 145, 147]
    columns = torch.argsort(torch.stack([parity, 1 - parity], 1), dim=0, descending=True)
    assert sorted(columns[:, 1].tolist()) == list(range(300))
    assert columns[:150, 1].remainder(2).sum() == 0


def test_sort_keeps_the_layout_and_topk_does_not() -> None:
    assert Y.t().sort()[0].stride() == (1, 3)
    assert Y.t().topk(2)[0].stride() == (2, 1)


def test_few_of_many_are_found_by_partition() -> None:
    x = torch.randperm(4000)
    assert x.topk(3).values.tolist() == [3999, 3998, 3997]
    assert torch.equal(x[x.topk(3, largest=False).indices], torch.tensor([0, 1, 2]))


def test_equal_elements_are_found_where_torch_finds_them() -> None:
    assert torch.tensor([1, 1, 1, 0, 0]).topk(3).indices.tolist() == [1, 2, 0]
    assert torch.ones(20).topk(3).indices.tolist() == [12, 14, 13]
    assert torch.tensor([1, 1, 1, 0, 0]).kthvalue(3).indices == 0
    assert torch.tensor([0, 0, 0, 0]).median(0).indices == 1


def test_gradients_return_to_where_the_elements_stood() -> None:
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    (x.sort()[0] * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [100.0, 1.0, 10.0]
    assert type(x.topk(1)[0].grad_fn).__name__ == "TopkBackward0"
    assert not x.topk(1)[1].requires_grad


def test_the_median_is_the_lower_middle_and_nan_wins() -> None:
    assert torch.tensor([3, 1, 2, 4]).median() == 2
    assert isnan(Y.median().item())
    assert Y.nanmedian() == 3
    assert Y.median(1).indices.tolist() == [2, 1]
    assert Y.nanmedian(1).values.tolist() == [2.0, 7.0]


def test_the_gradient_of_a_median_is_shared_evenly() -> None:
    x = torch.tensor([2.0, 2.0, 5.0], requires_grad=True)
    x.median().backward()
    assert x.grad.tolist() == [0.5, 0.5, 0.0]


def test_kthvalue_and_mode() -> None:
    assert Y.kthvalue(2, 0).values[0] == 9
    assert torch.tensor([2, 2, 1, 1]).mode() == (torch.tensor(1), torch.tensor(3))


ERRORS = [
    (lambda: Y.topk(4), RuntimeError, "selected index k out of range"),
    (lambda: Y.kthvalue(0), RuntimeError, "kthvalue(): selected number k out of range for dim"),
    (lambda: torch.tensor([1j]).sort(), RuntimeError, "Sort does not support complex dtypes"),
    (lambda: torch.tensor([True]).topk(1), RuntimeError, "topk does not support bool dtypes"),
    (lambda: torch.tensor([]).median(0), IndexError, "Expected reduction dim 0 to have non-zero"),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_what_has_no_order_is_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_sorted_values_lie_as_the_input_does_along_dimensions_of_size_1():
    assert torch.zeros(5, 1).t().sort(0).values.stride() == (1, 1)


def test_mode_finds_the_position_that_an_unstable_sort_leaves_last():
    x = torch.arange(40) % 2
    values, indices = x.mode()
    assert (values.item(), indices.item()) == (0, 2)


def test_a_median_of_missing_numbers_alone_lies_where_the_selection_leaves_it():
    x = torch.full((5,), float("nan"))
    assert x.nanmedian(0).indices.item() == 2


def test_topk_of_no_elements_chooses_none() -> None:
    values, indices = torch.zeros(2, 0).topk(0)
    assert values.shape == indices.shape == (2, 0)
