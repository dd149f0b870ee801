"""torch.nn.init: bounds, draws in torch's order, and what layers start from."""

import math

import pytest

import minitorch as torch
from minitorch import nn


def drawn(fill, *shape):
    torch.manual_seed(3)
    return fill(torch.empty(*shape))


def test_a_linear_layer_starts_from_torchs_own_numbers():
    torch.manual_seed(0)
    layer = nn.Linear(2, 3)
    # What real torch prints after manual_seed(0).
    expected = [
        [-0.005293981172144413, 0.37932288646698],
        [-0.5819807648658752, -0.5203874707221985],
        [-0.27234524488449097, 0.18961589038372040],
    ]
    assert layer.weight.tolist() == torch.tensor(expected).tolist()


def test_weights_are_drawn_before_biases():
    torch.manual_seed(0)
    layer = nn.Linear(3, 4)
    torch.manual_seed(0)
    bound = math.sqrt(3.0) * (math.sqrt(2.0 / 6) / math.sqrt(3))
    weight = torch.empty(4, 3).uniform_(-bound, bound)
    bias = torch.empty(4).uniform_(-1 / math.sqrt(3), 1 / math.sqrt(3))
    assert torch.equal(layer.weight, weight)
    assert torch.equal(layer.bias, bias)


@pytest.mark.parametrize(
    ("nonlinearity", "gain"),
    [("linear", 1), ("tanh", 5 / 3), ("relu", math.sqrt(2)), ("selu", 0.75)],
)
def test_gains(nonlinearity, gain):
    assert nn.init.calculate_gain(nonlinearity) == gain


def test_an_unknown_nonlinearity_is_refused():
    with pytest.raises(ValueError, match="Unsupported nonlinearity swish"):
        nn.init.calculate_gain("swish")


def test_xavier_and_kaiming_respect_their_bounds():
    weight = drawn(nn.init.xavier_uniform_, 20, 30)
    assert weight.abs().max().item() <= math.sqrt(6 / 50)
    weight = drawn(nn.init.kaiming_uniform_, 20, 30)
    assert weight.abs().max().item() <= math.sqrt(6 / 30)


def test_fans_count_the_kernel():
    fans = nn.init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 2, 5))
    assert fans == (30, 40)
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        nn.init.xavier_uniform_(torch.empty(3))


def test_truncated_draws_lie_within():
    x = drawn(lambda t: nn.init.trunc_normal_(t, 0.0, 1.0, -1.0, 0.5), 200)
    assert -1.0 <= x.min().item() < x.max().item() <= 0.5


def test_draws_truncated_to_a_tail_lie_within_after_a_warning():
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        x = drawn(lambda t: nn.init.trunc_normal_(t, 0.0, 1.0, 3.0, 4.0), 200)
    assert 3.0 <= x.min().item() < x.max().item() <= 4.0


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 2, 2)])
def test_orthogonal_rows_or_columns(shape):
    x = drawn(nn.init.orthogonal_, *shape).reshape(shape[0], -1).double()
    if x.shape[0] > x.shape[1]:
        x = x.t()
    assert ((x @ x.t()) - torch.eye(x.shape[0]).double()).abs().max().item() < 1e-6


def test_sparse_zeroes_a_fraction_of_each_column():
    x = drawn(lambda t: nn.init.sparse_(t, 0.3), 10, 4)
    assert (x == 0).sum(0).tolist() == [3, 3, 3, 3]


def test_identity_and_dirac():
    assert nn.init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    x = nn.init.dirac_(torch.empty(2, 2, 3))
    assert x[0, 0].tolist() == [0, 1, 0]
    assert x.sum().item() == 2


def test_a_tensor_without_elements_is_left_with_a_warning():
    with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
        nn.init.kaiming_uniform_(torch.empty(3, 0))


def test_an_embeddings_padding_row_is_zero():
    assert nn.Embedding(4, 3, padding_idx=-1).weight[3].tolist() == [0, 0, 0]
