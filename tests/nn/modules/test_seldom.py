"""Layers and functions that few programs use."""

import re

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn import functional as F
from minitorch.nn.attention import SDPBackend, sdpa_kernel


def test_a_sync_batch_norm_is_a_batch_norm_where_there_is_one_process():
    plain = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    x = torch.randn(4, 2)
    expected = plain(x)
    synced = nn.SyncBatchNorm.convert_sync_batchnorm(plain)
    assert type(synced[1]) is nn.SyncBatchNorm
    assert synced[0] is plain[0]
    assert torch.equal(synced(x), expected)
    with pytest.raises(ValueError, match="expected at least 2D input"):
        synced[1](torch.zeros(3))


def test_channels_are_divided_by_their_neighbours():
    x = torch.tensor([1.0, 2.0, 3.0]).view(1, 3, 1)
    out = F.local_response_norm(x, 3, alpha=3.0, beta=1.0, k=0.0)
    assert out.flatten().tolist() == pytest.approx([1 / 5, 2 / 14, 3 / 13])
    out = nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0, k=0.0)(x.view(1, 3, 1, 1))
    assert out.flatten().tolist()[:2] == pytest.approx([1 / 5, 2 / 14])


def test_bilinear_maps_take_two_inputs():
    layer = nn.Bilinear(3, 4, 5).double()
    x, y = (torch.randn(2, 6, n, dtype=torch.float64, requires_grad=True) for n in (3, 4))
    expected = torch.einsum("abi,oij,abj->abo", x, layer.weight, y) + layer.bias
    assert torch.allclose(layer(x, y), expected)
    torch.autograd.gradcheck(lambda x, y: F.bilinear(x, y, layer.weight), (x, y))
    with pytest.raises(RuntimeError, match="input2 size does not match weight size"):
        layer(x, x)


def test_choices_with_noise_are_chances_or_one_of_all():
    x = torch.zeros(5, 4, requires_grad=True)
    assert F.gumbel_softmax(x).sum(1).tolist() == pytest.approx([1] * 5)
    hard = F.gumbel_softmax(x, hard=True)
    assert hard.sum(1).tolist() == pytest.approx([1] * 5)
    hard[0, 0].backward()
    assert x.grad[0].any()


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_gradients_of_convolutions_by_sizes_are_those_of_autograd(axes):
    x = torch.randn((1, 2, *[5] * axes), requires_grad=True)
    w = torch.randn((4, 1, *[3] * axes), requires_grad=True)
    y = getattr(F, f"conv{axes}d")(x, w, stride=2, padding=1, groups=2)
    grad = torch.randn(y.shape)
    y.backward(grad)
    options = {"stride": 2, "padding": 1, "groups": 2}
    to_input, to_weight = (
        getattr(torch.nn.grad, f"conv{axes}d_{each}") for each in ("input", "weight")
    )
    assert torch.equal(to_input(x.shape, w.detach(), grad, **options), x.grad)
    assert torch.equal(to_weight(x.detach(), w.shape, grad, **options), w.grad)


def test_the_way_of_attention_can_be_chosen():
    q = torch.randn(1, 2, 3, 4, requires_grad=True)
    fused = F.scaled_dot_product_attention(q, q, q)
    with sdpa_kernel(SDPBackend.MATH):
        stepwise = F.scaled_dot_product_attention(q, q, q)
        assert not torch.backends.cuda.flash_sdp_enabled()
    assert torch.allclose(fused, stepwise, atol=1e-6)
    assert fused.grad_fn.name() != stepwise.grad_fn.name()
    assert torch.backends.cuda.flash_sdp_enabled()
    with (
        sdpa_kernel([]),
        pytest.raises(RuntimeError, match="No viable backend"),
    ):
        F.scaled_dot_product_attention(q, q, q)


def test_what_is_not_there_says_so():
    with pytest.raises(NotImplementedError, match=r"nn\.quantized\.modules\.linear\.Linear is not"):
        nn.quantized.Linear(2, 3)


def test_modules_of_old_warn():
    with pytest.warns(FutureWarning, match="Container"):
        nn.Container(a=nn.ReLU())
    with pytest.warns(FutureWarning, match="NLLLoss2d"):
        nn.NLLLoss2d()


def test_slopes_are_drawn_while_training():
    x = torch.tensor([-1.0, -2.0, 3.0], requires_grad=True)
    assert F.rrelu(x, 0.1, 0.3).tolist() == pytest.approx([-0.2, -0.4, 3])
    out = nn.RReLU(0.1, 0.3)(x)
    out.sum().backward()
    slopes = x.grad.tolist()
    assert slopes[2] == 1
    assert all(0.1 <= slope < 0.3 for slope in slopes[:2])
    assert out.tolist() == pytest.approx([-slopes[0], -2 * slopes[1], 3])
    z = x * 1
    assert F.rrelu(z, inplace=True) is z
    with pytest.raises(RuntimeError, match="Lower bound should be less than or equal"):
        F.rrelu(x, 0.5, 0.2)


@pytest.mark.parametrize(("old", "new"), [("min_value", "min_val"), ("max_value", "max_val")])
def test_old_names_of_the_bounds_of_Hardtanh_warn_and_work(old, new):
    message = f"keyword argument `{old}` is deprecated and renamed to `{new}`"
    with pytest.warns(FutureWarning, match=re.escape(message)):
        module = torch.nn.Hardtanh(**{old: 0.5 if old == "max_value" else -0.5})
    assert getattr(module, new) == (0.5 if old == "max_value" else -0.5)
