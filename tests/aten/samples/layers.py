"""Samples of convolution, pooling, padding, normalisation and attention."""

import numpy

from minitorch.core.numbers.dtype import float64
from tests.aten.samples.registry import call, inexact, sampled


@sampled("convolution")
def convolution(draw):
    plain = ((1,), (0,), (1,), False, (0,), 1)
    yield call(draw(1, 2, 5), draw(3, 2, 2), draw(3), *plain)
    yield call(draw(2, 2, 3, 4), draw(2, 1, 2, 2), None, (2, 1), (1, 0), (1, 2), False, (0, 0), 2)
    yield call(draw(1, 2, 2, 3), draw(2, 1, 2, 2), draw(1), (2, 1), (1, 0), (1, 1), True, (1, 0), 1)


@sampled("convolution_backward")
def convolution_backward(draw):
    options = ((3,), (1,), (1,), (1,), False, (0,), 1, (True, True, True))
    yield call(draw(1, 3, 6), draw(1, 2, 5), draw(3, 2, 2), *options)


@sampled("_adaptive_avg_pool2d")
def adaptive_pooling(draw):
    yield call(draw(1, 2, 4, 3), (2, 2))
    yield call(draw(2, 3, 3), (1, 2))


@sampled("_adaptive_avg_pool2d_backward")
def adaptive_pooling_backward(draw):
    yield call(draw(1, 2, 2, 2), draw(1, 2, 4, 3))


@sampled("avg_pool2d")
def average_pooling(draw):
    yield call(draw(1, 2, 4, 4), (2, 2))
    yield call(draw(2, 5, 4), (3, 2), (2, 1), (1, 0), True, False)


@sampled("avg_pool2d_backward")
def average_pooling_backward(draw):
    yield call(draw(1, 2, 2, 2), draw(1, 2, 4, 4), (2, 2), (2, 2), (0, 0), False, True, None)


@sampled("max_pool2d_with_indices")
def max_pooling(draw):
    yield call(draw(1, 2, 4, 4), (2, 2))
    yield call(draw(2, 5, 4), (3, 2), (2, 1), (1, 0), (1, 1), True)


@sampled("max_pool2d_with_indices_backward")
def max_pooling_backward(draw):
    indices = numpy.array([[[[0, 3], [9, 10]]]])
    options = ((2, 2), (2, 2), (0, 0), (1, 1), False)
    yield call(draw(1, 1, 2, 2), draw(1, 1, 4, 4), *options, indices)


@sampled("constant_pad_nd")
def constant_padding(draw):
    yield call(draw(2, 3), (1, 2), 0.5)
    yield call(draw(2, 3), (-1, 1, 1, 0))


PADDED = {1: (1, 2), 2: (1, 0, 1, 1), 3: (1, 0, 1, 1, 0, 1)}


def padding(dims):
    """Registers samples of the paddings of `dims` dimensions."""

    @sampled(f"reflection_pad{dims}d", f"replication_pad{dims}d")
    def forward(draw):
        yield call(draw(1, *[3] * dims), PADDED[dims])
        yield call(draw(1, 1, *[3] * dims), (0, 1) * dims)

    @sampled(f"reflection_pad{dims}d_backward", f"replication_pad{dims}d_backward")
    def backward(draw):
        pairs = zip(PADDED[dims][-2::-2], PADDED[dims][::-2], strict=True)
        yield call(draw(1, *[3 + a + b for a, b in pairs]), draw(1, *[3] * dims), PADDED[dims])


for _dims in PADDED:
    padding(_dims)


@sampled("native_batch_norm")
def batch_norm(draw):
    x = (draw(3, 2, 2), draw(2), draw(2))
    yield call(*x, None, None, True, 0.1, 1e-5)
    yield call(*x, draw(2), draw.positive(2), False, 0.1, 1e-5)
    yield call(draw(4, 2), None, None, None, None, True, 0.1, 1e-5)


@sampled("_native_batch_norm_legit")
def batch_norm_with_statistics(draw):
    yield call(draw(3, 2, 2), draw(2), draw(2), draw(2), draw.positive(2), False, 0.1, 1e-5)


@sampled("_native_batch_norm_legit_no_stats")
def batch_norm_without_statistics(draw):
    yield call(draw(3, 2, 2), draw(2), draw(2), True, 0.1, 1e-5)


@sampled("_batch_norm_with_update")
def batch_norm_with_update(draw):
    yield call(draw(3, 2, 2), draw(2), draw(2), draw(2), draw.positive(2), 0.1, 1e-5)


@sampled("batch_norm_update_stats")
def batch_norm_statistics(draw):
    yield call(draw(3, 2, 2), draw(2), draw.positive(2), 0.1)
    yield call(draw(4, 2), None, None, 0.1)


@sampled("batch_norm_backward")
def batch_norm_gradients(draw):
    x = draw(3, 2, 2)
    mean, deviation = x.mean((0, 2)), (x.var((0, 2)) + 1e-5) ** 0.5
    yield inexact(
        *(draw(3, 2, 2), x, draw(2), None, None, mean, 1 / deviation),
        *(True, 1e-5, (True, True, True), numpy.empty(0)),
    )


@sampled("native_batch_norm_backward")
def batch_norm_backward(draw):
    x = draw(3, 2, 2)
    mean, deviation = x.mean((0, 2)), (x.var((0, 2)) + 1e-5) ** 0.5
    everything = (True, True, True)
    # The saved mean and deviation are functions of the input, which differences do not see.
    yield inexact(
        draw(3, 2, 2), x, draw(2), None, None, mean, 1 / deviation, True, 1e-5, everything
    )
    yield call(
        *(draw(3, 2, 2), x, draw(2), draw(2), draw.positive(2), mean, 1 / deviation),
        *(False, 1e-5, everything),
    )


@sampled("native_layer_norm")
def layer_norm(draw):
    yield call(draw(2, 3), (3,), draw(3), draw(3), 1e-5)
    yield call(draw(2, 2, 3), (2, 3), None, None, 1e-5)


@sampled("native_layer_norm_backward")
def layer_norm_backward(draw):
    x = draw(2, 3)
    mean, deviation = x.mean(1, keepdims=True), (x.var(1, keepdims=True) + 1e-5) ** 0.5
    everything = (True, True, True)
    yield inexact(draw(2, 3), x, (3,), mean, 1 / deviation, draw(3), draw(3), everything)


@sampled("native_group_norm")
def group_norm(draw):
    yield call(draw(2, 4, 3), draw(4), draw(4), 2, 4, 3, 2, 1e-5)
    yield call(draw(2, 2, 3), None, None, 2, 2, 3, 1, 1e-5)


@sampled("native_group_norm_backward")
def group_norm_backward(draw):
    moments = draw(2, 2), draw.positive(2, 2)
    every = (True, True, True)
    yield call(draw(2, 4, 3), draw(2, 4, 3), *moments, draw(4), 2, 4, 3, 2, every)


@sampled("_scaled_dot_product_flash_attention_for_cpu")
def attention(draw):
    yield call(draw(1, 2, 3, 2), draw(1, 2, 4, 2), draw(1, 2, 4, 2))
    yield call(draw(1, 1, 3, 2), draw(1, 1, 3, 2), draw(1, 1, 3, 2), 0.0, True, scale=0.5)


@sampled("_scaled_dot_product_flash_attention_for_cpu_backward")
def attention_backward(draw):
    query, key, value = draw(1, 2, 3, 2), draw(1, 2, 4, 2), draw(1, 2, 4, 2)
    scores = query @ key.swapaxes(-1, -2) / 2**0.5
    logarithms = numpy.log(numpy.exp(scores).sum(-1))
    out = numpy.exp(scores - logarithms[..., None]) @ value
    yield call(draw(1, 2, 3, 2), query, key, value, out, logarithms, 0.0, False)


@sampled("pixel_shuffle", "pixel_unshuffle")
def pixels(draw):
    yield call(draw(4, 2, 2), 2)
    yield call(draw(1, 4, 2, 4), 2)


@sampled("channel_shuffle", "native_channel_shuffle")
def channels(draw):
    yield call(draw(1, 4, 3), 2)


@sampled("linalg__powsum")
def sums_of_powers(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), 3, (1,), True)


@sampled("norm_ScalarOpt_dim")
def norms_of_distances(draw):
    for p in (1.0, 2.0, 3.0):
        yield call(draw(2, 3), p, (1,))
    yield call(draw(2, 3), 2.0, (0,), True)


@sampled("norm_ScalarOpt_dtype")
def norms_of_all_in_another_dtype(draw):
    for p in (1.0, 2.0, 3.0):
        yield call(draw(2, 3), p, dtype=float64)


@sampled("norm_ScalarOpt_dim_dtype")
def norms_in_another_dtype(draw):
    for p in (1.0, 2.0, 3.0):
        yield call(draw(2, 3), p, (1,), False, dtype=float64)
    yield call(draw(2, 3), 2.0, (0,), True, dtype=float64)


@sampled("mkldnn_rnn_layer")
def recurrent_layer(draw):
    for reverse in (False, True):
        weights = (draw(12, 2), draw(12, 3), draw(12), draw(12))
        states = (draw(2, 3), draw(2, 3))
        yield call(draw(3, 2, 2), *weights, *states, reverse, (), 2, 3, 1, True, False, False, True)


@sampled("_pack_padded_sequence")
def packing(draw):
    yield call(draw(3, 3, 2), numpy.array([3, 1, 1]), False)
    yield call(draw(2, 3), numpy.array([3, 2]), True)


@sampled("_weight_norm_interface")
def weight_norm(draw):
    yield call(draw(3, 4), draw(3, 1), 0)
    yield call(draw(2, 3, 4), draw(1, 1, 4), 2)


@sampled("conv_tbc")
def conv_tbc(draw):
    yield call(draw(4, 2, 3), draw(2, 3, 2), draw(2))
    yield call(draw(3, 1, 2), draw(3, 2, 2), draw(2), 1)
