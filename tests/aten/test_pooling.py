"""Pooling as operators: refusals, layouts, several outputs."""

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
