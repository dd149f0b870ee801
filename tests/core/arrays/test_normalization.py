"""Normalisations against their definitions in double, their gradients by finite differences."""

import numpy as np
import pytest

from minitorch.core.arrays import normalization
from minitorch.core.arrays import on_numpy as xp

EPS = 1e-5


def draw(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape) * 2 + 1


def standardized(x, axes):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=axes, keepdims=True) + EPS)


def check_gradient(forward, x, grad, out):
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-5
        change = forward(x + step) - forward(x - step)
        np.testing.assert_allclose(out[at], (grad * change).sum() / 2e-5, atol=1e-7)


def test_layer_norm_standardizes_the_last_axes():
    x, weight, bias = draw(0, 2, 3, 4, 5), draw(1, 4, 5), draw(2, 4, 5)
    out, mean, rstd = normalization.layer_norm(xp, x, (4, 5), weight, bias, EPS)
    np.testing.assert_allclose(out, standardized(x, (2, 3)) * weight + bias, atol=1e-12)
    assert mean.shape == rstd.shape == (2, 3, 1, 1)
    np.testing.assert_allclose(mean, x.mean(axis=(2, 3), keepdims=True))
    np.testing.assert_allclose(rstd, 1 / np.sqrt(x.var(axis=(2, 3), keepdims=True) + EPS))


@pytest.mark.parametrize("affine", [False, True])
def test_layer_norm_gradients(affine):
    x, grad = draw(0, 3, 4), draw(3, 3, 4)
    weight, bias = (draw(1, 4), draw(2, 4)) if affine else (None, None)

    def forward(x, weight=weight, bias=bias):
        return normalization.layer_norm(xp, x, (4,), weight, bias, EPS)[0]

    _, mean, rstd = normalization.layer_norm(xp, x, (4,), weight, bias, EPS)
    grads = normalization.layer_norm_backward(
        xp, grad, x, (4,), mean, rstd, weight, (True, affine, affine)
    )
    check_gradient(forward, x, grad, grads[0])
    if affine:
        check_gradient(lambda w: forward(x, w), weight, grad, grads[1])
        check_gradient(lambda b: forward(x, weight, b), bias, grad, grads[2])
    else:
        assert grads[1] is grads[2] is None


def test_group_norm_standardizes_groups_of_channels():
    x, weight, bias = draw(0, 2, 6, 2, 2), draw(1, 6), draw(2, 6)
    out, mean, rstd = normalization.group_norm(xp, x, weight, bias, 3, EPS)
    groups = standardized(x.reshape(2, 3, 2, 2, 2), (2, 3, 4)).reshape(x.shape)
    expected = groups * weight[:, None, None] + bias[:, None, None]
    np.testing.assert_allclose(out, expected, atol=1e-12)
    assert mean.shape == rstd.shape == (2, 3)


def test_group_norm_gradients():
    x, weight, bias, grad = draw(0, 2, 4, 3), draw(1, 4), draw(2, 4), draw(3, 2, 4, 3)

    def forward(x, weight=weight, bias=bias):
        return normalization.group_norm(xp, x, weight, bias, 2, EPS)[0]

    _, mean, rstd = normalization.group_norm(xp, x, weight, bias, 2, EPS)
    grads = normalization.group_norm_backward(xp, grad, x, mean, rstd, weight, 2, (True,) * 3)
    check_gradient(forward, x, grad, grads[0])
    check_gradient(lambda w: forward(x, w), weight, grad, grads[1])
    check_gradient(lambda b: forward(x, weight, b), bias, grad, grads[2])


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 2, 2)])
def test_batch_norm_standardizes_channels_and_keeps_running_statistics(shape):
    x, weight, bias = draw(0, *shape), draw(1, 3), draw(2, 3)
    axes = (0, *range(2, x.ndim))
    mean, var = np.zeros(3), np.ones(3)
    out, save_mean, save_invstd = normalization.batch_norm(
        xp, x, weight, bias, mean, var, True, 0.1, EPS
    )
    spread = (3, *[1] * (x.ndim - 2))
    expected = standardized(x, axes) * weight.reshape(spread) + bias.reshape(spread)
    np.testing.assert_allclose(out, expected, atol=1e-12)
    np.testing.assert_allclose(save_mean, x.mean(axis=axes))
    np.testing.assert_allclose(save_invstd, 1 / np.sqrt(x.var(axis=axes) + EPS))
    np.testing.assert_allclose(mean, 0.1 * x.mean(axis=axes))
    np.testing.assert_allclose(var, 0.9 + 0.1 * x.var(axis=axes, ddof=1))


@pytest.mark.parametrize("training", [False, True])
def test_batch_norm_gradients(training):
    x, weight, bias, grad = draw(0, 3, 2, 2), draw(1, 2), draw(2, 2), draw(3, 3, 2, 2)
    mean, var = draw(4, 2), np.array([0.5, 2])

    def forward(x, weight=weight, bias=bias):
        copies = (mean.copy(), var.copy())
        return normalization.batch_norm(xp, x, weight, bias, *copies, training, 0.1, EPS)[0]

    saved = normalization.batch_norm(
        xp, x, weight, bias, mean.copy(), var.copy(), training, 0.1, EPS
    )[1:]
    grads = normalization.batch_norm_backward(
        xp, grad, x, weight, mean, var, *saved, training, EPS, (True,) * 3
    )
    check_gradient(forward, x, grad, grads[0])
    check_gradient(lambda w: forward(x, w), weight, grad, grads[1])
    check_gradient(lambda b: forward(x, weight, b), bias, grad, grads[2])


def test_evaluation_leaves_the_running_statistics_alone():
    mean, var = np.array([1.0]), np.array([4.0])
    out, save_mean, _ = normalization.batch_norm(
        xp, np.array([[3.0]]), None, None, mean, var, False, 0.1, 0.0
    )
    assert out.tolist() == [[1]]
    assert save_mean.size == 0
    assert (mean.tolist(), var.tolist()) == ([1], [4])


def test_half_input_is_computed_in_float32():
    x = draw(0, 2, 64).astype("float16")
    weight = np.ones(64, "float32")
    out, mean, rstd = normalization.layer_norm(xp, x, (64,), weight, None, EPS)
    wide = standardized(x.astype("float32"), (1,))
    assert (out.dtype, mean.dtype, rstd.dtype) == (np.float16, np.float32, np.float32)
    np.testing.assert_allclose(out, wide.astype("float16"), atol=1e-3)
    grads = normalization.layer_norm_backward(
        xp, x, x, (64,), mean, rstd, weight, (True, True, False)
    )
    assert (grads[0].dtype, grads[1].dtype) == (np.float16, np.float32)
