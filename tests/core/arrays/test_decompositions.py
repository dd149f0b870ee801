"""Decompositions by NumPy's loops give what numpy.linalg gives."""

import numpy
import pytest

from minitorch.core.arrays import decompositions

SHAPES = [(1, 1), (5, 5), (3, 7), (7, 3), (2, 3, 4), (4, 1, 2, 2), (0, 3), (2, 0, 0)]


def matrices():
    """Some of each shape, real and complex, by rows and by columns."""
    drawn = numpy.random.default_rng(0)
    for shape in SHAPES:
        real = drawn.standard_normal(shape)
        for x in (real, real + 1j * drawn.standard_normal(shape), numpy.asfortranarray(real)):
            yield pytest.param(x, id=f"{shape} {x.dtype} {'rows' * x.flags.c_contiguous}")


def assert_same_bits(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert one.tobytes() == other.tobytes()


MATRICES = list(matrices())
SQUARE = [each for each in MATRICES if len({*each.values[0].shape[-2:]}) == 1]


@pytest.mark.parametrize("x", MATRICES)
def test_svd_and_qr_are_those_of_numpy(x):
    for full in (True, False):
        assert_same_bits(decompositions.svd(x, full), numpy.linalg.svd(x, full))
    values = decompositions.svd(x, compute_uv=False)
    assert_same_bits([values], [numpy.linalg.svd(x, compute_uv=False)])
    for mode in ("reduced", "complete"):
        assert_same_bits(decompositions.qr(x, mode), numpy.linalg.qr(x, mode))
    assert_same_bits([decompositions.qr(x, "r")], [numpy.linalg.qr(x, "r")])


@pytest.mark.parametrize("x", SQUARE)
def test_eigenvalues_are_those_of_numpy(x):
    for uplo in "LU":
        assert_same_bits(decompositions.eigh(x, uplo), numpy.linalg.eigh(x, uplo))
        found = decompositions.eigvalsh(x, uplo)
        assert_same_bits([found], [numpy.linalg.eigvalsh(x, uplo)])
    for each in (x, x + x.swapaxes(-1, -2).conj()):
        expected = [part.astype(complex) for part in numpy.linalg.eig(each)]
        assert_same_bits([part.astype(complex) for part in decompositions.eig(each)], expected)


@pytest.mark.parametrize("name", ["svd", "eigh", "eigvalsh"])
def test_what_does_not_converge_is_refused_as_numpy_does(name):
    unknown = numpy.full((3, 3), numpy.nan)
    with pytest.raises(numpy.linalg.LinAlgError) as expected:
        getattr(numpy.linalg, name)(unknown)
    with pytest.raises(numpy.linalg.LinAlgError, match=str(expected.value)):
        getattr(decompositions, name)(unknown)


def test_a_numpy_without_loops_goes_by_numpy_linalg(monkeypatch):
    monkeypatch.setattr(decompositions, "loops", None)
    x = numpy.random.default_rng(0).standard_normal((3, 3))
    assert_same_bits(decompositions.svd(x), numpy.linalg.svd(x))
    assert_same_bits(decompositions.qr(x, "reduced"), numpy.linalg.qr(x))
    assert_same_bits(decompositions.eigh(x), numpy.linalg.eigh(x))
