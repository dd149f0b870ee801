"""Convolution against a loop over every output pixel, its gradients against dot products."""

from itertools import product

import numpy as np
import pytest

from minitorch.core.arrays import convolution as module
from minitorch.core.arrays import on_numpy as xp
from minitorch.core.arrays.convolution import convolution, convolution_backward


def naive(x, weight, stride, padding, dilation, groups):
    """One output pixel after another, as the definition says."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    o, c = weight.shape[:2]
    kernel = weight.shape[2:]
    size = [
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation)
    ]
    out = np.zeros((x.shape[0], o, *size), x.dtype)
    for n, channel, *at in product(*map(range, out.shape)):
        group = channel // (o // groups)
        channels = slice(group * c, (group + 1) * c)
        window = [
            slice(
                at[i] * stride[i],
                at[i] * stride[i] + dilation[i] * (kernel[i] - 1) + 1,
                dilation[i],
            )
            for i in range(axes)
        ]
        out[(n, channel, *at)] = (x[(n, channels, *window)] * weight[channel]).sum()
    return out


CASES = [  # image, kernel, stride, padding, dilation, groups, channels in and out of a group
    ((7,), (3,), (1,), (0,), (1,), 1, 2, 3),
    ((9,), (4,), (3,), (2,), (2,), 2, 1, 2),
    ((7, 7), (7, 7), (1, 1), (0, 0), (1, 1), 1, 2, 2),  # a window as large as the image
    ((5, 6), (3, 3), (1, 1), (1, 1), (1, 1), 1, 2, 3),
    ((6, 5), (1, 1), (1, 1), (0, 0), (1, 1), 1, 3, 2),
    ((6, 5), (1, 1), (2, 2), (0, 0), (1, 1), 1, 3, 2),
    ((8, 7), (3, 2), (2, 3), (1, 0), (1, 2), 3, 1, 1),
    ((7, 8), (2, 4), (3, 1), (4, 3), (2, 1), 1, 1, 4),
    ((3, 3), (2, 2), (1, 1), (3, 3), (1, 1), 1, 2, 2),
    ((5, 4), (3, 1), (1, 1), (0, 0), (1, 1), 1, 2, 1),
    ((4, 3, 5), (2, 3, 2), (1, 2, 1), (1, 1, 0), (1, 1, 2), 2, 2, 1),
]


def draw(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape)


@pytest.mark.parametrize("case", CASES)
def test_convolution_is_the_sum_over_the_window(case):
    image, kernel, stride, padding, dilation, groups, c, o = case
    x = draw(3, c * groups, *image)
    weight = draw(o * groups, c, *kernel)
    bias = draw(o * groups)
    out = convolution(
        xp, x, weight, bias, stride, padding, dilation, False, (0,) * len(image), groups
    )
    expected = naive(x, weight, stride, padding, dilation, groups)
    expected += bias.reshape(-1, *[1] * len(image))
    assert out.flags.c_contiguous
    np.testing.assert_allclose(out, expected, atol=1e-12)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_the_adjoints_of_the_bilinear_map(case, transposed):
    image, kernel, stride, padding, dilation, groups, c, o = case
    x = draw(3, c * groups, *image)
    # The transposed map keeps its input's channels first.
    weight = draw(c * groups, o, *kernel) if transposed else draw(o * groups, c, *kernel)
    arguments = (stride, padding, dilation, transposed, (0,) * len(image), groups)
    if transposed and any(
        (n - 1) * s - 2 * p + d * (k - 1) + 1 <= 0
        for n, k, s, p, d in zip(image, kernel, stride, padding, dilation)
    ):
        pytest.skip("the padding eats the whole output")
    grad = np.ones_like(convolution(xp, x, weight, None, *arguments))
    grad = grad * draw(*grad.shape)
    by_x, by_weight, by_bias = convolution_backward(
        xp, grad, x, weight, *arguments, (True, True, True)
    )
    for n in range(3):  # an arbitrary direction for each gradient
        rng = np.random.default_rng(n)
        u, v = rng.standard_normal(x.shape), rng.standard_normal(weight.shape)
        along = (grad * convolution(xp, u, weight, None, *arguments)).sum()
        np.testing.assert_allclose((by_x * u).sum(), along, atol=1e-9)
        along = (grad * convolution(xp, x, v, None, *arguments)).sum()
        np.testing.assert_allclose((by_weight * v).sum(), along, atol=1e-9)
    assert by_x.flags.c_contiguous
    assert by_weight.flags.c_contiguous
    axes = (0, *range(2, grad.ndim))
    np.testing.assert_allclose(by_bias, grad.sum(axis=axes), atol=1e-12)


def test_transposed_convolution_spreads_each_pixel():
    x = np.array([[[1.0, 2]]])
    weight = np.array([[[1.0, 10, 100]]])
    out = convolution(xp, x, weight, np.array([0.5]), (2,), (0,), (1,), True, (1,), 1)
    np.testing.assert_array_equal(out, [[[1.5, 10.5, 102.5, 20.5, 200.5, 0.5]]])


def test_the_mask_names_the_gradients_that_are_computed():
    x, weight = np.ones((1, 1, 3)), np.ones((1, 1, 2))
    rest = ((1,), (0,), (1,), False, (0,), 1)
    grads = convolution_backward(xp, np.ones((1, 1, 2)), x, weight, *rest, (False, True, False))
    assert grads[0] is None
    assert grads[1].tolist() == [[[2, 2]]]
    assert grads[2] is None


def test_expanded_gradients_and_strided_images_are_read_only():
    x = draw(2, 5, 4, 3).transpose(0, 3, 2, 1)
    weight = draw(2, 3, 3, 3)
    rest = ((1, 1), (1, 1), (1, 1), False, (0, 0), 1)
    expanded = np.broadcast_to(np.float64(2), (2, 2, 4, 5))
    grads = convolution_backward(xp, expanded, x, weight, *rest, (True, True, True))
    dense = convolution_backward(
        xp, np.full((2, 2, 4, 5), 2.0), x.copy(), weight, *rest, (True, True, True)
    )
    for one, other in zip(grads, dense):
        np.testing.assert_array_equal(one, other)


def test_padding_stays_zero_when_the_block_memory_is_used_again():
    rest = ((1, 1), (1, 1), (1, 1), False, (0, 0), 1)
    weight = np.ones((1, 1, 3, 3), "float32")
    first = convolution(xp, np.full((2, 1, 4, 4), 7, "float32"), weight, None, *rest)
    second = convolution(xp, np.ones((2, 1, 4, 4), "float32"), weight, None, *rest)
    assert first[0, 0, 0, 0] == 28
    assert second[0, 0, 0].tolist() == [4, 6, 6, 4]


def test_half_types_are_rounded_once_at_the_end():
    x = np.full((1, 1, 4096), 1, np.float16)
    weight = np.full((1, 1, 4096), 1.001, np.float16)
    out = convolution(xp, x, weight, None, (1,), (0,), (1,), False, (0,), 1)
    assert out.dtype == np.float16
    assert out.item() == np.float16(4096 * float(weight[0, 0, 0]))


def test_complex_gradients_are_conjugated():
    x, weight = np.array([[[1 + 2j]]]), np.array([[[3 - 1j]]])
    rest = ((1,), (0,), (1,), False, (0,), 1)
    out = convolution_backward(xp, np.array([[[1j]]]), x, weight, *rest, (True, True, True))
    assert out[0].item() == 1j * (3 + 1j)
    assert out[1].item() == 1j * (1 - 2j)


def test_an_empty_batch_gives_an_empty_result_and_zero_gradients():
    x, weight = np.ones((0, 2, 5)), np.ones((3, 2, 2))
    rest = ((1,), (0,), (1,), False, (0,), 1)
    out = convolution(xp, x, weight, None, *rest)
    assert out.shape == (0, 3, 4)
    grads = convolution_backward(xp, out, x, weight, *rest, (True, True, True))
    assert grads[0].shape == x.shape
    assert not grads[1].any()
    assert grads[2].tolist() == [0, 0, 0]


def test_a_weights_gradient_is_that_of_either_order_of_its_products(monkeypatch):
    rng = np.random.default_rng(0)
    x, grad = [rng.standard_normal((5, 32, 9, 9), dtype=np.float32) for _ in range(2)]
    weight = np.zeros((32, 32, 3, 3), np.float32)
    options = ((1, 1), (1, 1), (1, 1), False, (0, 0), 1, (False, True, False))
    found = []
    for copied in (False, True):
        monkeypatch.setattr(module, "prefers_rows", lambda *sizes, copied=copied: copied)
        found.append(convolution_backward(xp, grad, x, weight, *options)[1])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-4)
