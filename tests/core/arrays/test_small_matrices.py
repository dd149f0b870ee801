"""Factors of many small matrices side by side, beside those of LAPACK."""

import numpy
import pytest

from minitorch.core.arrays import lapack, small_matrices

DTYPES = ("float64", "complex128")


def random(dtype, *shape):
    made = numpy.random.RandomState(0)
    x = made.standard_normal(shape)
    return (x + 1j * made.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


def both(monkeypatch, function, *args):
    """The results of a lapack function for matrices side by side, and for one after another."""
    assert small_matrices.are_many(args[0].reshape(-1, *args[0].shape[-2:]))
    side_by_side = function(*args)
    monkeypatch.setattr(small_matrices, "are_many", lambda *operands: False)
    one_by_one = function(*args)
    monkeypatch.undo()
    return side_by_side, one_by_one


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(40, 5, 5), (8, 5, 4, 4), (40, 6, 3), (40, 3, 6), (33, 1, 1)])
def test_lu_factors_side_by_side_are_those_of_lapack(monkeypatch, dtype, shape):
    x = random(dtype, *shape)
    x.reshape(-1, *shape[-2:])[3] = 0
    found, expected = both(monkeypatch, lapack.lu_factor, x)
    assert found[1].tolist() == expected[1].tolist()
    assert found[2].tolist() == expected[2].tolist()
    assert [each.dtype for each in found] == [each.dtype for each in expected]
    assert [each.strides for each in found] == [each.strides for each in expected]
    numpy.testing.assert_allclose(found[0], expected[0], 1e-12, 1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("adjoint", [False, True])
def test_lu_solutions_side_by_side_are_those_of_lapack(monkeypatch, dtype, adjoint):
    lu, pivots, _ = lapack.lu_factor(random(dtype, 40, 5, 5))
    b = random(dtype, 40, 5, 2)
    found, expected = both(monkeypatch, lapack.lu_solve, lu, pivots, b, adjoint)
    numpy.testing.assert_allclose(found, expected, 1e-9, 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_solutions_side_by_side_are_those_of_lapack(monkeypatch, dtype, upper, unit):
    a = random(dtype, 40, 4, 4) + 3 * numpy.eye(4)
    b = random(dtype, 4, 3)
    found, expected = both(monkeypatch, lapack.solve_triangular, a, b, upper, unit)
    numpy.testing.assert_allclose(found, expected, 1e-11, 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_factors_side_by_side_are_those_of_lapack(monkeypatch, dtype, upper):
    x = random(dtype, 40, 5, 5)
    x = x @ x.conj().swapaxes(1, 2) + numpy.eye(5)
    found, expected = both(monkeypatch, lapack.cholesky, x, upper)
    numpy.testing.assert_allclose(found[0], expected[0], 1e-11, 1e-12)
    x[7, 2, 2] = -1
    found, expected = both(monkeypatch, lapack.cholesky, x, upper)
    assert found[1].tolist() == expected[1].tolist() == [3 * (i == 7) for i in range(40)]


def test_matrices_with_unknown_numbers_are_left_to_lapack():
    x = random("float64", 40, 2, 2)
    assert small_matrices.are_many(x)
    x[5, 0, 0] = numpy.nan
    assert not small_matrices.are_many(x)
    assert not small_matrices.are_many(x[:10])
    assert not small_matrices.are_many(random("float64", 40, 20, 2))
