"""Singular vectors are those of the matrix, with the signs of torch's LAPACK."""

import numpy
import pytest

from minitorch.core.arrays import singular_vectors

# Signs of the first row of U and the first column of Vh, by torch 2.13.0.
SIGNS = {
    (2, 3): ("++", "+++"),
    (4, 3): ("-+--", "---"),
    (7, 5): ("-+--+++", "-+-++"),
    (3, 8): ("+-+", "+++++-+-"),
}
SHAPES = [*SIGNS, (1, 1), (1, 4), (4, 1), (3, 3), (8, 5), (5, 9), (2, 5), (6, 40), (40, 6)]


def cosines(*shape):
    return numpy.cos(numpy.arange(float(numpy.prod(shape))) ** 2).reshape(shape)


def shown(numbers):
    return "".join(["-" if x < 0 else "+" for x in numbers])


@pytest.mark.parametrize("shape", SIGNS)
def test_signs_are_torchs(shape):
    U, _, Vh = singular_vectors.svd(cosines(*shape), full_matrices=True)
    assert (shown(U[0]), shown(Vh[:, 0])) == SIGNS[shape]


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("kind", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_are_orthogonal_and_give_the_matrix(shape, kind, full):
    x = cosines(2, *shape).astype(kind)
    U, S, Vh = singular_vectors.svd(x, full)
    least, near = min(shape), {"atol": 3e-6 if kind[-2:] in ("32", "64") else 1e-13}
    assert U.dtype == Vh.dtype == x.dtype
    numpy.testing.assert_allclose((U[..., :least] * S[:, None]) @ Vh[:, :least], x, **near)
    for rows in (U.swapaxes(-2, -1), Vh):
        product = rows.conj() @ rows.swapaxes(-2, -1)
        numpy.testing.assert_allclose(product, numpy.eye(rows.shape[-2])[None].repeat(2, 0), **near)


def test_numbers_that_are_none_are_refused():
    with pytest.raises(numpy.linalg.LinAlgError):
        singular_vectors.svd(numpy.full((4, 3), numpy.nan), full_matrices=False)
