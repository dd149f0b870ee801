"""Fake quantization whose grid is learned: gradients of the grid, averages of ranges, refusals."""

import pytest

import minitorch as torch
from minitorch.aten.layers.learned_quantization import grid_of_ranges, single


def test_numbers_outside_of_a_learned_grid_move_its_scale_by_the_distance_of_its_end():
    x = torch.tensor([-10.0, 0.26, 10.0], requires_grad=True)
    scale = torch.tensor([0.5], requires_grad=True)
    zero = torch.tensor([1.0], requires_grad=True)
    y = torch._fake_quantize_learnable_per_tensor_affine(x, scale, zero, -4, 7)
    assert y.tolist() == [-2.5, 0.5, 3.0]
    y.sum().backward()
    assert x.grad.tolist() == [0, 1, 0]
    assert scale.grad.tolist() == pytest.approx([-5 + 6 + (0.5 - 0.26) / 0.5])
    assert zero.grad.tolist() == [-1]


def test_a_learned_grid_of_channels_has_gradients_for_each():
    x = torch.tensor([[-10.0, 0.0], [0.0, 10.0]], requires_grad=True)
    scale = torch.tensor([0.5, 1.0], requires_grad=True)
    zero = torch.tensor([0.0, 0.0], requires_grad=True)
    y = torch._fake_quantize_learnable_per_channel_affine(x, scale, zero, 0, -4, 7)
    y.sum().backward()
    assert scale.grad.tolist() == [-4, 7]
    assert zero.grad.tolist() == [-0.5, -1]


def test_learned_grids_have_gradients_of_float32_alone():
    scale = torch.tensor([0.5], requires_grad=True)
    y = torch._fake_quantize_learnable_per_tensor_affine(
        torch.ones(2, dtype=torch.float64), scale, torch.zeros(1), -4, 7
    )
    with pytest.raises(RuntimeError, match="Expected dY_"):
        y.sum().backward()


def test_fused_moving_avg_obs_fake_quant_moves_its_averages_and_its_grid():
    one, x = torch.tensor([1]), torch.tensor([-1.0, 0.3, 3.0], requires_grad=True)
    low, high = torch.tensor(float("inf")), torch.tensor(-float("inf"))
    scale, zero = torch.ones(1), torch.zeros(1, dtype=torch.int32)
    for factor in (1, 2):
        y = torch.fused_moving_avg_obs_fake_quant(
            x * factor, one, one, low, high, scale, zero, 0.5, 0, 255, 0
        )
    assert (low.item(), high.item()) == (-1.5, 4.5)
    assert scale.item() == pytest.approx(6 / 255)
    assert y.grad_fn.name() == "FusedMovingAvgObsFqHelperBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [0, 2, 0]


def test_fused_moving_avg_obs_fake_quant_makes_averages_for_each_channel():
    one = torch.tensor([1])
    low, high = torch.tensor([]), torch.tensor([])
    scale, zero = torch.ones(1), torch.zeros(1, dtype=torch.int32)
    x = torch.tensor([[-1.0, 3.0], [2.0, 4.0]])
    torch.fused_moving_avg_obs_fake_quant(
        x, one, one, low, high, scale, zero, 0.5, -128, 127, 0, True, True
    )
    assert low.tolist() == [-1, 2]
    assert high.tolist() == [3, 4]
    assert scale.tolist() == pytest.approx([3 / 127.5, 4 / 255], rel=1e-2)


def test_fused_moving_avg_obs_fake_quant_refuses_channels_of_other_dimensions():
    one, x = torch.tensor([1]), torch.ones(2, 2)
    state = (torch.tensor([]), torch.tensor([]), torch.ones(1), one.int())
    with pytest.raises(RuntimeError, match="only supported on axis == 0"):
        torch.fused_moving_avg_obs_fake_quant(x, one, one, *state, 0.5, 0, 255, 1, True)


def test_a_range_of_one_number_has_zero_in_its_grid():
    scale, zero = grid_of_ranges(single([2, -3, 0]), single([2, -3, 0]), 0, 255, False)
    assert scale.tolist() == pytest.approx([2 / 255, 3 / 255, 0.1])
    assert zero.tolist() == [0, 255, 0]


def test_choose_qparams_per_tensor_is_of_unsigned_bytes():
    scale, zero = torch._choose_qparams_per_tensor(torch.tensor([-1.0, 3.0]))
    assert scale == pytest.approx(4 / 255)
    assert zero == 64
