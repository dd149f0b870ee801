"""Samples of matrix products."""

import numpy

import minitorch.nn._functional.grouped_products  # noqa: F401 - whose row is declared when it is asked for
from tests.aten.samples.registry import call, inexact, sampled


@sampled("mm")
def mm(draw):
    yield call(draw(2, 3), draw(3, 4))
    yield call(draw(3, 2).T, draw(4, 3).T)


@sampled("bmm")
def bmm(draw):
    yield call(draw(2, 2, 3), draw(2, 3, 2))
    yield call(draw(2, 3, 2).transpose(0, 2, 1), draw(2, 3, 1))


@sampled("mv")
def mv(draw):
    yield call(draw(2, 3), draw(3))
    yield call(draw(3, 2).T, draw(3))


@sampled("dot", "vdot")
def dot(draw):
    yield call(draw(3), draw(3))
    yield call(draw(4)[::2], draw(2))


@sampled("addmm")
def addmm(draw):
    yield call(draw(2, 4), draw(2, 3), draw(3, 4))
    yield call(draw(4), draw(2, 3), draw(3, 4), beta=0.5, alpha=-2)


@sampled("addmv")
def addmv(draw):
    yield call(draw(2), draw(2, 3), draw(3))
    yield call(draw(), draw(2, 3), draw(3), beta=0.5, alpha=-2)


@sampled("addr")
def addr(draw):
    yield call(draw(2, 3), draw(2), draw(3))
    yield call(draw(3), draw(2), draw(3), beta=0.5, alpha=-2)


@sampled("addbmm")
def addbmm(draw):
    yield call(draw(2, 2), draw(2, 2, 3), draw(2, 3, 2))
    yield call(draw(2), draw(2, 2, 3), draw(2, 3, 2), beta=0.5, alpha=-2)


@sampled("baddbmm")
def baddbmm(draw):
    yield call(draw(2, 2, 2), draw(2, 2, 3), draw(2, 3, 2))
    yield call(draw(2), draw(2, 2, 3), draw(2, 3, 2), beta=0.5, alpha=-2)


@sampled("linalg_cross")
def cross(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(3, 2), draw(3, 1), dim=0)


@sampled("_cdist_forward")
def cdist(draw):
    for p in (0.0, 1.0, 1.5, 2.0, 3.0, float("inf")):
        yield call(draw(2, 3), draw(4, 3), p, 2)
    yield call(draw(2, 2, 3), draw(3, 3), 2.0, None)


@sampled("_cdist_backward")
def cdist_backward(draw):
    x, y = draw(2, 3), draw(4, 3)
    distances = numpy.linalg.norm(x[:, None] - y, axis=-1)
    yield call(draw(2, 4), x, y, 2.0, distances)


@sampled("_euclidean_dist")
def euclidean_distance(draw):
    yield call(draw(2, 3), draw(4, 3))
    yield call(draw(2, 2, 3), draw(2, 4, 3))


@sampled("_trilinear")
def trilinear(draw):
    yield call(draw(2, 3), draw(5, 3, 4), draw(2, 4), (1, 3), (0,), (1, 2), (2, 3))
    yield call(draw(2, 3), draw(3), draw(2), (), (0,), (1,), (0,))


@sampled("_grouped_mm")
def grouped_mm(draw):
    # In single precision, the largest it takes: too coarse for differences.
    a, b, c = (draw(*shape).astype("f4") for shape in ((3, 4, 8), (3, 8, 4), (4, 8)))
    yield inexact(a, b)
    yield inexact(c, b, numpy.array([1, 1, 4], numpy.int32))
