"""FakeQuantize: rounding in training, its switches and its states."""

import pytest

import minitorch as torch
from minitorch.ao import quantization
from minitorch.ao.quantization._learnable_fake_quantize import _LearnableFakeQuantize


def test_FakeQuantize_observes_and_then_rounds():
    m = quantization.FakeQuantize(quant_min=0, quant_max=3)
    x = torch.tensor([0.0, 1.1, 3.0], requires_grad=True)
    y = m(x)
    assert y.tolist() == [0, 1, 3]
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_switches_reach_every_FakeQuantize_of_a_model():
    m = torch.nn.Sequential(quantization.FakeQuantize(quant_min=0, quant_max=3))
    m(torch.tensor([0.0, 3.0]))
    m.apply(quantization.disable_observer)
    assert m(torch.tensor([9.2])).tolist() == [3]
    m.apply(quantization.disable_fake_quant)
    assert m(torch.tensor([1.25])).tolist() == [1.25]
    m.apply(quantization.enable_fake_quant)
    m.apply(quantization.enable_observer)
    assert m[0].observer_enabled.item() == m[0].fake_quant_enabled.item() == 1


def test_a_state_of_channels_loads_into_a_fresh_FakeQuantize():
    a = quantization.default_per_channel_weight_fake_quant()
    a(torch.tensor([[1.0], [2.0]]))
    b = quantization.default_per_channel_weight_fake_quant()
    b.load_state_dict(a.state_dict())
    assert b.scale.tolist() == a.scale.tolist()
    assert b.scale.shape == (2,)


def test_FakeQuantize_refuses_ends_out_of_the_range_of_the_dtype():
    with pytest.raises(AssertionError, match="quant_max out of bound"):
        quantization.FakeQuantize(quant_min=0, quant_max=256)


def test_FixedQParamsFakeQuantize_has_the_grid_of_its_observer():
    m = quantization.default_symmetric_fixed_qparams_fake_quant()
    assert m(torch.tensor([0.5, 7.0])).tolist() == [0.5, 127 / 128]
    with pytest.raises(AssertionError, match="observer must be a FixedQParamsObserver"):
        quantization.FixedQParamsFakeQuantize(quantization.default_observer)


def test_FusedMovingAvgObsFakeQuantize_gives_what_FakeQuantize_gives():
    torch.manual_seed(0)
    fused = quantization.default_fused_act_fake_quant()
    plain = quantization.FakeQuantize(quant_min=0, quant_max=255)
    for _ in range(3):
        x = torch.randn(4, 4)
        assert torch.allclose(fused(x), plain(x), atol=0.02)
    with pytest.raises(AssertionError, match="only works with MovingAverageMinMaxObserver"):
        quantization.FusedMovingAvgObsFakeQuantize(quantization.MinMaxObserver)


def test_LearnableFakeQuantize_learns_its_scale():
    observer = quantization.MovingAverageMinMaxObserver
    m = _LearnableFakeQuantize(observer, quant_min=0, quant_max=15).enable_param_learning()
    x = torch.tensor([0.4, 3.0], requires_grad=True)
    (m(x) - x).pow(2).sum().backward()
    assert m.scale.grad is not None
    assert m.calculate_qparams()[1].dtype is torch.int64
