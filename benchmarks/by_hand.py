"""The training steps in plain NumPy, derivatives written by hand: what no library can undercut."""

from typing import Any

import numpy as np

from .measure import Sampler, statement

Array = Any


def parameters(*shapes: tuple[int, ...]) -> list[Array]:
    """Weights and biases of layers of these shapes, scaled by their fan-in."""
    generator = np.random.default_rng(0)
    found = []
    for shape in shapes:
        scale = np.float32(np.prod(shape[1:]) ** -0.5)
        found.append(generator.standard_normal(shape, dtype=np.float32) * scale)
        found.append(np.zeros(shape[0], np.float32))
    return found


def sgd(values: list[Array], rate: float) -> Any:
    rate = np.float32(rate)

    def update(gradients: list[Array]) -> None:
        for value, gradient in zip(values, gradients):
            np.multiply(gradient, rate, gradient)
            np.subtract(value, gradient, value)

    return update


def adam(values: list[Array], rate: float) -> Any:
    """Adam (Kingma and Ba, 2015) with the usual constants."""
    first = [np.zeros_like(value) for value in values]
    second = [np.zeros_like(value) for value in values]
    one, two, eps = np.float32(0.1), np.float32(0.001), np.float32(1e-8)
    count = 0

    def update(gradients: list[Array]) -> None:
        nonlocal count
        count += 1
        size = np.float32(rate / (1 - 0.9**count))
        root = np.float32((1 - 0.999**count) ** 0.5)
        for value, gradient, m, v in zip(values, gradients, first, second):
            m += one * (gradient - m)
            v += two * (gradient * gradient - v)
            value -= size * m / (np.sqrt(v) / root + eps)

    return update


def adam_step() -> Sampler:
    """The update alone of a million parameters in sixteen arrays, with no rounding of torch's."""
    generator = np.random.default_rng(1)
    values, gradients = [list(generator.standard_normal((16, 62500), np.float32)) for _ in "12"]
    update = adam(values, 0.001)
    return statement("update(gradients)", update=update, gradients=gradients)


def softmax_gradient(logits: Array, labels: Array) -> Array:
    """The derivative of the mean cross-entropy by the logits, after computing the loss."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    powers = np.exp(shifted)
    sums = powers.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    _loss = (np.log(sums)[:, 0] - shifted[rows, labels]).sum() / len(labels)
    powers /= sums
    powers[rows, labels] -= 1
    powers /= len(labels)
    return powers


def tiny_mlp(optimizer: str) -> Sampler:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((32, 2), dtype=np.float32)
    target = generator.standard_normal((32, 1), dtype=np.float32)
    values = w1, b1, w2, b2, w3, b3 = parameters((16, 2), (16, 16), (1, 16))
    update = {"SGD": sgd, "Adam": adam}[optimizer](values, 0.001)
    ones = np.ones(32, np.float32)
    scale = np.float32(2 / 32)

    def run() -> None:
        h1 = np.tanh(x.dot(w1.T) + b1)
        h2 = np.tanh(h1.dot(w2.T) + b2)
        error = h2.dot(w3.T) + b3 - target
        _loss = np.vdot(error, error) / 32
        g3 = error * scale
        g2 = g3.dot(w3) * (1 - h2 * h2)
        g1 = g2.dot(w2) * (1 - h1 * h1)
        update([g1.T.dot(x), ones.dot(g1), g2.T.dot(h1), ones.dot(g2), g3.T.dot(h2), ones.dot(g3)])

    return statement("run()", run=run)


def mnist_mlp(optimizer: str) -> Sampler:
    generator = np.random.default_rng(1)
    x = generator.standard_normal((64, 784), dtype=np.float32)
    labels = generator.integers(0, 10, 64)
    values = w1, b1, w2, b2 = parameters((256, 784), (10, 256))
    update = {"SGD": sgd, "Adam": adam}[optimizer](values, 0.001)
    ones = np.ones(64, np.float32)

    def run() -> None:
        h = x.dot(w1.T)
        h += b1
        np.maximum(h, 0, h)
        g2 = softmax_gradient(h.dot(w2.T) + b2, labels)
        g1 = g2.dot(w2)
        g1 *= h > 0
        update([g1.T.dot(x), ones.dot(g1), g2.T.dot(h), ones.dot(g2)])

    return statement("run()", run=run)


def columns(images: Array, kernel: int, out: Array) -> Array:
    """All windows of NCHW images, one column each: (N, C * kernel * kernel, H' * W')."""
    n, channels, height, width = images.shape
    height, width = height - kernel + 1, width - kernel + 1
    windows = out.reshape(n, channels, kernel, kernel, height, width)
    for i in range(kernel):
        for j in range(kernel):
            windows[:, :, i, j] = images[:, :, i : i + height, j : j + width]
    return out


def images_of(windows: Array, kernel: int, shape: tuple[int, ...]) -> Array:
    """The transpose of `columns`: each column added to where it was taken from."""
    n, channels, height, width = shape
    height, width = height - kernel + 1, width - kernel + 1
    windows = windows.reshape(n, channels, kernel, kernel, height, width)
    out = np.zeros(shape, np.float32)
    for i in range(kernel):
        for j in range(kernel):
            out[:, :, i : i + height, j : j + width] += windows[:, :, i, j]
    return out


def pool(images: Array) -> tuple[Array, Array]:
    """The largest of each two-by-two block, and a mask of where it stood."""
    n, channels, height, width = images.shape
    blocks = images.reshape(n, channels, height // 2, 2, width // 2, 2)
    out = np.maximum(
        np.maximum(blocks[..., 0, :, 0], blocks[..., 0, :, 1]),
        np.maximum(blocks[..., 1, :, 0], blocks[..., 1, :, 1]),
    )
    return out, blocks == out[:, :, :, None, :, None]


def lenet() -> Sampler:
    """LeNet with convolutions as im2col and one matrix product."""
    generator = np.random.default_rng(1)
    x = np.pad(
        generator.standard_normal((64, 1, 28, 28), dtype=np.float32),
        ((0, 0), (0, 0), (2, 2), (2, 2)),
    )
    labels = generator.integers(0, 10, 64)
    shapes = (6, 1, 5, 5), (16, 6, 5, 5), (120, 400), (84, 120), (10, 84)
    values = w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = parameters(*shapes)
    update = sgd(values, 0.01)
    ones = np.ones(64, np.float32)
    buffer1 = np.empty((64, 25, 784), np.float32)
    buffer2 = np.empty((64, 150, 100), np.float32)

    def run() -> None:
        x_columns = columns(x, 5, buffer1)
        h1 = np.matmul(w1.reshape(6, 25), x_columns)
        h1 += b1[:, None]
        np.maximum(h1, 0, h1)
        p1, mask1 = pool(h1.reshape(64, 6, 28, 28))
        p1_columns = columns(p1, 5, buffer2)
        h2 = np.matmul(w2.reshape(16, 150), p1_columns)
        h2 += b2[:, None]
        np.maximum(h2, 0, h2)
        p2, mask2 = pool(h2.reshape(64, 16, 10, 10))
        h = p2.reshape(64, 400)
        h3 = np.maximum(h.dot(w3.T) + b3, 0)
        h4 = np.maximum(h3.dot(w4.T) + b4, 0)
        g5 = softmax_gradient(h4.dot(w5.T) + b5, labels)
        g4 = g5.dot(w5) * (h4 > 0)
        g3 = g4.dot(w4) * (h3 > 0)
        g_pool2 = (g3.dot(w3) * (h > 0)).reshape(64, 16, 5, 1, 5, 1)
        g2 = (g_pool2 * mask2).reshape(64, 16, 100)
        g_pool1 = images_of(np.matmul(w2.reshape(16, 150).T, g2), 5, p1.shape)
        g_pool1 = (g_pool1 * (p1 > 0)).reshape(64, 6, 14, 1, 14, 1)
        g1 = (g_pool1 * mask1).reshape(64, 6, 784)
        gw1 = np.matmul(g1, x_columns.transpose(0, 2, 1)).sum(axis=0).reshape(w1.shape)
        gw2 = np.matmul(g2, p1_columns.transpose(0, 2, 1)).sum(axis=0).reshape(w2.shape)
        gradients = [gw1, g1.sum(axis=(0, 2)), gw2, g2.sum(axis=(0, 2))]
        for layer, below in ((g3, h), (g4, h3), (g5, h4)):
            gradients += [layer.T.dot(below), ones.dot(layer)]
        update(gradients)

    return statement("run()", run=run)
