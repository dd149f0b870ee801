"""Averages of models, and the optimizers Adafactor and SparseAdam."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.optim import swa_utils


def model_of(value):
    model = nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(value)
    return model


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 3.0),
        ({"avg_fn": swa_utils.get_swa_avg_fn()}, 3.0),
        ({"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}, 3.0),
        ({"avg_fn": swa_utils.get_ema_avg_fn(0.5)}, 3.75),
        ({"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)}, 3.75),
    ],
)
def test_an_average_begins_as_the_first_model(options, expected):
    average = swa_utils.AveragedModel(model_of(7.0), **options)
    for value in (1.0, 2.0, 6.0):
        average.update_parameters(model_of(value))
    assert average.module.weight.item() == pytest.approx(expected)
    assert average.n_averaged == 3


def test_buffers_are_copied_or_averaged():
    norms = [nn.BatchNorm1d(1) for _ in range(2)]
    for norm, value in zip(norms, (1.0, 3.0)):
        norm.running_mean.fill_(value)
    for use_buffers, expected in ((False, 3.0), (True, 2.0)):
        average = swa_utils.AveragedModel(norms[0], use_buffers=use_buffers)
        for norm in norms:
            average.update_parameters(norm)
        assert average.module.running_mean.item() == expected


def test_running_statistics_are_made_anew():
    norm = nn.BatchNorm1d(1).eval()
    norm.running_mean.fill_(9.0)
    swa_utils.update_bn([torch.tensor([[1.0], [2.0]]), (torch.tensor([[5.0], [6.0]]), 0)], norm)
    assert norm.running_mean.item() == pytest.approx(3.5)
    assert norm.momentum == 0.1
    assert not norm.training


def test_the_rate_goes_over_to_that_of_the_average():
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    scheduler = swa_utils.SWALR(optimizer, 0.2, anneal_epochs=4, anneal_strategy="linear")
    rates = []
    for _ in range(6):
        optimizer.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    assert rates == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.2, 0.2])
    assert "anneal_func" not in scheduler.state_dict()
    with pytest.raises(ValueError, match="anneal_strategy must be one of"):
        swa_utils.SWALR(optimizer, 0.2, anneal_strategy="cubic")


def test_adafactor_keeps_rows_and_columns_of_matrices():
    layer = nn.Linear(3, 2)
    optimizer = torch.optim.Adafactor(layer.parameters(), lr=0.1)
    first = None
    for _ in range(50):
        optimizer.zero_grad()
        loss = (layer(torch.eye(3)) - 1).square().sum()
        first = loss.item() if first is None else first
        loss.backward()
        optimizer.step()
    assert loss.item() < first / 2
    assert optimizer.state[layer.weight]["row_var"].shape == (2, 1)
    assert optimizer.state[layer.weight]["col_var"].shape == (1, 3)
    assert optimizer.state[layer.bias]["variance"].shape == (2,)


def test_sparse_adam_refuses_dense_gradients():
    parameter = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SparseAdam([parameter])
    optimizer.step()
    parameter.grad = torch.ones(2)
    with pytest.raises(RuntimeError, match="does not support dense gradients"):
        optimizer.step()


def test_an_optimizer_steps_other_parameters_for_a_while():
    mine, other = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([mine], lr=1.0, momentum=0.5)
    mine.grad = other.grad = torch.ones(2)
    optimizer.step()
    swap = torch.optim.swap_in_optimizer_params_and_state
    with swap(optimizer, {"other": other}, optimizer.state_dict()):
        optimizer.step()
    assert mine.tolist() == [0, 0]
    assert other.tolist() == [-1.5, -1.5]
    with (
        pytest.raises(RuntimeError, match="match optimizer\\.param_groups"),
        swap(optimizer, {}, optimizer.state_dict()),
    ):
        pass
