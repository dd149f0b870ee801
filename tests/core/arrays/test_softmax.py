"""Softmax and the negative log-likelihood on small cases worked out by hand or by a loop."""

import numpy as np
import pytest

from minitorch.core.arrays import on_numpy as xp
from minitorch.core.arrays import softmax as module

DTYPES = ["float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_softmax_and_its_logarithm_follow_the_definition(dtype, axis):
    x = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(dtype)
    e = np.exp(x.astype("float64"))
    expected = e / e.sum(axis=axis, keepdims=True)
    tolerance = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-13}[dtype]
    out = module.softmax(xp, x, axis)
    assert out.dtype == dtype
    np.testing.assert_allclose(out, expected, rtol=tolerance)
    out = module.log_softmax(xp, x, axis)
    assert out.dtype == dtype
    np.testing.assert_allclose(out, np.log(expected), rtol=2 * tolerance, atol=tolerance)


def test_large_numbers_do_not_overflow():
    x = np.array([[1000, 1000, -np.inf]], "float32")
    assert module.softmax(xp, x, 1).tolist() == [[0.5, 0.5, 0]]
    np.testing.assert_allclose(module.log_softmax(xp, x, 1)[0, :2], -np.log(2), rtol=1e-6)


def test_a_number_by_itself_is_certain():
    x = np.array(3.0, "float32")
    for out, value in [(module.softmax(xp, x, 0), 1), (module.log_softmax(xp, x, 0), 0)]:
        assert isinstance(out, np.ndarray)
        assert out == value
    for backward in (module.softmax_backward, module.log_softmax_backward):
        assert isinstance(backward(xp, x, x, 0), np.ndarray)
    assert module.softmax(xp, np.empty((2, 0), "float32"), 1).shape == (2, 0)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_gradients_agree_with_finite_differences(name, axis):
    rng = np.random.default_rng(0)
    x, grad = rng.standard_normal((2, 3, 4))
    forward = getattr(module, name)
    out = getattr(module, name + "_backward")(xp, grad, forward(xp, x, axis), axis)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        change = forward(xp, x + step, axis) - forward(xp, x - step, axis)
        np.testing.assert_allclose(out[at], (grad * change).sum() / 2e-6, atol=1e-8)


def naive_nll(x, target, weight, reduction, ignore):
    losses, weights = np.zeros(target.shape), 0.0
    for at in np.ndindex(target.shape):
        t = target[at]
        if t != ignore:
            losses[at] = -weight[t] * x[(at[0], t, *at[1:])]
            weights += weight[t]
    return {0: losses, 1: losses.sum() / weights, 2: losses.sum()}[reduction], weights


@pytest.mark.parametrize("image", [(), (2, 3)])
@pytest.mark.parametrize("ignore", [-100, 1])
@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_negative_log_likelihood_and_its_gradient(image, ignore, reduction, weighted):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((20, 4, *image))
    target = rng.integers(0, 4, (20, *image))
    target[3] = ignore
    weight = rng.random(4) if weighted else None
    ones = np.ones(4) if weight is None else weight
    expected, weights = naive_nll(x, target, ones, reduction, ignore)
    out, total = module.nll_loss(xp, x, target, weight, reduction, ignore)
    np.testing.assert_allclose(out, expected)
    if reduction:
        np.testing.assert_allclose(total, weights)
    grad = np.asarray(rng.standard_normal(out.shape))
    back = module.nll_loss_backward(xp, grad, x, target, weight, reduction, ignore, total)
    direction = rng.standard_normal(x.shape)
    along, _ = naive_nll(direction, target, ones, reduction, ignore)  # the loss is linear
    np.testing.assert_allclose((back * direction).sum(), (along * grad).sum())


def test_a_single_sample_has_no_batch_axis():
    out, total = module.nll_loss(xp, np.array([1.0, 2]), np.array(1), None, 1, -100)
    assert out == -2
    assert total == 1


def test_a_mean_of_nothing_is_nan_and_has_no_gradient():
    x, target = np.ones((2, 3)), np.array([-100, -100])
    out, total = module.nll_loss(xp, x, target, None, 1, -100)
    assert np.isnan(out)
    grad = module.nll_loss_backward(xp, np.array(1.0), x, target, None, 1, -100, total)
    assert not grad.any()


@pytest.mark.parametrize("target", [3, -1])
def test_targets_that_are_no_class_are_refused(target):
    with pytest.raises(IndexError, match=rf"Target {target} is out of bounds\."):
        module.nll_loss(xp, np.ones((1, 3)), np.array([target]), None, 1, -100)


def test_terms_are_added_in_the_order_of_the_loss_kernel():
    """Sixteen terms make a group, and the very first term is added last."""
    x = np.random.default_rng(0).standard_normal((40, 1)).astype("float32")
    groups = [np.float32(0)] * 3
    for i, value in enumerate(-x[1:, 0]):
        groups[i // 16] += value
    expected = (groups[2] + (groups[0] + groups[1])) + -x[0, 0]
    out, _ = module.nll_loss(xp, x, np.zeros(40, "int64"), None, 2, -100)
    assert out == expected
