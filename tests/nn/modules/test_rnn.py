"""Recurrent layers and cells as modules: parameters, state, checks, copies."""

import copy
import pickle
from pathlib import Path

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn.utils.rnn import pack_sequence

LAYERS = (nn.RNN, nn.LSTM, nn.GRU)


def names(layer):
    return [name for name, _ in layer.named_parameters()]


def test_parameters_have_torchs_names_and_shapes():
    layer = nn.LSTM(2, 4, num_layers=2, bidirectional=True, proj_size=3)
    assert names(layer)[:5] == [
        "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_hr_l0",
    ]  # fmt: skip
    assert names(layer)[-1] == "weight_hr_l1_reverse"
    assert layer.weight_ih_l1.shape == (16, 6)
    assert layer.weight_hh_l1_reverse.shape == (16, 3)
    assert [len(group) for group in layer.all_weights] == [5] * 4
    assert names(nn.GRU(2, 3, bias=False)) == ["weight_ih_l0", "weight_hh_l0"]


def test_parameters_are_drawn_in_order_within_the_root_of_the_hidden_size():
    torch.manual_seed(3)
    layer = nn.GRU(2, 4)
    torch.manual_seed(3)
    expected = torch.empty(12, 2).uniform_(-0.5, 0.5)
    assert torch.equal(layer.weight_ih_l0, expected)


@pytest.mark.parametrize("kind", LAYERS)
def test_a_sequence_alone_is_a_batch_of_one(kind):
    layer = kind(2, 3, num_layers=2, bidirectional=True)
    x = torch.randn(4, 2)
    alone, batch = layer(x)[0], layer(x[:, None])[0]
    assert alone.shape == (4, 6)
    assert torch.equal(alone, batch[:, 0])


@pytest.mark.parametrize("kind", LAYERS)
def test_the_batch_may_come_first(kind):
    torch.manual_seed(0)
    layer = kind(2, 3)
    torch.manual_seed(0)
    first = kind(2, 3, batch_first=True)
    x = torch.randn(4, 5, 2)
    assert torch.equal(layer(x)[0], first(x.transpose(0, 1))[0].transpose(0, 1))


@pytest.mark.parametrize("kind", LAYERS)
def test_the_state_goes_on_where_it_ended(kind):
    layer = kind(2, 3)
    x = torch.randn(6, 2, 2)
    whole = layer(x)[0]
    start, state = layer(x[:2])
    rest, _ = layer(x[2:], state)
    assert torch.allclose(whole, torch.cat([start, rest]), atol=1e-6)


@pytest.mark.parametrize("kind", LAYERS)
def test_packed_sequences_come_back_in_their_order(kind):
    layer = kind(2, 3)
    sequences = [torch.randn(n, 2) for n in (1, 3, 2)]
    output, state = layer(pack_sequence(sequences, enforce_sorted=False))
    h = state[0] if kind is nn.LSTM else state
    assert output.batch_sizes.tolist() == [3, 2, 1]
    for i, each in enumerate(sequences):
        assert torch.allclose(h[0, i], layer(each)[0][-1], atol=1e-6)
    again, _ = layer(pack_sequence(sequences, enforce_sorted=False), state)
    assert again.data.shape == (6, 3)


def test_dropout_is_between_layers_and_while_training():
    layer = nn.GRU(2, 3, num_layers=2, dropout=1.0)
    x = torch.randn(4, 1, 2)
    inner = nn.GRU(3, 3)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(inner, f"{name}_l0", getattr(layer, f"{name}_l1"))
    assert torch.equal(layer(x)[0], inner(torch.zeros(4, 1, 3))[0])
    layer.eval()
    assert not torch.equal(layer(x)[0], inner(torch.zeros(4, 1, 3))[0])


def test_weights_that_are_set_are_used():
    layer = nn.RNN(3, 3)
    layer.weight_hh_l0 = layer.weight_ih_l0
    assert layer._flat_weights[1] is layer.weight_ih_l0
    assert len(names(layer)) == 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_whole(copied):
    layer = nn.LSTM(2, 3, num_layers=2, dropout=0.1)
    other = copied(layer)
    assert repr(other) == repr(layer)
    assert all(a is b for a, b in zip(other._flat_weights, other.parameters(), strict=True))
    assert other._flat_weights[0] is not layer._flat_weights[0]
    other.double()
    assert other(torch.ones(1, 1, 2).double())[0].dtype is torch.float64


def test_a_state_from_before_projections_is_completed():
    layer = nn.LSTM(2, 3, bias=False, bidirectional=True)
    state = layer.__getstate__()
    del state["proj_size"]
    state["_all_weights"] = [[layer.weight_ih_l0]]
    other = nn.LSTM.__new__(nn.LSTM)
    other.__setstate__(state)
    assert other.proj_size == 0
    assert other._flat_weights_names == names(layer)


def test_functional_call_runs_other_weights():
    layer = nn.RNN(2, 3, nonlinearity="relu")
    zeros = {name: torch.zeros_like(p) for name, p in layer.named_parameters()}
    y, _ = torch.func.functional_call(layer, zeros, (torch.ones(2, 1, 2),))
    assert not y.any()
    assert layer(torch.ones(2, 1, 2))[0].any()


def test_dropout_without_a_layer_to_follow_is_noticed():
    with pytest.warns(
        UserWarning, match="non-zero dropout expects num_layers greater than 1"
    ) as seen:
        nn.LSTM(2, 3, dropout=0.5)
    assert Path(seen[0].filename).name == "rnn.py"  # as torch, whose base class is called there


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.LSTMCell, nn.GRUCell])
def test_cells_take_one_sample_or_a_batch(kind):
    cell = kind(2, 3, bias=False)
    x = torch.randn(4, 2)
    state, alone = cell(x), cell(x[1])
    if kind is nn.LSTMCell:
        state, alone = cell(x, state)[1], cell(x[1], alone)[1]
    assert torch.allclose(state[1], alone, atol=1e-6)
    assert cell.bias_ih is None


REFUSED = {
    "nn.RNN(2, 3, nonlinearity='x')": ("Unknown nonlinearity 'x'. Select from 'tanh' or 'relu'."),
    "nn.GRU(2, 3, proj_size=1)": ("proj_size argument is only supported for LSTM, not RNN or GRU"),
    "nn.LSTM(2, 3, proj_size=3)": "proj_size has to be smaller than hidden_size",
    "nn.LSTM(2, 3, bias=1)": "bias should be of type bool, got: int",
    "nn.LSTM(2, 0)": "hidden_size must be greater than zero",
    "nn.RNNBase('A', 2, 3)": "Unrecognized RNN mode: A",
    "nn.RNN(2, 3)(x[0, 0])": "RNN: Expected input to be 2D or 3D, got 1D tensor instead",
    "nn.GRU(2, 3)(x[0, 0])": "GRU: Expected input to be 2D or 3D, got 1D instead",
    "nn.GRU(3, 3)(x)": "input.size(-1) must be equal to input_size. Expected 3, got 2",
    "nn.GRU(2, 3)(x.double())": (
        "RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert "
        "input: input.to(torch.float32), or convert model: model.to(torch.float64)"
    ),
    "nn.GRU(2, 3)(x, x[0])": ("For batched 3-D input, hx should also be 3-D but got 2-D tensor"),
    "nn.GRU(2, 3)(x, x)": "Expected hidden size (1, 1, 3), got [2, 1, 2]",
    "nn.LSTM(2, 3)(x, (x[0], x))": (
        "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 3-D) tensors"
    ),
    "nn.LSTM(2, 3)(x, (x[:1, :, :1].expand(1, 1, 3), x))": (
        "Expected hidden[1] size (1, 1, 3), got [2, 1, 2]"
    ),
    "nn.RNNCell(2, 3)(x)": "RNNCell: Expected input to be 1D or 2D, got 3D instead",
    "nn.LSTMCell(2, 3)(x[0], (x, x))": ("LSTMCell: Expected hx[0] to be 1D or 2D, got 3D instead"),
    "nn.RNNCell(2, 3, nonlinearity='x')(x[0])": "Unknown nonlinearity: x",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused(source):
    with pytest.raises((ValueError, TypeError, RuntimeError)) as caught:
        eval(source, {"nn": nn, "x": torch.ones(2, 1, 2)})
    assert str(caught.value) == REFUSED[source]
