"""Samples of neural networks' operators: activations, softmax, losses."""

import numpy

import minitorch as torch
from minitorch.aten.losses.ctc import ctc_loss_forward
from minitorch.core.arrays import on_numpy
from tests.aten.samples.registry import call, inexact, sampled


@sampled("_softmax", "_log_softmax")
def softmax(draw):
    yield call(draw(2, 3), 1, False)
    yield call(draw(2, 3, 2), -2, False)
    yield call(draw(), 0, False)


@sampled("_safe_softmax")
def safe_softmax(draw):
    yield call(draw(2, 3), 1)
    yield call(draw(2, 3), 0)


@sampled("_softmax_backward_data", "_log_softmax_backward_data")
def softmax_backward(draw):
    yield call(draw(2, 3), draw.positive(2, 3), 1, torch.float64)
    yield call(draw(2, 3), draw.positive(2, 3), 0, torch.float64)


@sampled("celu", "celu_", "elu", "elu_", "leaky_relu", "leaky_relu_")
def with_a_slope(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), 0.3)
    yield call(draw(3, 2).T, 0.7)


@sampled("_prelu_kernel")
def prelu(draw):
    yield call(draw(2, 3), draw.positive(1, 3))
    yield call(draw(2, 3), draw.positive(1, 1))


@sampled("_prelu_kernel_backward")
def prelu_backward(draw):
    yield call(draw(2, 3), draw(2, 3), draw.positive(2, 3))
    yield call(draw(3, 2).T, draw(3, 2).T, draw.positive(2, 3))


@sampled("gelu")
def gelu(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), approximate="tanh")


@sampled("gelu_backward")
def gelu_backward(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(2, 3), approximate="tanh")


@sampled("glu")
def glu(draw):
    yield call(draw(2, 4))
    yield call(draw(4, 3), 0)


@sampled("glu_backward")
def glu_backward(draw):
    yield call(draw(2, 2), draw(2, 4), -1)
    yield call(draw(2, 3), draw(4, 3), 0)


@sampled("elu_backward")
def elu_backward(draw):
    yield call(draw(2, 3), 0.7, 1, 1, False, draw(2, 3))
    yield call(draw(2, 3), 0.7, 1.5, 0.5, True, draw(2, 3, low=-0.9, high=2))


@sampled("leaky_relu_backward")
def leaky_relu_backward(draw):
    yield call(draw(2, 3), draw(2, 3), 0.3, False)
    yield call(draw(2, 3), draw(2, 3), 0.3, True)


@sampled("hardshrink", "softshrink")
def shrink(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), 0.75)


@sampled("hardshrink_backward", "softshrink_backward", "threshold_backward")
def shrink_backward(draw):
    yield call(draw(2, 3), draw(2, 3), 0.5)


@sampled("hardtanh")
def hardtanh(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), -0.25, 1.75)


@sampled("hardtanh_backward")
def hardtanh_backward(draw):
    yield call(draw(2, 3), draw(2, 3), -1, 1)


@sampled("hardsigmoid", "hardswish")
def hard(draw):
    yield call(draw(2, 3, low=-4, high=4))
    yield call(draw())


@sampled(
    "hardsigmoid_backward",
    "hardswish_backward",
    "sigmoid_backward",
    "tanh_backward",
)
def of_a_gradient(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(3), draw(3))


@sampled("log_sigmoid_backward")
def log_sigmoid_backward(draw):
    x = draw(2, 3)
    yield inexact(draw(2, 3), x, numpy.exp(-abs(x)))  # the last is a function of the second


@sampled("softplus")
def softplus(draw):
    yield call(draw(2, 3))
    yield call(draw(2, 3), 2, 1.75)


@sampled("softplus_backward")
def softplus_backward(draw):
    yield call(draw(2, 3), draw(2, 3), 1, 20)
    yield call(draw(2, 3), draw(2, 3), 2, 1.75)


@sampled("threshold", "threshold_")
def threshold(draw):
    yield call(draw(2, 3), 0.25, -1.5)


# ---- losses; reduction is 0 none, 1 mean, 2 sum --------------------------------------------------


@sampled("mse_loss", "huber_loss", "smooth_l1_loss", "soft_margin_loss")
def loss(draw):
    for reduction in (0, 1, 2):
        yield call(draw(2, 3), draw(2, 3), reduction)


@sampled("mse_loss_backward", "soft_margin_loss_backward")
def loss_backward(draw):
    yield call(draw(2, 3), draw(2, 3), draw(2, 3), 0)
    yield call(draw(), draw(2, 3), draw(2, 3), 1)
    yield call(draw(), draw(2, 3), draw(2, 3), 2)


@sampled("huber_loss_backward", "smooth_l1_loss_backward")
def bent_loss_backward(draw):
    yield call(draw(2, 3), draw(2, 3), draw(2, 3), 0, 0.75)
    yield call(draw(), draw(2, 3), draw(2, 3), 1, 0.75)


@sampled("binary_cross_entropy")
def binary_cross_entropy(draw):
    for reduction in (0, 1, 2):
        yield call(draw(2, 3, low=0.1, high=0.9), draw(2, 3, low=0.1, high=0.9), None, reduction)
    yield call(draw(3, low=0.1, high=0.9), draw(3, low=0.1, high=0.9), numpy.array([1.0, 2.0, 0.5]))


@sampled("binary_cross_entropy_backward")
def binary_cross_entropy_backward(draw):
    yield call(draw(3), draw(3, low=0.1, high=0.9), draw(3, low=0.1, high=0.9), None, 0)
    yield call(draw(), draw(3, low=0.1, high=0.9), draw(3, low=0.1, high=0.9), None, 1)


@sampled("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(draw):
    for reduction in (0, 1, 2):
        yield call(draw(2, 3), draw(2, 3, low=0.1, high=0.9), None, None, reduction)
    yield call(draw(2, 3), draw(2, 3, low=0.1, high=0.9), draw.positive(3), draw.positive(3))


WEIGHTS = numpy.array([1.0, 0.5, 2.0])


def weight_of(target, ignored):
    """The sum of the weights of all targets but the ignored."""
    return numpy.asarray(WEIGHTS[target[target != ignored]].sum())


@sampled("nll_loss_forward")
def nll_loss(draw):
    target = numpy.array([2, 0, 1, 0])
    for reduction in (0, 1, 2):
        yield call(draw(4, 3), target, None, reduction, -100)
    yield call(draw(4, 3), target, WEIGHTS, 1, 1)


@sampled("nll_loss_backward")
def nll_loss_backward(draw):
    target = numpy.array([2, 0, 1, 0])
    yield call(draw(4), draw(4, 3), target, None, 0, -100, numpy.array(0.0))
    yield call(draw(), draw(4, 3), target, WEIGHTS, 1, 1, weight_of(target, 1))


@sampled("nll_loss2d_forward")
def nll_loss2d(draw):
    target = draw.integers(0, 3, 2, 2, 2)
    for reduction in (0, 1, 2):
        yield call(draw(2, 3, 2, 2), target, None, reduction, -100)
    yield call(draw(2, 3, 2, 2), target, WEIGHTS, 1, 1)


@sampled("nll_loss2d_backward")
def nll_loss2d_backward(draw):
    target = draw.integers(0, 3, 2, 2, 2)
    yield call(draw(2, 2, 2), draw(2, 3, 2, 2), target, None, 0, -100, numpy.array(0.0))
    yield call(draw(), draw(2, 3, 2, 2), target, WEIGHTS, 1, 1, weight_of(target, 1))


@sampled("multi_margin_loss")
def multi_margin_loss(draw):
    target = numpy.array([2, 0, 1, 0])
    for reduction in (0, 1, 2):
        yield call(draw(4, 3), target, 1 + reduction % 2, 0.75, None, reduction)
    yield call(draw(4, 3), target, 2, 1.5, WEIGHTS)
    yield call(draw(3), numpy.array(1), 1, 1, None, 0)


@sampled("multi_margin_loss_backward")
def multi_margin_loss_backward(draw):
    target = numpy.array([2, 0, 1, 0])
    yield call(draw(), draw(4, 3), target, 1, 1, WEIGHTS, 1)
    yield call(draw(4), draw(4, 3), target, 2, 0.5, None, 0)


LABELS = numpy.array([[0, 2, -1, 1], [-1, 0, 0, 0], [3, 3, 1, -1]])


@sampled("multilabel_margin_loss_forward")
def multilabel_margin_loss(draw):
    for reduction in (0, 1, 2):
        yield call(draw(3, 4) * 0.93, LABELS, reduction)  # no two of them differ by the margin
    yield call(draw(4) * 0.93, LABELS[0], 1)


@sampled("multilabel_margin_loss_backward")
def multilabel_margin_loss_backward(draw):
    wanted = numpy.array([[1.0, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1]])
    yield call(draw(), draw(3, 4), LABELS, 1, wanted)
    yield call(draw(3), draw(3, 4), LABELS, 0, wanted)


SEQUENCES = numpy.array([[1, 2, 2], [3, 1, 0]]), [6, 5], [3, 2]


@sampled("_ctc_loss")
def ctc_loss(draw):
    yield inexact(draw(6, 2, 4), *SEQUENCES)  # the gradient is that of logits
    yield inexact(draw(6, 2, 4), SEQUENCES[0].reshape(-1)[:4], [6, 4], [3, 1], 0, True)


def in_tensors(targets, *lengths):
    return targets, *map(numpy.array, lengths)


@sampled("_ctc_loss_Tensor")
def ctc_loss_with_lengths_in_tensors(draw):
    yield inexact(draw(6, 2, 4), *in_tensors(*SEQUENCES))


@sampled("_ctc_loss_backward")
def ctc_loss_backward(draw):
    x = draw(6, 2, 4)
    x = x - numpy.log(numpy.exp(x).sum(2, keepdims=True))
    with numpy.errstate(divide="ignore"):  # the logarithms of impossible probabilities
        outputs = ctc_loss_forward(on_numpy, x, *SEQUENCES, 0, False)
    yield call(draw(2), x, *SEQUENCES, *outputs, 0)


@sampled("_ctc_loss_backward_Tensor")
def ctc_loss_backward_with_lengths_in_tensors(draw):
    for each in ctc_loss_backward(draw):
        grad, x, *rest = each.args
        yield call(grad, x, *in_tensors(*rest[:3]), *rest[3:])


@sampled("silu_backward", "mish_backward")
def fused_gradients(draw):
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(3, 2).T, draw(2, 3))
