"""Eigenvectors get the signs of torch's LAPACK, and stay those of the matrix."""

import numpy
import pytest

from minitorch.core.arrays import eigenvectors

# Signs of the first row, by torch 2.13.0: of one triangle, the other, and of a Hermitian matrix.
SIGNS = {
    3: ("-++", "++-", "++-"),
    4: ("--+-", "-+--", "+-++"),
    6: ("-+-++-", "+--+-+", "+++---"),
    10: ("-+++-+-+--", "++--+---++", "+---++--+-"),
}


def symmetric(n):
    x = numpy.cos(numpy.arange(float(n * n)) ** 2).reshape(n, n)
    return x + x.T


def hermitian(n):
    beside = numpy.tril(numpy.cos(numpy.arange(float(n * n)) ** 2).reshape(n, n), -1)
    return symmetric(n) + 1j * (beside - beside.T)


def found(x, lower):
    values, vectors = numpy.linalg.eigh(x, "L" if lower else "U")
    return values, eigenvectors.turned(x, values, vectors, lower)


def shown(numbers):
    return "".join(["-" if x.real < 0 else "+" for x in numbers])


@pytest.mark.parametrize("n", SIGNS)
def test_signs_are_torchs(n):
    calls = [(symmetric(n), True), (symmetric(n), False), (hermitian(n), True)]
    assert tuple([shown(found(x, lower)[1][0]) for x, lower in calls]) == SIGNS[n]


def test_one_triangle_is_read():
    x = symmetric(5)
    whole, lower = found(x, lower=True)[1], found(numpy.tril(x), lower=True)[1]
    numpy.testing.assert_array_equal(whole, lower)
    whole, upper = found(x, lower=False)[1], found(numpy.triu(x), lower=False)[1]
    numpy.testing.assert_array_equal(whole, upper)


@pytest.mark.parametrize("make", [symmetric, hermitian])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 25, 26])
def test_vectors_stay_those_of_the_matrix(make, n):
    x = numpy.stack([make(n), 2 * make(n) - 1])
    values, vectors = found(x, lower=True)
    numpy.testing.assert_allclose(x @ vectors, vectors * values[:, None], atol=1e-12)


@pytest.mark.parametrize("x", [numpy.eye(4), numpy.zeros((3, 3)), numpy.diag([3.0, 1, 2])])
def test_diagonal_matrices_have_unit_vectors(x):
    _, vectors = found(x, lower=True)
    assert (numpy.sort(vectors, axis=0)[-1] == 1).all()


def test_batches_without_matrices_have_no_vectors():
    assert found(numpy.empty((0, 2, 4, 4)), lower=True)[1].shape == (0, 2, 4, 4)


def test_numbers_that_are_none_end():
    x = numpy.full((3, 3), numpy.nan)
    vectors = eigenvectors.turned(x, numpy.zeros(3), x, lower=True)
    assert numpy.isnan(vectors).all()
