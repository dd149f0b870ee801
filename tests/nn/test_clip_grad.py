"""Clipping gradients, and parameters as one vector."""

import pytest

import minitorch as torch
from minitorch import nn


def with_grad(*values):
    param = nn.Parameter(torch.zeros(len(values)))
    param.grad = torch.tensor(values)
    return param


def test_long_gradients_are_scaled_to_the_norm_and_short_ones_kept():
    long, short = with_grad(3.0, 4.0), with_grad(0.3, 0.4)
    assert nn.utils.clip_grad_norm_([long], 1.0).item() == 5.0
    assert long.grad.tolist() == pytest.approx([0.6, 0.8], abs=1e-6)
    nn.utils.clip_grad_norm_(short, 1.0)
    assert short.grad.tolist() == torch.tensor([0.3, 0.4]).tolist()


def test_the_norm_is_taken_over_all_parameters():
    params = [with_grad(3.0), with_grad(4.0), nn.Parameter(torch.zeros(1))]
    assert nn.utils.clip_grad_norm_(params, 100.0).item() == 5.0


def test_a_norm_that_is_not_finite_can_be_refused():
    param = with_grad(float("inf"))
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        nn.utils.clip_grad_norm_(param, 1.0, error_if_nonfinite=True)


def test_values_are_clipped_one_by_one():
    param = with_grad(-3.0, 0.5, 2.0)
    nn.utils.clip_grad_value_(param, 1.0)
    assert param.grad.tolist() == [-1.0, 0.5, 1.0]


def test_parameters_go_into_a_vector_and_back():
    layer = nn.Linear(2, 2)
    vector = nn.utils.parameters_to_vector(layer.parameters())
    assert vector.shape == (6,)
    nn.utils.vector_to_parameters(torch.arange(6.0), layer.parameters())
    assert layer.weight.tolist() == [[0, 1], [2, 3]]
    assert layer.bias.tolist() == [4, 5]
