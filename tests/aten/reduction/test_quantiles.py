"""Quantiles, differences of neighbours, covariances, cross products and distances."""

from __future__ import annotations

import pytest

import minitorch as torch

X = torch.tensor([[3.0, 1.0, 2.0], [6.0, 4.0, 8.0]])


def test_quantiles_lie_between_the_elements_in_order() -> None:
    assert torch.quantile(X[0], 0.25).item() == 1.5
    assert torch.quantile(X, torch.tensor([0.0, 1.0]), dim=1).tolist() == [[1.0, 4.0], [3.0, 8.0]]
    assert torch.quantile(X, 0.4, dim=1, interpolation="nearest").tolist() == [2.0, 6.0]
    with_nan = torch.tensor([1.0, float("nan"), 3.0])
    assert torch.quantile(with_nan, 0.5).isnan()
    assert torch.nanquantile(with_nan, 0.5).item() == 2.0


def test_gradients_of_quantiles_go_to_both_neighbours() -> None:
    x = X[0].clone().requires_grad_()
    x.quantile(0.25).backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5]


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(RuntimeError, match="q must be in the range"):
        torch.quantile(X, 1.5)
    with pytest.raises(RuntimeError, match="interpolation must be one of"):
        torch.quantile(X, 0.5, interpolation="cubic")


def test_differences_are_taken_n_times() -> None:
    x = torch.tensor([1, 4, 9, 16])
    assert x.diff().tolist() == [3, 5, 7]
    assert x.diff(2).tolist() == [2, 2]
    assert x.diff(prepend=torch.tensor([0])).tolist() == [1, 3, 5, 7]
    assert torch.tensor([True, False]).diff().tolist() == [True]


def test_covariances_and_correlations() -> None:
    assert torch.cov(X).tolist() == [[1.0, 1.0], [1.0, 4.0]]
    assert torch.corrcoef(X).tolist() == [[1.0, 0.5], [0.5, 1.0]]
    twice = torch.cov(X, fweights=torch.tensor([2, 2, 2]), correction=0)
    assert torch.allclose(twice, X.cov(correction=0))
    with pytest.warns(UserWarning, match="degrees of freedom"):
        torch.cov(X[:, :1])


def test_cross_products_stand_on_both_vectors() -> None:
    a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])
    assert torch.linalg.cross(a, b).tolist() == [-3.0, 6.0, -3.0]
    with pytest.raises(RuntimeError, match="must have length 3"):
        torch.linalg.cross(X, X, dim=0)


def test_the_first_vector_of_vecdot_is_conjugated() -> None:
    z = torch.tensor([[1 + 2j, 3j]])
    assert torch.linalg.vecdot(z, z).tolist() == [14 + 0j]


@pytest.mark.parametrize("mode", ["use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"])
def test_distances_of_all_pairs_and_their_gradients(mode: str) -> None:
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    y = torch.tensor([[3.0, 4.0]])
    distances = torch.cdist(x, y, compute_mode=mode)
    assert distances.tolist() == [[5.0], [0.0]]
    distances.sum().backward()
    assert torch.allclose(x.grad, torch.tensor([[-0.6, -0.8], [0.0, 0.0]]))


def test_slopes_between_uneven_points_divide_once_as_torch() -> None:
    values, places = torch.tensor([1.0, 2.0, 4.0, 7.0]), torch.tensor([0.0, 0.1, 0.4, 0.7])
    slopes = torch.gradient(values, spacing=(places,), edge_order=2)[0]
    assert slopes.tolist() == [
        10.833333969116211,
        9.166666984558105,
        8.333332061767578,
        11.666664123535156,
    ]


def test_gradient_takes_a_list_with_a_tensor_for_places():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match="expected Tensor as element 0 in argument 1, but got"):
        torch.gradient(x, spacing=[2.0, torch.tensor([1.0, 2.0])])
    with pytest.raises(RuntimeError, match="an element with 0 dimensions"):
        torch.gradient(x, spacing=[torch.tensor(2.0), torch.tensor(2.0)])


def test_gradient_wants_a_number_beside_a_list_of_dimensions():
    with pytest.raises(TypeError, match=r"gradient\(\) received an invalid combination"):
        torch.gradient(torch.ones(2, 2), spacing=None, dim=[0])
