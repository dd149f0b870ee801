"""Calls that take keywords of one overload beside places of another: torch refuses them."""

import pytest

import minitorch as torch


def test_sort_takes_stable_only_beside_names():
    x = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    with pytest.raises(TypeError, match=r"^sort\(\) received an invalid combination"):
        torch.sort(x, 0, stable=True)
    assert torch.sort(x, dim=0, stable=True)[1].tolist() == [[1, 0], [0, 1]]
    assert torch.sort(x, 1, True)[1].tolist() == [[0, 1], [1, 0]]
    assert x.argsort(axis=0, descending=True).tolist() == [[0, 1], [1, 0]]


def test_max_of_two_tensors_takes_no_dim():
    x = torch.ones(2)
    for named in ({"dim": 0}, {"keepdim": True}):
        with pytest.raises(TypeError):
            torch.max(x, other=x, **named)
    assert torch.max(x, other=x).tolist() == [1.0, 1.0]


def test_trapezoid_takes_points_or_their_distance():
    x = torch.ones(3)
    with pytest.raises(TypeError, match=r"^trapezoid\(\) received an invalid combination"):
        torch.trapezoid(x, x, dx=1)
