"""Norms of vectors."""

from __future__ import annotations

import math

import pytest

import minitorch as torch

X = torch.tensor([3.0, -4.0, 0.0])


@pytest.mark.parametrize(
    ("p", "norm", "gradient"),
    [
        (2, 5.0, [0.6, -0.8, 0.0]),
        (1, 7.0, [1.0, -1.0, 0.0]),
        (math.inf, 4.0, [0.0, -1.0, 0.0]),
        (-math.inf, 0.0, [0.0, 0.0, 0.0]),
        (3, 91 ** (1 / 3), [9 / 91 ** (2 / 3), -16 / 91 ** (2 / 3), 0.0]),
        ("fro", 5.0, [0.6, -0.8, 0.0]),
    ],
)
def test_a_norm_and_its_gradient(p, norm, gradient):
    x = X.clone().requires_grad_()
    out = x.norm(p)
    assert out.item() == pytest.approx(norm)
    assert out.grad_fn.name() == "LinalgVectorNormBackward0"
    out.backward()
    assert x.grad.tolist() == pytest.approx(gradient)


def test_norm_zero_counts_and_has_no_gradient() -> None:
    assert X.norm(0).item() == 2.0


def test_the_gradient_at_zero_is_zero() -> None:
    x = torch.zeros(2, requires_grad=True)
    x.norm().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_norms_along_dimensions() -> None:
    x = torch.ones(2, 4)
    assert x.norm(2, 1).tolist() == [2.0, 2.0]
    assert torch.norm(x, dim=(0, 1), keepdim=True).shape == (1, 1)


def test_what_has_no_norm_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Expected a floating point or complex tensor"):
        torch.ones(2, dtype=torch.int64).norm()
    with pytest.raises(RuntimeError, match="cannot compute the inf norm on an empty tensor"):
        torch.ones(0).norm(math.inf)


def test_the_distance_is_the_norm_of_the_difference() -> None:
    x, y = X.clone().requires_grad_(), torch.zeros(3, requires_grad=True)
    torch.dist(x, y).backward()
    assert x.grad.tolist() == pytest.approx([0.6, -0.8, 0.0])
    assert y.grad.tolist() == pytest.approx([-0.6, 0.8, 0.0])


def test_gradients_lie_as_the_input():
    x = torch.randn(4, 3).T.requires_grad_()
    for p in (0.5, 1, 1.5, 2, 3, float("inf")):
        (g,) = torch.autograd.grad(x.norm(p), x)
        assert g.stride() == (1, 3)


def test_a_dimension_is_saved_as_a_list():
    x = torch.randn(4, 3, requires_grad=True)
    assert torch.linalg.vector_norm(x, dim=0).grad_fn._saved_dim == (0,)


@pytest.mark.parametrize("order", [torch.tensor(1), torch.tensor(1.0, dtype=torch.float64)])
def test_the_order_of_a_norm_may_be_a_tensor_without_dimensions(order):
    assert torch.linalg.vector_norm(torch.tensor([3.0, -4.0]), order).item() == 7
    assert torch.norm(torch.tensor([3.0, -4.0]), order).item() == 7


@pytest.mark.filterwarnings("ignore:at..frobenius_norm is deprecated")
def test_norms_of_integers_are_refused_in_the_words_of_each_function():
    x = torch.ones(2, 3, dtype=torch.int32)
    with pytest.raises(
        RuntimeError, match=r"^norm\(\): input dtype should be either .* Got Int in"
    ):
        torch.norm_except_dim(x)
    with pytest.raises(
        RuntimeError, match=r"^norm\(\): input dtype should be either .* Got Int in"
    ):
        torch.frobenius_norm(x, (0,))
    with pytest.raises(RuntimeError, match=r"^Expected at most 2 dimensions, but got 3 dimensions"):
        torch.frobenius_norm(x.float(), (0, 1, 1))


def test_cosine_similarity_of_halves_takes_eps_beyond_their_range():
    x = torch.ones(2, 2, dtype=torch.float16)
    assert torch.cosine_similarity(x, x, eps=1e6).tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="type float without overflow"):
        torch.cosine_similarity(x, x, eps=1e50)
