"""einops, which finds its backend by the name of the module: torch."""

import copy
import pickle

import pytest

import minitorch as torch

einops = pytest.importorskip("einops", reason="einops is not installed")


def x():
    return torch.arange(24.0).reshape(2, 3, 4).requires_grad_()


def test_einops_takes_tensors_for_those_of_torch():
    from einops._backends import get_backend

    assert get_backend(x()).torch is torch


def test_rearranged_tensors_keep_their_history():
    t = einops.rearrange(x(), "a b c -> b (a c)")
    assert torch.equal(t, x().permute(1, 0, 2).reshape(3, 8))
    assert t.grad_fn.name() == "UnsafeViewBackward0"
    assert einops.rearrange([x(), x()], "n a b c -> a (n b) c").shape == (2, 6, 4)
    assert einops.rearrange(x(), "a (b1 b2) c -> a b1 b2 c", b1=3).shape == (2, 3, 1, 4)


@pytest.mark.parametrize("reduction", ["min", "max", "sum", "mean", "prod"])
def test_reductions_are_those_of_the_tensor(reduction):
    own = {"min": "amin", "max": "amax"}.get(reduction, reduction)
    t = x()
    found = einops.reduce(t, "a b c -> a c", reduction)
    assert torch.equal(found, getattr(t, own)(dim=1))
    found.sum().backward()
    assert t.grad.shape == t.shape


def test_means_of_integers_are_refused():
    with pytest.raises(NotImplementedError, match="not available for non-floating tensors"):
        einops.reduce(torch.arange(4), "a -> ", "mean")


def test_repeats_einsums_and_packs():
    t = x()
    assert torch.equal(einops.repeat(t, "a b c -> a b c r", r=2), torch.stack([t, t], -1))
    pairs = einops.einsum(t, t, "a b c, a d c -> a b d")
    assert torch.equal(pairs, torch.einsum("abc,adc->abd", t, t))
    packed, shapes = einops.pack([t, t[:, 0]], "a * c")
    assert torch.equal(packed, torch.cat([t, t[:, :1]], 1))
    first, second = einops.unpack(packed, shapes, "a * c")
    assert torch.equal(first, t)
    assert torch.equal(second, t[:, 0])


def test_layers_are_modules_that_learn():
    from einops.layers.torch import EinMix, Rearrange, Reduce

    net = torch.nn.Sequential(
        EinMix("a b c -> a c d", weight_shape="b d", bias_shape="d", b=3, d=2),
        Reduce("a c d -> a d", "mean"),
        Rearrange("a d -> (a d)"),
    )
    assert list(net.state_dict()) == ["0.weight", "0.bias"]
    assert repr(net[2]) == "Rearrange('a d -> (a d)')"
    net(x()).sum().backward()
    assert all(p.grad is not None and p.grad.shape == p.shape for p in net.parameters())
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert torch.equal(twin(x()), net(x()))
