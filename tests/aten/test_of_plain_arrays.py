"""Functions made of many operators, computed at once for plain tensors: the same numbers."""

import warnings
from itertools import product

import pytest

import minitorch as torch
from minitorch.aten.layers import padding
from minitorch.aten.losses import distances
from minitorch.aten.reduction import quantiles


def alike(module, call, monkeypatch):
    """Whether a call gives the same for plain tensors as by way of operators."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = call()
        with monkeypatch.context() as patched:
            patched.setattr(module, "are_plain", lambda *tensors: False)
            expected = call()
    assert found.stride() == expected.stride()
    assert found._version == expected._version
    assert found.dtype is expected.dtype
    return found.shape == expected.shape and (found.numpy().tobytes() == expected.numpy().tobytes())


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_of_plain_tensors_are_those_by_operators(name, interpolation, monkeypatch):
    torch.manual_seed(0)
    function = getattr(torch, name)
    for shape, dim, keepdim in product([(5,), (2, 1, 3), (4, 5)], [None, 0, -1], [False, True]):
        x = torch.randn(shape)
        x.view(-1)[1] = torch.inf
        for missing, q in product([False, True], [0.3, torch.tensor([0.1, 0.5, 1.0])]):
            if missing:
                x.view(-1)[0] = torch.nan
            given = (x, q, dim, keepdim)
            call = lambda given=given: function(*given, interpolation=interpolation)
            assert alike(quantiles, call, monkeypatch)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_similarities_of_plain_tensors_are_those_by_operators(dtype, monkeypatch):
    torch.manual_seed(0)
    for first, second in [((5, 2), (5, 2)), ((3, 1, 40), (4, 40)), ((4,), (4,)), ((0, 3), (0, 3))]:
        a, b = torch.randn(first, dtype=dtype), torch.randn(second, dtype=dtype)
        a[..., :1] = 0
        for dim, eps in product((0, -1), (1e-8, 0, 0.5)):
            call = lambda a=a, b=b, dim=dim, eps=eps: torch.cosine_similarity(a, b, dim, eps)
            assert alike(distances, call, monkeypatch)


def test_circular_padding_of_plain_tensors_is_that_by_operators(monkeypatch):
    x = torch.arange(24.0).view(1, 2, 3, 4)
    for pad in product(range(3), repeat=4):
        call = lambda pad=pad: torch.nn.functional.pad(x, pad, "circular")
        assert alike(padding, call, monkeypatch)


def test_plain_tensors_with_a_history_are_recorded():
    x = torch.randn(3, 4, requires_grad=True)
    assert torch.quantile(x, 0.5).grad_fn is not None
    assert torch.cosine_similarity(x, x).grad_fn is not None
    assert torch.nn.functional.pad(x, (1, 1), "circular").grad_fn is not None
    with torch.no_grad():
        assert torch.quantile(x, 0.5).grad_fn is None
