"""Observers: what they keep of tensors, and the scales that they find."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.ao.quantization import observer, utils


def test_MinMaxObserver_keeps_the_range_of_all_tensors():
    m = observer.MinMaxObserver()
    x = torch.tensor([[1.0, -2.0], [3.0, 0.0]], requires_grad=True)
    assert m(x) is x
    m(torch.tensor([0.0, 5.0]))
    assert m.min_val.item() == -2
    assert m.max_val.item() == 5
    scale, zero_point = m.calculate_qparams()
    assert scale.tolist() == pytest.approx([7 / 255])
    assert zero_point.tolist() == [73]


def test_MinMaxObserver_warns_before_it_has_seen_numbers():
    with pytest.warns(UserWarning, match="must run observer before"):
        scale, zero_point = observer.MinMaxObserver().calculate_qparams()
    assert scale.tolist() == [1.0]
    assert zero_point.tolist() == [0]


def test_a_symmetric_scheme_has_zero_in_the_middle():
    m = observer.MinMaxObserver(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric)
    m(torch.tensor([-1.0, 3.0]))
    scale, zero_point = m.calculate_qparams()
    assert scale.tolist() == pytest.approx([3 / 127.5])
    assert zero_point.tolist() == [0]


def test_MinMaxObserver_refuses_schemes_of_channels():
    with pytest.raises(NotImplementedError, match="qscheme only support"):
        observer.MinMaxObserver(qscheme=torch.per_channel_affine)


def test_a_range_that_the_user_gives_has_zero_in_it():
    with pytest.raises(AssertionError, match="must include 0"):
        observer.MinMaxObserver(quant_min=1, quant_max=3)


def test_MovingAverageMinMaxObserver_moves_by_its_constant():
    m = observer.MovingAverageMinMaxObserver(averaging_constant=0.5)
    m(torch.tensor([-2.0, 2.0]))
    m(torch.tensor([-4.0, 6.0]))
    assert m.min_val.item() == -3
    assert m.max_val.item() == 4


def test_PerChannelMinMaxObserver_keeps_a_range_for_each_channel():
    m = observer.PerChannelMinMaxObserver(ch_axis=1)
    m(torch.tensor([[1.0, -2.0], [3.0, 0.0]]))
    assert m.min_val.tolist() == [1, -2]
    assert m.max_val.tolist() == [3, 0]
    n = observer.PerChannelMinMaxObserver()
    n.load_state_dict(m.state_dict())
    assert n.min_val.tolist() == [1, -2]


def test_HistogramObserver_leaves_out_rare_numbers():
    torch.manual_seed(0)
    m = observer.HistogramObserver()
    m(torch.randn(20000) ** 5)
    scale, _ = m.calculate_qparams()
    assert 0 < scale.item() * 255 < 0.95 * (m.max_val - m.min_val).item()


def test_HistogramObserver_moves_its_counts_into_wider_bins():
    m = observer.HistogramObserver(bins=8)
    m(torch.tensor([0.0, 1.0, 2.0]))
    m(torch.tensor([-4.0, 4.0]))
    assert m.histogram.sum().item() == pytest.approx(5)
    assert (m.min_val.item(), m.max_val.item()) == (-4, 4)


def test_with_args_keeps_arguments_and_with_callable_args_computes_them():
    made = observer.MinMaxObserver.with_args(quant_min=0).with_args(quant_max=7)
    assert made().quant_max == 7
    later = observer.MinMaxObserver.with_callable_args(quant_min=lambda: 0, quant_max=lambda: 9)
    assert later().quant_max == 9
    assert later(quant_max=5).quant_max == 5


def test_load_observer_state_dict_misses_no_observer():
    model = nn.Sequential(nn.Linear(2, 2))
    model[0].activation_post_process = observer.MinMaxObserver()
    state = observer.get_observer_state_dict(model)
    assert all("activation_post_process" in key for key in state)
    observer.load_observer_state_dict(model, state)


def test_get_qparam_dict_names_the_axis_of_channels():
    m = observer.PerChannelMinMaxObserver(qscheme=torch.per_channel_symmetric, dtype=torch.qint8)
    m(torch.ones(2, 2))
    found = utils.get_qparam_dict(m)
    assert found["axis"] == 0
    assert found["qscheme"] is torch.per_channel_affine
    assert utils.get_qparam_dict(observer.PlaceholderObserver())["qscheme"] is None


def test_observers_without_numbers_refuse_to_compute_a_scale():
    with pytest.raises(Exception, match="should not be called for NoopObserver"):
        observer.NoopObserver().calculate_qparams()


def test_get_block_size_follows_the_granularity():
    assert observer.get_block_size((2, 3), observer.PerAxis(0)) == (1, 3)
    assert observer.get_block_size((2, 3), observer.PerToken()) == (1, 3)
    with pytest.raises(AssertionError, match="not subclass of it"):
        observer.get_block_size((2, 3), observer.PerRow)
