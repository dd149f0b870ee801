"""Samples of matrix products."""

from tests.aten.samples.registry import call, sampled


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
