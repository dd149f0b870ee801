"""gradient, pdist, renorm, index_reduce, kl_div: small numbers that anybody can check."""

import pytest

import minitorch as torch

x = torch.tensor([[0.0, 1.0, 4.0], [2.0, 5.0, 10.0]])


def test_slopes_are_central_differences_and_one_sided_at_the_ends():
    rows, columns = torch.gradient(x)
    assert rows.tolist() == [[2, 4, 6]] * 2
    assert columns.tolist() == [[1, 2, 3], [3, 4, 5]]


def test_parabolas_have_exact_slopes_of_second_order_at_any_places():
    places = torch.tensor([0.0, 1.0, 3.0, 4.0])
    (slope,) = torch.gradient(places**2, spacing=[places], edge_order=2)
    torch.testing.assert_close(slope, 2 * places)
    (slope,) = torch.gradient(torch.arange(5) ** 2, spacing=2, edge_order=2)
    assert slope.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64])
def test_slopes_of_whole_numbers_are_no_whole_numbers(dtype):
    (slope,) = torch.gradient(torch.tensor([1, 4, 6, 7], dtype=dtype), spacing=2)
    assert slope.tolist() == [1.5, 1.25, 0.75, 0.5]


@pytest.mark.parametrize(
    "fields", [{"spacing": [1.0]}, {"edge_order": 3}, {"dim": (0, 0)}, {"dim": 0, "edge_order": 2}]
)
def test_slopes_that_there_are_not_are_refused(fields):
    with pytest.raises(RuntimeError, match=r"gradient|dim"):
        torch.gradient(x, **fields)


def test_distances_of_all_pairs():
    points = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]], requires_grad=True)
    found = torch.pdist(points)
    assert found.tolist() == [5, 4, 3]
    found[0].backward()
    torch.testing.assert_close(points.grad, torch.tensor([[-0.6, -0.8], [0.6, 0.8], [0.0, 0.0]]))
    with pytest.raises(RuntimeError, match="2D"):
        torch.pdist(points[0])


def test_slices_are_scaled_down_to_a_norm():
    found = torch.renorm(x, 2, 0, 5.0)
    assert found[0].equal(x[0])
    assert found[1].norm().item() == pytest.approx(5)


def test_slices_are_reduced_where_an_index_says():
    index, source = torch.tensor([0, 0]), torch.tensor([[3.0, 1.0, 2.0], [5.0, 0.0, 1.0]])
    assert x.index_reduce(0, index, source, "amax")[0].tolist() == [5, 1, 4]
    found = x.index_reduce(0, index, source, "mean", include_self=False)
    assert found[0].tolist() == [4, 0.5, 1.5]
    with pytest.raises(RuntimeError, match="one of prod, mean, amax or amin"):
        x.index_reduce(0, index, source, "sum")


def test_the_function_of_torch_reduces_nothing_by_default():
    target = torch.tensor([0.5, 0.5])
    assert torch.kl_div(target.log(), target).tolist() == [0, 0]
