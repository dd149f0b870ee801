"""Samples of element-wise operators with a domain, numbers or options of their own."""

import numpy

from tests.aten.samples.registry import call, inexact, of_two_tensors, sampled


@sampled(
    "sqrt", "rsqrt", "log", "log2", "log10", "log1p", "lgamma", "digamma", "acosh", "reciprocal"
)
def positive(draw):
    low = 1.1  # acosh begins at 1
    yield call(draw.positive(2, 3, low=low, high=3.4))
    yield call(draw.positive(low=low, high=3.4))
    yield call(draw.positive(3, 2, low=low, high=3.4).T)


@sampled("asin", "acos", "atanh", "erfinv")
def between_minus_one_and_one(draw):
    yield call(draw(2, 3, low=-0.9, high=0.9))
    yield call(draw(low=-0.9, high=0.9))


@sampled("logit", "special_ndtri", "special_entr")
def between_zero_and_one(draw):
    yield call(draw(2, 3, low=0.1, high=0.9))
    yield call(draw(low=0.1, high=0.9))


@sampled("logit_backward")
def logit_backward(draw):
    yield call(draw(2, 3), draw(2, 3, low=0.1, high=0.9))
    yield call(draw(2, 3), draw(2, 3, low=-0.2, high=1.2), 0.1)


@sampled("add_Tensor", "sub_Tensor", "rsub_Tensor")
def with_alpha(draw):
    yield from of_two_tensors(draw)
    yield call(draw(2, 3), draw(3), alpha=-1.5)


@sampled("rsub_Scalar")
def reversed_subtraction(draw):
    yield call(draw(2, 3), 1.5)
    yield call(draw(), 2, 0.5)


@sampled("add_Scalar", "sub_Scalar", "mul_Scalar", "div_Scalar", "fmod_Scalar", "remainder_Scalar")
def with_a_number(draw):
    yield call(draw(2, 3), 0.75)
    yield call(draw(3, 2).T, 3)
    yield call(draw(), -0.7)


@sampled("div_Tensor", "fmod_Tensor", "remainder_Tensor", "xlogy_Tensor", "special_xlog1py")
def by_positive(draw):
    yield call(draw(2, 3, low=-4, high=4), draw.positive(2, 3))
    yield call(draw(2, 3, low=-4, high=4), draw.positive(3))
    yield call(draw(low=-4, high=4), draw.positive(2, 1))


@sampled("div_Tensor_mode")
def with_a_rounding_mode(draw):
    yield call(draw(2, 3), draw.positive(2, 3), rounding_mode=None)
    yield call(draw(2, 3), draw.positive(3), rounding_mode="floor")
    yield call(draw(2, 1), draw.positive(3), rounding_mode="trunc")


@sampled("floor_divide")
def by_other_positive(draw):
    yield call(draw(2, 3), draw.positive(2, 3))
    yield call(draw(2, 3), draw.positive(3))


@sampled("remainder_Scalar_Tensor")
def remainder_of_a_number(draw):
    yield call(7.5, draw.positive(2, 3))
    yield call(-2, draw.positive(3))


@sampled("pow_Tensor_Tensor")
def power(draw):
    yield call(draw.positive(2, 3), draw(2, 3))
    yield call(draw.positive(2, 1), draw(3))
    yield call(draw.positive(2, 3), draw())


@sampled("pow_Tensor_Scalar")
def power_by_a_number(draw):
    yield call(draw.positive(2, 3), 2)
    yield call(draw.positive(2, 3), -1.5)
    yield call(draw.positive(3, 2).T, 3)
    yield call(draw.positive(), 0)


@sampled("pow_Scalar")
def power_of_a_number(draw):
    yield call(1.5, draw(2, 3))
    yield call(2, draw())


@sampled("bitwise_and_Tensor", "bitwise_or_Tensor", "bitwise_xor_Tensor", "gcd", "lcm")
def of_integers(draw):
    yield call(draw.integers(0, 40, 2, 3), draw.integers(0, 40, 2, 3))
    yield call(draw.integers(0, 40, 2, 3), draw.integers(0, 40, 3))


@sampled("bitwise_left_shift_Tensor", "bitwise_right_shift_Tensor")
def shifts(draw):
    yield call(draw.integers(0, 40, 2, 3), draw.integers(0, 4, 2, 3))
    yield call(draw.integers(0, 40, 2, 3), draw.integers(0, 4, 3))


@sampled("bitwise_not")
def of_one_of_integers(draw):
    yield call(draw.integers(-9, 9, 2, 3))
    yield call(draw.mask(3))


@sampled("where_self")
def where(draw):
    yield call(draw.mask(2, 3), draw(2, 3), draw(2, 3))
    yield call(draw.mask(3), draw(2, 1), draw())


@sampled("lerp_Scalar")
def lerp_by_a_number(draw):
    yield call(draw(2, 3), draw(2, 3), 0.3)
    yield call(draw(2, 3), draw(3), 0.8)


@sampled("lerp_Tensor")
def lerp(draw):
    yield call(draw(2, 3), draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(3), draw())


@sampled("addcmul", "addcdiv")
def three_tensors(draw):
    yield call(draw(2, 3), draw(2, 3), draw.positive(2, 3))
    yield call(draw(2, 3), draw(3), draw.positive(2, 1), value=0.5)


@sampled("clamp")
def clamp(draw):
    yield call(draw(2, 3), -0.75, 1.25)
    yield call(draw(2, 3), None, 0.25)
    yield call(draw(), -0.25, None)


@sampled("clamp_Tensor")
def clamp_by_tensors(draw):
    yield call(draw(2, 3), draw(2, 3, low=-2, high=-0.7), draw(3, low=0.7, high=2))
    yield call(draw(2, 3), None, draw(3))


@sampled("clamp_max", "clamp_min")
def clamp_at_one_end(draw):
    yield call(draw(2, 3), 0.25)
    yield call(draw(), -0.25)


@sampled("clamp_max_Tensor", "clamp_min_Tensor")
def clamp_at_one_end_by_a_tensor(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(3))


@sampled("nan_to_num")
def nan_to_num(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), 0.0, 1.0, -1.0)


@sampled("complex")
def complex_of(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(3))


@sampled("view_as_complex", "view_as_complex_copy")
def view_as_complex(draw):
    yield call(draw(3, 2))
    yield call(draw(2))


@sampled("view_as_real", "view_as_real_copy", "_conj")
def of_complex(draw):
    yield call(draw(2, 3) + 1j * draw(2, 3))
    yield call(numpy.array(0.4 - 1.3j))


@sampled("copy_")
def copy(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(3))


@sampled("_to_copy")
def to_copy(draw):
    yield call(draw(2, 3))
    yield call(draw(3, 2).T)


@sampled("copysign_Scalar")
def copysign_of_a_number(draw):
    yield call(draw(2, 3), -1.5)
    yield call(draw(2, 3), 2)


@sampled("round_decimals")
def round_decimals(draw):
    yield call(draw(2, 3), decimals=1)
    yield call(draw(2, 3, low=-200, high=200), decimals=-1)


@sampled("xlogy_Scalar_Other")
def xlogy_of_a_number(draw):
    yield call(draw(2, 3), 1.7)


@sampled("xlogy_Scalar_Self")
def xlogy_by_a_number(draw):
    yield call(1.7, draw.positive(2, 3))


@sampled("polar")
def polar(draw):
    yield call(draw.positive(2, 3), draw(2, 3))
    yield call(draw.positive(2, 1), draw(3))


@sampled("igamma", "igammac")
def share_of_the_gamma_function(draw):
    yield call(draw.positive(2, 3), draw.positive(2, 3))
    yield call(draw.positive(2, 1), draw.positive(3))


@sampled("special_zeta")
def zeta(draw):
    yield call(draw.positive(2, 3, low=1.5, high=4), draw.positive(3))


@sampled("special_zeta_self_scalar")
def zeta_of_a_number(draw):
    yield call(2.5, draw.positive(2, 3))


@sampled("special_zeta_other_scalar")
def zeta_by_a_number(draw):
    yield call(draw.positive(2, 3, low=1.5, high=4), 1.5)


@sampled("mvlgamma")
def multivariate_log_gamma(draw):
    yield call(draw.positive(2, 3, low=1.5, high=3), 2)
    yield call(draw.positive(3, low=1.5, high=3), 1)


@sampled("special_xlog1py_self_scalar")
def logarithm_times_a_number(draw):
    yield call(1.5, draw.positive(2, 3))


@sampled("special_xlog1py_other_scalar")
def number_in_the_logarithm(draw):
    yield call(draw(2, 3), 0.5)


@sampled("fake_quantize_per_tensor_affine_cachemask")
def fake_quantize(draw):
    # Its gradient goes straight through.
    yield inexact(draw(2, 3), 0.1, 3, 0, 30)


@sampled("choose_qparams_optimized")
def chosen_range(draw):
    yield call(draw(20).astype(numpy.float32), 20, 10, 0.5, 2)


@sampled("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams")
def fake_quantize_by_tensors(draw):
    yield inexact(draw(2, 3), numpy.array([0.1]), numpy.array([3]), numpy.array([1]), 0, 30)


@sampled("fake_quantize_per_channel_affine_cachemask")
def fake_quantize_by_channel(draw):
    scale = numpy.array([0.1, 0.2], numpy.float32)
    yield inexact(draw(2, 3), scale, numpy.array([3, 0], numpy.int32), 0, 0, 30)


def in_single(*numbers):
    return numpy.array(numbers, numpy.float32)


@sampled("_fake_quantize_learnable_per_tensor_affine")
def learned_grid(draw):
    # Its gradients go straight through, and are of float32 alone.
    x = draw(2, 3).astype(numpy.float32)
    yield inexact(x, in_single(0.1), in_single(2.3), -5, 9, 0.7)


@sampled("_fake_quantize_learnable_per_channel_affine")
def learned_grids(draw):
    x = draw(2, 3).astype(numpy.float32)
    yield inexact(x, in_single(0.1, 0.2), in_single(2.3, -1), 0, -5, 9, 0.7)


@sampled("_fake_quantize_learnable_per_tensor_affine_backward")
def learned_grid_backward(draw):
    # Of two numbers, which add up to the same in either order.
    grad, x = draw(1, 2).astype(numpy.float32), draw(1, 2).astype(numpy.float32)
    yield call(grad, x, in_single(0.1), in_single(2.3), -5, 9, 0.7)


@sampled("_fake_quantize_learnable_per_channel_affine_backward")
def learned_grids_backward(draw):
    grad, x = draw(2, 2).astype(numpy.float32), draw(2, 2).astype(numpy.float32)
    yield call(grad, x, in_single(0.1, 0.2), in_single(2.3, -1), 0, -5, 9, 0.7)


@sampled("_fused_moving_avg_obs_fq_helper")
def followed_range(draw):
    x, one, zero = draw(2, 3).astype(numpy.float32), numpy.array([1]), numpy.array([0])
    ends = numpy.array(-1, numpy.float32), numpy.array(2, numpy.float32)
    grid = in_single(1), numpy.array([0], numpy.int32)
    yield inexact(x, zero, one, *ends, *grid, 0.3, 0, 255, 0)
