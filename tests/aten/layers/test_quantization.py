"""Fake quantization: the grid, its ends, gradients, refusals."""

import math

import pytest

import minitorch as torch

X = [[-1.3, 0.04, 0.05, 0.15], [0.25, 3.0, 300.0, math.nan]]


def test_numbers_are_rounded_to_the_grid_and_cut_at_its_ends() -> None:
    x = torch.tensor(X, requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)
    expected = torch.tensor([[-0.3, 0, 0, 0.2], [0.2, 3, 25.2, -0.3]])
    assert torch.allclose(y, expected)
    y.sum().backward()
    assert x.grad.tolist() == [[0, 1, 1, 1], [1, 1, 0, 0]]
    scale, zero = torch.tensor([0.1]), torch.tensor([3])
    assert torch.equal(torch.fake_quantize_per_tensor_affine(x, scale, zero, 0, 255), y)


def test_channels_have_scales_of_their_own() -> None:
    x = torch.tensor(X, requires_grad=True)
    scale, zero = torch.tensor([0.1, 0.2]), torch.tensor([3, 0], dtype=torch.int32)
    y = torch.fake_quantize_per_channel_affine(x, scale, zero, 0, 0, 255)
    assert torch.allclose(y, torch.tensor([[-0.3, 0, 0, 0.2], [0.2, 3, 51, 0]]))
    inside = torch.fake_quantize_per_channel_affine(x, scale, zero.float(), 0, 0, 255)
    assert torch.allclose(inside[0], torch.tensor([-0.3, 0, 0.1, 0.1]))
    y.sum().backward()
    assert x.grad.tolist() == [[0, 1, 1, 1], [1, 1, 0, 0]]


@pytest.mark.parametrize(
    ("scale", "zero", "axis", "text"),
    [
        ([0.1, 0.2], [3, 0], 1, "not consistent with input tensor"),
        ([0.1, 0.2], [3], 0, "need to have the same dimensions"),
        ([[0.1, 0.2]], [3, 0], 0, "scale should be a 1-D tensor"),
        ([0.1, 0.2], [3, 300], 0, "`zero_point` must be between"),
        ([0.1, 0.2], [3, 0], -2, "`axis` must be between"),
    ],
)
def test_channels_that_do_not_fit_are_refused(scale, zero, axis, text) -> None:
    zeros = torch.tensor(zero, dtype=torch.int32)
    with pytest.raises(RuntimeError, match=text):
        torch.fake_quantize_per_channel_affine(
            torch.tensor(X), torch.tensor(scale), zeros, axis, 0, 255
        )


def test_ranges_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(RuntimeError, match="should be less than or"):
        torch.fake_quantize_per_tensor_affine(torch.tensor(X), 0.1, 0, 255, 0)
    with pytest.raises(NotImplementedError, match="not implemented for 'Int'"):
        torch.fake_quantize_per_tensor_affine(torch.ones(2, dtype=torch.int32), 0.1, 0, 0, 255)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.fake_quantize_per_tensor_affine(torch.tensor(X), 0.1, 0)


def test_choose_qparams_optimized_narrows_the_range_where_that_loses_less():
    x = torch.tensor([0.0] * 4 + [0.1] * 4 + [0.2] * 4 + [0.31] * 4)
    high, low = torch.choose_qparams_optimized(x, 16, 20, 0.9, 1)
    assert 0 <= low.item() < high.item() < 0.31
    with pytest.raises(RuntimeError, match="numel is out of the bound of input tensor"):
        torch.choose_qparams_optimized(x, 17, 20, 0.9, 1)
