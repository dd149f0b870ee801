"""Sums, means, products, truths, logsumexp: dtypes, order of additions, gradients at the edges."""

from __future__ import annotations

import math

import pytest

import minitorch as torch


def test_small_sums_are_added_in_the_order_of_vectors_of_eight() -> None:
    # 2**24 swallows a one that is added to it alone. The ninth number comes first, then the eight.
    assert torch.tensor([2.0**24, 1, 1, 1, 1, 1, 1, 1, 1]).sum().item() == 2.0**24
    assert torch.tensor([1, 1, 1, 1, 1, 1, 1, 2.0**24, 1]).sum().item() == 2.0**24 + 8
    assert torch.tensor([1, 1, 1, 1, 1, 1, 1, 1, 2.0**24]).sum().item() == 2.0**24


def test_a_sum_owns_the_memory_it_lies_in() -> None:
    total = torch.ones(3, 3).sum()
    assert total.storage_offset() == 0
    assert total.untyped_storage().nbytes() == 4


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int32])
def test_integers_and_bools_add_up_as_int64(dtype):
    x = torch.ones(2, 3, dtype=dtype)
    assert x.sum().dtype is torch.int64
    assert x.sum(0).tolist() == [2, 2, 2]
    assert x.prod().dtype is torch.int64


def test_a_sum_takes_numpys_names() -> None:
    x = torch.ones(2, 3)
    assert x.sum(axis=0, keepdims=True).shape == (1, 3)
    assert torch.mean(x, axis=1).tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="foo"):
        x.sum(foo=1)


def test_an_empty_list_of_dimensions_sums_everything_but_reduces_no_truths() -> None:
    x = torch.ones(2, 3)
    assert x.sum(()).shape == ()
    assert x.any(()).shape == (2, 3)


def test_nodes_show_dimensions_as_a_tuple() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    node = x.sum(1).grad_fn
    assert node.name() == "SumBackward1"
    assert node._saved_dim == (1,)
    assert node._saved_self_sym_sizes == (2, 3)
    assert x.sum().grad_fn.name() == "SumBackward0"


@pytest.mark.parametrize("name", ["sum", "prod", "nansum", "cumsum", "cumprod"])
def test_reductions_to_integers_refuse_to_be_recorded(name: str) -> None:
    x = torch.ones(2, requires_grad=True)
    arguments = (0,) if name.startswith("cum") else ()
    with pytest.raises(RuntimeError, match=r"^Autograd not support dtype: Long$"):
        getattr(torch, name)(x, *arguments, dtype=torch.int64)
    assert getattr(torch, name)(x.detach(), *arguments, dtype=torch.int64).dtype is torch.int64
    assert not x.to(torch.int64).requires_grad


@pytest.mark.parametrize("dims", [0, -1, (0, 2), (2, 0), ()])
@pytest.mark.parametrize("keepdim", [True, False])
def test_the_gradient_of_a_mean_is_spread_over_what_was_reduced(dims, keepdim):
    x = torch.ones(2, 3, 4, requires_grad=True)
    out = x.mean(dims, keepdim)
    out.backward(torch.ones_like(out))
    count = x.numel() // out.numel()
    assert torch.equal(x.grad, torch.full((2, 3, 4), 1 / count))


def test_a_mean_of_integers_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype.*Got: Long"):
        torch.ones(2, dtype=torch.int64).mean()
    with pytest.raises(RuntimeError, match="Optional dtype must be"):
        torch.ones(2).mean(dtype=torch.int64)


def test_a_dimension_that_is_named_as_none_is_another_overload() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    assert x.sum().grad_fn.name() == "SumBackward0"
    assert x.sum(dim=None).grad_fn.name() == "SumBackward1"
    assert x.mean(None).grad_fn.name() == "MeanBackward1"
    assert x.std(dim=None).grad_fn._saved_correction == 1
    assert x.std().grad_fn._saved_correction is None
    assert x.amax(dim=None).grad_fn._saved_dim == ()


@pytest.mark.parametrize("name", ["prod", "max", "min", "median", "nanmedian", "squeeze"])
def test_reductions_along_one_dimension_refuse_none(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(torch, name)(torch.ones(2, 3), dim=None)


def test_a_sum_that_keeps_dimensions_must_name_them() -> None:
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.ones(2, 3).sum(keepdim=True)
    assert torch.ones(2, 3).sum(None, keepdim=True).shape == (1, 1)


def test_the_mean_of_nothing_is_not_a_number() -> None:
    assert math.isnan(torch.ones(0).mean().item())


def test_dimensions_out_of_range_or_twice_are_refused() -> None:
    x = torch.ones(2, 3)
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\], but got 2"):
        x.sum(2)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times in the list of dims"):
        x.sum((0, -2))


@pytest.mark.parametrize(
    ("values", "gradient"),
    [([2.0, 3.0, 4.0], [12.0, 8.0, 6.0]), ([2, 0, 4], [0, 8, 0]), ([0, 0, 4], [0, 0, 0])],
)
def test_the_gradient_of_a_product_is_the_product_of_the_others(values, gradient):
    x = torch.tensor(values, dtype=torch.float32, requires_grad=True)
    x.prod().backward()
    assert x.grad.tolist() == gradient
    x.grad = None
    x.prod(0).backward()
    assert x.grad.tolist() == gradient


def test_truths_of_bytes_stay_bytes() -> None:
    assert torch.ones(2, dtype=torch.uint8).all().dtype is torch.uint8
    assert torch.ones(2).any().dtype is torch.bool


def test_nansum_and_nanmean_leave_nans_out() -> None:
    x = torch.tensor([1.0, math.nan, 3.0], requires_grad=True)
    x.nansum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]
    assert x.nanmean().item() == 2.0


def test_logsumexp_does_not_overflow_and_has_the_softmax_as_gradient() -> None:
    x = torch.tensor([1000.0, 1000.0], requires_grad=True)
    out = x.logsumexp(0)
    out.backward()
    assert out.item() == pytest.approx(1000 + math.log(2))
    assert x.grad.tolist() == pytest.approx([0.5, 0.5], rel=1e-4)
    assert torch.tensor([-math.inf, -math.inf]).logsumexp(0).item() == -math.inf
    with pytest.raises(RuntimeError, match=r"doesn't match the broadcast shape \[1\]"):
        x.logsumexp(())


def test_a_result_goes_into_out() -> None:
    out = torch.empty(3)
    assert torch.sum(torch.ones(2, 3), 0, out=out) is out
    assert out.tolist() == [2.0, 2.0, 2.0]


def test_a_mean_is_taken_in_the_dtype_of_out() -> None:
    third = torch.tensor([0.0, 0.0, 1.0])
    assert torch.mean(third, 0, out=torch.zeros((), dtype=torch.float64)).item() == 1 / 3
    count = torch.zeros((), dtype=torch.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output"):
        torch.mean(third, 0, out=count)
    with pytest.raises(RuntimeError, match=r"mean\.dtype_out\(\): input types can't be cast"):
        torch.mean(third, out=count)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype double"):
        torch.mean(third, 0, dtype=torch.float64, out=count)


def test_a_sum_has_memory_of_its_own():
    assert torch.randn(2, 5).T.sum().storage_offset() == 0


def test_a_mean_without_nans_goes_into_out_by_way_of_its_sum() -> None:
    out = torch.zeros(2)
    x = torch.tensor([[1.0, math.nan], [3.0, 4.0]])
    assert torch.nanmean(x, 0, out=out).tolist() == [2.0, 4.0]
    assert out._version == 2
    with pytest.raises(NotImplementedError, match="\"nansum_cpu\" not implemented for 'Long'"):
        torch.nanmean(x, 0, out=torch.zeros(2, dtype=torch.int64))


def test_a_product_into_out_is_taken_in_its_dtype() -> None:
    out = torch.zeros(1, dtype=torch.int32)
    torch.prod(torch.tensor([[1.5, 2.5]]), 1, out=out)
    assert out.tolist() == [2]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got int"):
        torch.prod(torch.ones(1, 2), 1, dtype=torch.float32, out=out)


def test_logsumexp_adds_and_takes_the_logarithm_in_the_dtype_of_its_out() -> None:
    x = torch.tensor([[3, 4], [3, 7], [0, -6]])
    out = torch.logsumexp(x, 0, out=torch.empty(2, dtype=torch.float64))
    exponentials = [[0.0, -3.0], [0.0, 0.0], [-3.0, -13.0]]
    sums = torch.tensor(exponentials).exp().double().sum(0)
    assert out.tolist() == (sums.log() + torch.tensor([3, 7])).tolist()
    assert out[0].item() != torch.logsumexp(x, 0)[0].item()
    with pytest.raises(RuntimeError, match="Expected floating point type for result tensor"):
        torch.logsumexp(x, 0, out=torch.empty(2, dtype=torch.int64))


@pytest.mark.parametrize("name", ["sum", "nansum", "mean", "amax"])
@pytest.mark.parametrize("dim", [[1.5], [0.5, 1], [True]])
def test_reductions_refuse_dimensions_that_are_no_ints(name: str, dim: list) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\(\)"):
        getattr(torch, name)(torch.ones(2, 2), dim)
