"""histc, histogram, histogramdd."""

import pytest

import minitorch as torch

x = torch.tensor([0.0, 1.0, 1.5, 2.0, 4.0])


def test_the_last_bin_has_its_upper_edge():
    assert torch.histc(x, 4).tolist() == [1, 2, 1, 1]
    assert torch.histc(x, 2, 1, 2).tolist() == [1, 2]


def test_one_value_lies_in_the_middle():
    assert torch.histc(torch.ones(3), 3).tolist() == [0, 3, 0]


def test_weights_are_added_up_and_density_integrates_to_one():
    found = torch.histogram(x, 2, weight=x, density=True)
    assert found.bin_edges.tolist() == [0, 2, 4]
    assert found.hist.tolist() == pytest.approx([2.5 / 8.5 / 2, 6 / 8.5 / 2])


def test_edges_may_be_given():
    counts, edges = torch.histogram(x, torch.tensor([0.0, 1.0, 4.0]))
    assert counts.tolist() == [1, 4]
    assert edges.tolist() == [0, 1, 4]


def test_points_of_several_dimensions():
    points = torch.stack([x, x.flip(0)], dim=1)
    counts, edges = torch.histogramdd(points, [2, 2])
    assert counts.tolist() == [[1, 2], [2, 0]]
    assert [edge.tolist() for edge in edges] == [[0, 2, 4]] * 2
    counts, _ = torch.histogramdd(points, [torch.tensor([0.0, 4.0]), torch.tensor([0.0, 1.5, 4.0])])
    assert counts.tolist() == [[2, 3]]


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.histc(x, 0),
        lambda: torch.histc(x, 3, 2, 1),
        lambda: torch.histc(torch.tensor([float("nan")])),
        lambda: torch.histogram(x, 3, range=(2.0, 1.0)),
        lambda: torch.histogram(x, 3, weight=torch.ones(2)),
        lambda: torch.histogramdd(x, [3]),
        lambda: torch.histogramdd(x.view(5, 1), [3, 3]),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(RuntimeError, match=r"histogram|histc"):
        call()


def test_mantissas_and_exponents_make_the_number():
    mantissa, exponent = torch.frexp(x)
    assert torch.ldexp(mantissa, exponent).equal(x)
    assert exponent.dtype is torch.int32


def test_histc_takes_complex_bounds_without_an_imaginary_part():
    x = torch.tensor([1.0, 2.0])
    assert torch.histc(x, 2, 0, 2 + 0j).tolist() == torch.histc(x, 2, 0, 2).tolist()
    with pytest.raises(NotImplementedError, match='"histogram_cpu" not implemented for'):
        torch.histc(x.long(), 2, 0, 2**63)


def test_points_without_coordinates_are_as_few_dimensions_as_there_are_bins():
    with pytest.raises(RuntimeError, match="size of bins must be equal to the innermost"):
        torch.histogramdd(torch.ones(5, 0), [1, 1])
