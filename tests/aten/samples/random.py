"""Samples of operators that draw random numbers: called after manual_seed(0), they repeat."""

import numpy

from tests.aten.samples.registry import call, inexact, sampled


@sampled("bernoulli")
def bernoulli(draw):
    yield call(draw(2, 3, low=0.1, high=0.9))


@sampled("bernoulli_p")
def bernoulli_p(draw):
    yield call(draw(2, 3), 0.3)


@sampled("binomial")
def binomial(draw):
    yield call(numpy.array([3.0, 5.0, 9.0]), draw(3, low=0.1, high=0.9))


@sampled("poisson")
def of_a_positive_rate(draw):
    yield call(draw.positive(2, 3))


@sampled("_standard_gamma")
def standard_gamma(draw):
    yield inexact(draw.positive(2, 3))  # the gradient is at a fixed quantile, not at a fixed seed


@sampled("_sample_dirichlet")
def sample_dirichlet(draw):
    yield call(draw.positive(2, 3))


@sampled("_standard_gamma_grad")
def standard_gamma_grad(draw):
    yield call(draw.positive(2, 3), draw.positive(2, 3))


@sampled("_dirichlet_grad")
def dirichlet_grad(draw):
    concentration = draw.positive(2, 3)
    total = numpy.broadcast_to(concentration.sum(-1, keepdims=True), (2, 3))
    yield call(concentration / total, concentration, total)


@sampled("polygamma")
def polygamma(draw):
    yield call(1, draw.positive(2, 3))
    yield call(2, draw.positive(3))


@sampled("polygamma_")
def polygamma_in_place(draw):
    yield call(draw.positive(2, 3), 1)
    yield call(draw.positive(3), 2)


@sampled("multinomial")
def multinomial(draw):
    yield call(draw.positive(2, 4), 3)
    yield call(draw.positive(4), 6, True)


@sampled("normal_Tensor_Tensor")
def normal(draw):
    yield call(draw(2, 3), draw.positive(2, 3))


@sampled("normal_Tensor_float")
def normal_of_means(draw):
    yield call(draw(2, 3), 0.5)


@sampled("normal_float_Tensor")
def normal_of_deviations(draw):
    yield call(0.5, draw.positive(2, 3))


@sampled("bernoulli__Tensor")
def bernoulli_in_place(draw):
    yield call(draw(2, 3), draw(2, 3, low=0.1, high=0.9))


@sampled("geometric_")
def geometric(draw):
    yield call(draw(2, 3), 0.4)


@sampled("random__from")
def integers_between(draw):
    yield call(draw(2, 3), 2, 9)


@sampled("random__to")
def integers_below(draw):
    yield call(draw(2, 3), 9)


@sampled("native_dropout")
def native_dropout(draw):
    yield call(draw(2, 3), 0.5, True)
    yield call(draw(3), 0.5, False)


@sampled("native_dropout_backward")
def native_dropout_backward(draw):
    yield call(draw(2, 3), draw.mask(2, 3), 2.0)
