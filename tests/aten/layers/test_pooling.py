"""Pooling as operators: refusals, layouts, several outputs."""

import numpy as np
import pytest

import minitorch as torch
import minitorch.nn.functional as F


def test_indices_come_along():
    x = torch.tensor([[[1.0, 5.0], [3.0, 2.0]]])
    values, indices = F.max_pool2d(x, 2, return_indices=True)
    assert (values.item(), indices.item()) == (5.0, 1)


@pytest.mark.parametrize(
    ("shape", "args", "text"),
    [
        ((2, 2), (2,), "non-empty 3D or 4D \\(batch mode\\) tensor expected for input"),
        ((1, 1, 2, 2), (5,), "Calculated output size: \\(1x0x0\\). Output size is too small"),
        ((1, 1, 4, 4), (2, 2, 2), "pad should be at most half of effective kernel size"),
        ((1, 1, 4, 4), (2, 0), "stride should not be zero"),
        ((1, 1, 4, 4), ((2, 2, 2),), "kernel_size must either be a single int, or a tuple of two"),
    ],
)
def test_max_pool2d_refuses(shape, args, text):
    with pytest.raises(RuntimeError, match=text):
        F.max_pool2d(torch.ones(*shape), *args)


def test_adaptive_windows_share_pixels():
    x = torch.arange(5.0).reshape(1, 1, 5).requires_grad_()
    y = F.adaptive_avg_pool1d(x, 2)
    assert y.tolist() == [[[1.0, 3.0]]]
    y.sum().backward()
    assert x.grad.flatten().tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1 / 3, 1 / 3])


def test_one_window_is_a_mean():
    y = F.adaptive_avg_pool2d(torch.ones(1, 2, 3, 3, requires_grad=True), 1)
    assert type(y.grad_fn).__name__ == "MeanBackward1"


def test_max_pool1d_refuses_as_either_of_its_two_forms():
    x = torch.ones(1, 1, 8)
    with pytest.raises(RuntimeError, match=r"max_pool1d\(\) padding must be non-negative"):
        F.max_pool1d(x, 2, padding=-1)
    with pytest.raises(RuntimeError, match="pad must be non-negative, but got pad: -1"):
        F.max_pool1d(x, 2, padding=-1, return_indices=True)
    with pytest.raises(RuntimeError, match="of size 1 but got size 2"):
        F.max_pool1d(x, (2, 3))


def test_max_pool1d_is_a_view_only_where_it_is_recorded():
    x = torch.ones(2, 3, 8).transpose(0, 1)
    assert (F.max_pool1d(x, 2)._base, F.max_pool1d(x, 2).stride()) == (None, (8, 4, 1))
    assert F.max_pool1d(x.requires_grad_(), 2)._base is not None


def test_adaptive_pooling_refuses():
    with pytest.raises(RuntimeError, match="'output_size' should contain one int \\(got 0\\)"):
        F.adaptive_avg_pool1d(torch.ones(1, 1, 8), ())
    with pytest.raises(ValueError, match="Input dimension should be at least 3"):
        F.adaptive_avg_pool2d(torch.ones(2, 2), (1, 1))


@pytest.mark.parametrize(
    "pool", [lambda x: F.avg_pool2d(x, 2), lambda x: F.max_pool2d(x, 2), F.adaptive_avg_pool2d]
)
def test_zeros_in_an_inputs_place_lie_in_rows(pool):
    x = torch.randn(2, 3, 4, 4).contiguous(memory_format=torch.channels_last).requires_grad_()
    y = pool(x) if pool is not F.adaptive_avg_pool2d else pool(x, (2, 2))
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    (h,) = torch.autograd.grad(g, x, torch.ones_like(g))
    assert (g.stride(), h.stride()) == ((48, 1, 12, 3), (48, 16, 4, 1))
    assert not hasattr(g.grad_fn, "_saved_self")


def test_the_padding_is_measured_before_the_kernel():
    with pytest.raises(RuntimeError, match="got pad=0, kernel_size=-100 and dilation=1"):
        F.max_pool2d(torch.ones(1, 4, 4), -100)
    with pytest.raises(RuntimeError, match="got pad=0, kernel_size=3 and dilation=-100"):
        F.max_pool2d(torch.ones(1, 4, 4), 3, dilation=-100)


def test_adaptive_pooling_wants_pixels():
    with pytest.raises(RuntimeError, match="sizes \\[2, 3, 4, 0\\] with dimension 3 being empty"):
        F.adaptive_avg_pool2d(torch.ones(2, 3, 4, 0), 2)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_means_of_integers_are_known_of_int64_alone(count):
    pool = getattr(F, f"avg_pool{count}d")
    x = torch.ones(1, 2, *[4] * count)
    assert pool(x.long(), 2).dtype is torch.int64
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        pool(x.int(), 2)


@pytest.mark.parametrize("two", [np.int32(2), torch.tensor(2)])
def test_fractional_max_pool2d_takes_what_stands_for_an_integer(two):
    x = torch.ones(1, 1, 4, 4)
    result = torch.nn.functional.fractional_max_pool2d(x, two, output_size=two)
    assert result.shape == (1, 1, 2, 2)


@pytest.mark.parametrize("places", [(0, 1), (1, 0)])
def test_adaptive_avg_pool2d_refuses_sizes_that_are_no_integers(places):
    size = [(torch.tensor(2 + 0j), 2)[i] for i in places]
    with pytest.raises(TypeError, match="argument 'output_size'"):
        torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 4, 4), size)
