"""Attention of several heads, and the transformers made of it."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.core import warning


@pytest.fixture
def x():
    torch.manual_seed(0)
    return torch.randn(2, 5, 8)


def test_shares_add_up_to_one_and_heads_are_averaged(x):
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    out, shares = attention(x, x, x)
    assert out.shape == (2, 5, 8)
    assert torch.allclose(shares.sum(-1), torch.ones(2, 5))
    every = attention(x, x, x, average_attn_weights=False)[1]
    assert torch.allclose(every.mean(1), shares)


def test_weights_that_nobody_asks_for_change_nothing(x):
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    with_, without = attention(x, x, x)[0], attention(x, x, x, need_weights=False)[0]
    assert torch.allclose(with_, without, atol=1e-6)


def test_what_is_masked_gets_no_share(x):
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    padding = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]).bool()
    shares = attention(x, x, x, key_padding_mask=padding)[1]
    assert shares[0, :, 3:].abs().sum().item() == 0
    causal = nn.Transformer.generate_square_subsequent_mask(5)
    shares = attention(x, x, x, attn_mask=causal)[1]
    assert shares.triu(1).abs().sum().item() == 0


def test_one_sequence_needs_no_batch(x):
    attention = nn.MultiheadAttention(8, 2)
    alone = attention(x[0], x[0], x[0])[0]
    batch = x[:1].transpose(0, 1)
    assert torch.allclose(alone, attention(batch, batch, batch)[0][:, 0], atol=1e-6)


def test_keys_and_values_may_have_sizes_of_their_own(x):
    attention = nn.MultiheadAttention(8, 2, kdim=3, vdim=4, add_bias_kv=True, add_zero_attn=True)
    out, shares = attention(x, torch.randn(2, 5, 3), torch.randn(2, 5, 4))
    assert out.shape == (2, 5, 8)
    assert shares.shape == (5, 2, 4)


def test_a_transformer_trains(x):
    torch.manual_seed(1)
    net = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
    target = torch.randn(2, 3, 8)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = (net(x, target) - 1).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert all(p.grad is not None for p in net.parameters())


def test_padding_comes_out_as_zeros_where_torch_leaves_it_out(x, monkeypatch):
    monkeypatch.setattr(warning, "_given", set())  # warnings that came once are due again
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 1).eval()
    padding = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]).bool()
    with (
        torch.no_grad(),
        pytest.warns(UserWarning, match="PyTorch API of nested tensors is in prototype stage"),
    ):
        assert encoder(x, src_key_padding_mask=padding)[0, 3:].abs().sum().item() == 0
    assert encoder(x, src_key_padding_mask=padding)[0, 3:].abs().sum().item() != 0


def test_layers_are_copies_and_activations_have_names():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2)
    first, second = encoder.layers
    assert first.linear1.weight is not second.linear1.weight
    assert torch.equal(first.linear1.weight, second.linear1.weight)
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not tanh"):
        nn.TransformerDecoderLayer(4, 2, activation="tanh")
    with pytest.warns(UserWarning, match="self_attn.batch_first was not True"):
        nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1)


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (((1, 2, 3, 8), (5, 2, 8)), "query should be unbatched 2D or batched 3D tensor"),
        (((5, 2, 8), (5, 8)), "expected `key` and `value` to be 3-D but found 2-D"),
        (((5, 2, 4), (5, 2, 4)), "was expecting embedding dimension of 8, but got 4"),
    ],
)
def test_shapes_that_do_not_go_together_are_refused(shapes, text):
    query, key = (torch.ones(shape) for shape in shapes)
    with pytest.raises(AssertionError, match=text):
        nn.MultiheadAttention(8, 2)(query, key, key)
