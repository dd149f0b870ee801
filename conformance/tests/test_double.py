"""Torch in double: what programs see is a computation without rounding, rounded once."""

import numpy
import pytest
import torch

from conformance.oracle.double import in_double, moved


def single(*shape: int) -> torch.Tensor:
    return torch.from_numpy(numpy.random.default_rng(1).standard_normal(shape).astype("float32"))


def long_way(x: torch.Tensor) -> torch.Tensor:
    """Loses digits in single precision: what remains is a difference of large numbers."""
    return ((x * 1e2 + 1e2) / 3 - 1e2 / 3).exp2().log2().sum(-1)


def test_results_are_those_of_double_precision_rounded_once():
    x = single(5, 7)
    with in_double():
        seen = long_way(x)
    assert seen.dtype == torch.float32
    assert seen.tolist() == long_way(x.double()).float().tolist()
    assert seen.tolist() != long_way(x).tolist()


def test_gradients_are_computed_in_double_too():
    x, wide = single(4).requires_grad_(), single(4).double().requires_grad_()
    with in_double():
        (x * 1e4 + 1).log().sum().backward()
    (wide * 1e4 + 1).log().sum().backward()
    assert x.grad.tolist() == wide.grad.float().tolist()


def test_writes_through_views_are_seen_in_double():
    x, wide = single(3, 4), single(3, 4).double()
    with in_double():
        x = x / 3
        x.t()[1].mul_(1e-3).add_(1).log_()
        x = x.sum()
    wide = wide / 3
    wide.t()[1].mul_(1e-3).add_(1).log_()
    assert x.item() == wide.sum().float().item()


@pytest.mark.parametrize("view", [torch.view_as_real, lambda z: z.conj(), lambda z: z.imag])
def test_complex_numbers_are_computed_in_double(view):
    z = torch.view_as_complex(single(5, 2))
    with in_double():
        seen = (view(z / 3) * 3e4 + 1e4).sum()
    wide = (view(z.to(torch.complex128) / 3) * 3e4 + 1e4).sum()
    assert seen.item() == wide.to(seen.dtype).item()


def test_an_out_that_is_resized_is_computed_in_double():
    x = single(3, 3)
    with in_double():
        out = torch.mm(x / 3, x, out=torch.ones(0))
    assert out.tolist() == (x.double() / 3).mm(x.double()).float().tolist()


@pytest.mark.parametrize("way", [in_double, lambda: moved(1), lambda: in_double(1)])
def test_random_numbers_are_drawn_as_ever(way):
    torch.manual_seed(3)
    plain = torch.randn(20), torch.randint(9, (5,)), torch.rand(4, dtype=torch.float64)
    torch.manual_seed(3)
    with way():
        seen = torch.randn(20), torch.randint(9, (5,)), torch.rand(4, dtype=torch.float64)
    torch.testing.assert_close(seen, plain, rtol=2e-7, atol=0)
    assert seen[1].equal(plain[1])


def test_neighbours_have_numbers_one_unit_smaller_and_whole_numbers_as_they_are():
    x = single(100)
    with moved(1):
        seen = x.clone()
    units = (single(100).view(torch.int32) - seen.view(torch.int32)).unique()
    assert units.tolist() == [0, 1]
    with moved(1):
        assert torch.arange(9.0).tolist() == list(range(9))


def test_a_neighbour_has_the_numbers_in_either_precision():
    with moved(7):
        plain = single(50).clone()
    with in_double(7):
        seen = single(50).clone()
    assert seen.tolist() == plain.tolist()
    with moved(8):
        assert single(50).tolist() != plain.tolist()


def test_choices_are_those_of_double_precision():
    x = torch.tensor([1.0, 1.0 + 2**-23])
    with in_double():
        order = ((x - 1) * 1e-3 + 1).argsort(descending=True)  # equal in single precision
    assert order.tolist() == [1, 0]


def test_versions_and_graphs_are_as_ever():
    x = single(3).requires_grad_()
    with in_double():
        y = (x * 2).exp_()
        assert (y._version, y.grad_fn.name()) == (1, "ExpBackward0")
        y.sum().backward()
    assert x.grad is not None
