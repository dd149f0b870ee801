"""Which zero comes out of functions that tell -0 from 0."""

import pytest

import minitorch as torch


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_erfinv_keeps_the_sign_of_zero(dtype):
    x = torch.tensor([-0.0, 0.0], dtype=dtype)
    assert torch.signbit(torch.erfinv(x)).tolist() == [True, False]


@pytest.mark.parametrize("count", [1, 7, 33])
def test_fmax_and_fmin_take_the_first_of_two_zeros(count):
    negative, positive = torch.full((count,), -0.0), torch.zeros(count)
    for call in (torch.fmax, torch.fmin):
        assert torch.signbit(call(negative, positive)).all()
        assert not torch.signbit(call(positive, negative)).any()


def test_scatter_reduce_keeps_the_zero_that_was_there():
    kept = torch.zeros(2).scatter_reduce(0, torch.arange(2), torch.full((2,), -0.0), "amax")
    assert not torch.signbit(kept).any()


def test_histc_counts_numbers_whose_range_overflows():
    assert torch.histc(torch.tensor([1e38, -1e38]), 4).tolist() == [2, 0, 0, 0]
    assert torch.histc(torch.tensor([1e38, 1e38]), 4).tolist() == [0, 0, 2, 0]
    assert torch.histogram(torch.tensor([1e38, -1e38]), 4)[0].tolist() == [1, 1, 0, 0]
