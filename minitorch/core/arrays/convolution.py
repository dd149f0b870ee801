"""Convolution in any number of dimensions, forward and backward, as a few large matrix products.

The image is laid out so that every tap of the *first* spatial axis is a contiguous slice: for
each tap of the other axes there is one shifted copy of all rows ("row expansion": k copies where
im2col needs k * k), and rows are sorted by their remainder modulo the stride. A convolution is
then one product per tap of the first axis:

    out[n] = sum over i of weight[:, :, i] @ rows[n][:, first_i : last_i]

The gradient of the weight multiplies by the transposed slices; the gradient of the input runs
the same steps backwards (add the products to the slices, then add the shifted copies to the
image), and that is also the forward pass of a transposed convolution. So three functions over
one layout serve convolution, transposed convolution and both of their derivatives, which again
makes double backward expressible through `convolution` and `convolution_backward`.

Images are taken in blocks whose rows stay in the second-level cache, and the blocks' memory is
kept for the next call of the same thread. Against torch with one thread: LeNet's two layers
0.5 and 1.6 of its time forward, 0.3 and 1.3 backward; 16 to 64 channels of 3 x 3 0.9 to 1.4
forward, 1.3 to 1.8 backward; depthwise 2 to 3.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy

from minitorch.core.arrays import layout
from minitorch.core.arrays.blas import prefers_rows
from minitorch.core.arrays.floating_point import cast, is_half, widened
from minitorch.core.arrays.on_numpy import own
from minitorch.core.arrays.windows import col2im, overlap, transposed_size, window_count
from minitorch.core.numbers.float8 import is_complex_half

_BLOCK_BYTES = 400_000
_Ints = tuple[int, ...]


def convolution(
    xp: Any,
    input: Any,
    weight: Any,
    bias: Any,
    stride: _Ints,
    padding: _Ints,
    dilation: _Ints,
    transposed: bool,
    output_padding: _Ints,
    groups: int,
) -> Any:
    """The cross-correlation of a batch of images with `weight`, or the transpose of that map.

    Args:
        input: (N, C, *image) with one to three spatial axes.
        weight: (O, C / groups, *kernel), or (C, O / groups, *kernel) where transposed.
        bias: (O,) or None.
        stride, padding, dilation, output_padding: one integer for each spatial axis.
    Returns:
        (N, O, *out), C-contiguous, in input's dtype. Half types are computed in float32 and
        rounded once; where transposed, each product is, and each addition of windows.

    As ATen/native/Convolution.cpp. Sizes are not checked here.
    """
    dtype = input.dtype
    if is_half(dtype) and xp.fused is None:
        if transposed:
            size = transposed_size(
                input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding
            )
            columns = _columns_of_halves(xp, input, weight, groups)
            last = [layout.is_channels_last(x.shape, layout.strides_of(x)) for x in (input, weight)]
            backwards = any(last) and input.ndim == 4
            geometry = (size, weight.shape[2:], dilation, padding, stride)
            out = col2im(xp, columns, *geometry, backwards, input.shape[2:])
            return out if bias is None else out + bias.reshape(-1, *[1] * len(size))
        wide = [None if a is None else a.astype(xp.float32) for a in (input, weight, bias)]
        out = convolution(xp, *wide, stride, padding, dilation, transposed, output_padding, groups)
        return out.astype(dtype)
    if is_complex_half(dtype):
        wide = [None if a is None else widened(a) for a in (input, weight, bias)]
        out = convolution(xp, *wide, stride, padding, dilation, transposed, output_padding, groups)
        return cast(out, dtype)
    if input.ndim == 3:
        out = convolution(
            xp, input[:, :, None], weight[:, :, None], bias, (1, *stride), (0, *padding),
            (1, *dilation), transposed, (0, *output_padding), groups,
        )  # fmt: skip
        return out[:, :, 0]
    image, kernel = input.shape[2:], weight.shape[2:]
    if transposed:
        out = transposed_size(image, kernel, stride, padding, dilation, output_padding)
        rows = _rows(out, kernel, image, stride, padding, dilation)
        return _transposed(xp, rows, input, weight, groups, bias)
    out = tuple(map(window_count, image, kernel, stride, padding, dilation))
    rows = _rows(image, kernel, out, stride, padding, dilation)
    return _correlate(xp, rows, input, weight, groups, bias)


def convolution_backward(
    xp: Any,
    grad_output: Any,
    input: Any,
    weight: Any,
    stride: _Ints,
    padding: _Ints,
    dilation: _Ints,
    transposed: bool,
    output_padding: _Ints,
    groups: int,
    output_mask: tuple[bool, bool, bool],
) -> tuple[Any, Any, Any]:
    """The gradients of `convolution` by input, weight and bias; None where the mask says so.

    grad_output may have any strides, also zero ones. As ATen/native/Convolution.cpp.
    """
    dtype = input.dtype
    if is_half(dtype) and xp.fused is None:
        wide = [a.astype(xp.float32) for a in (grad_output, input, weight)]
        grads = convolution_backward(
            xp, *wide, stride, padding, dilation, transposed, output_padding, groups, output_mask
        )
        return tuple([None if grad is None else grad.astype(dtype) for grad in grads])
    if input.ndim == 3:
        grad_input, grad_weight, grad_bias = convolution_backward(
            xp, grad_output[:, :, None], input[:, :, None], weight[:, :, None], (1, *stride),
            (0, *padding), (1, *dilation), transposed, (0, *output_padding), groups, output_mask,
        )  # fmt: skip
        grad_input = None if grad_input is None else own(grad_input[:, :, 0])
        grad_weight = None if grad_weight is None else own(grad_weight[:, :, 0])
        return grad_input, grad_weight, grad_bias
    grad_output = xp.ascontiguousarray(grad_output)
    image, out, kernel = input.shape[2:], grad_output.shape[2:], weight.shape[2:]
    grad_input = grad_weight = grad_bias = None
    if transposed:
        rows = _rows(out, kernel, image, stride, padding, dilation)
        if output_mask[0]:
            grad_input = _correlate(xp, rows, grad_output, weight.conj(), groups)
        if output_mask[1]:
            grad_weight = _weight_gradient(
                xp, rows, grad_output, input.conj(), groups, weight.shape
            )
    else:
        rows = _rows(image, kernel, out, stride, padding, dilation)
        if output_mask[0]:
            grad_input = _transposed(xp, rows, grad_output, weight.conj(), groups)
        if output_mask[1]:
            grad_weight = _weight_gradient(
                xp, rows, input.conj(), grad_output, groups, weight.shape
            )
    if output_mask[2]:
        n, channels = grad_output.shape[:2]
        flat = grad_output.reshape(n * channels, prod(out))
        # A product with ones adds the pixels in half the time of add.reduce.
        pixels = flat.dot(xp.ones(flat.shape[1], flat.dtype)).reshape(n, channels)
        grad_bias = xp.add.reduce(pixels, 0)
    return grad_input, grad_weight, grad_bias


def _columns_of_halves(xp: Any, input: Any, weight: Any, groups: int) -> Any:
    """(N, C, *image), (C, O / groups, *kernel) -> (N, O * taps, pixels), each rounded once.

    ATen's own kernels add up windows in the type of the input; oneDNN, which would in float32,
    takes no half types on the processor that minitorch follows (aten/processor.py).
    """
    n, c = input.shape[:2]
    taps = weight.astype(xp.float32).reshape(groups, c // groups, -1)
    pixels = input.astype(xp.float32).reshape(n, groups, c // groups, -1)
    columns = xp.matmul(taps.swapaxes(1, 2), pixels).astype(input.dtype)
    return columns.reshape(n, -1, pixels.shape[-1])


class _Rows:
    """Where the pixels of an image stand in the expanded rows. Made once for each geometry.

    The rows of one channel have the axes (taps of the other axes, phases, depth, *out[1:]):
    `phases` are the remainders of row numbers modulo the stride, `depth` the rows of a phase.
    """

    def __init__(self, image, kernel, out, stride, padding, dilation):
        self.image, self.kernel, self.out = image, kernel, out
        self.geometry = (image, kernel, out, stride, padding, dilation)
        self.taps = prod(kernel[1:])
        starts = [i * dilation[0] for i in range(kernel[0])]
        used = sorted({start % stride[0] for start in starts})
        self.phases = len(used)
        self.depth = max(start // stride[0] for start in starts) + out[0]
        line = prod(out[1:])
        self.pixels = out[0] * line
        # For each tap of the first axis, its phase and its slice of that phase's flat rows.
        self.slices = []
        for start in starts:
            first = start // stride[0] * line
            self.slices.append((used.index(start % stride[0]), slice(first, first + self.pixels)))
        # Pairs of indices (of the rows, of the image), one pair a shifted copy.
        self.copies = []
        for phase, start in enumerate(used):
            row = overlap(start, stride[0], padding[0], image[0], self.depth)
            for tap, shifts in enumerate(product(*[range(k) for k in kernel[1:]])):
                others = [
                    overlap(shift * d, s, p, n, o)
                    for shift, d, s, p, n, o in zip(
                        shifts, dilation[1:], stride[1:], padding[1:], image[1:], out[1:]
                    )
                ]
                if row and all(others):
                    there, here = zip(row, *others)
                    every = slice(None)
                    self.copies.append(((every, every, tap, phase, *there), (..., *here)))
        # The geometry of the map that takes gradients back, itself a convolution at stride one.
        self.mirror = None
        if set(stride) == {1}:
            rest = [d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding)]
            if min(rest) >= 0:
                self.mirror = (out, kernel, image, stride, tuple(rest), dilation)
        # A pointwise first axis of an unpadded image is laid out as it should be.
        self.is_image = (
            self.taps == 1
            and set(stride) == {1}
            and not any(padding)
            and (self.depth, *out[1:]) == image
        )

    def shape(self, channels: int) -> _Ints:
        return (channels, self.taps, self.phases, self.depth, *self.out[1:])

    def block(self, xp: Any, n: int, channels: int, itemsize: int) -> int:
        """How many images are laid out at a time."""
        if xp.ndarray is not numpy.ndarray:
            return n
        return max(1, min(n, _BLOCK_BYTES // (itemsize * max(1, prod(self.shape(channels))))))


_rows = lru_cache(maxsize=256)(_Rows)


_kept = threading.local()


def _scratch(xp: Any, key: Any, shape: _Ints, dtype: Any) -> Any:
    """Memory of this thread for `key`: zeros when first asked for, later as it was left."""
    if xp.ndarray is not numpy.ndarray:
        return xp.zeros(shape, dtype)
    arrays = _kept.__dict__
    key = (key, shape, dtype)
    array = arrays.get(key)
    if array is None:
        if len(arrays) >= 32:
            arrays.clear()
        array = arrays[key] = numpy.zeros(shape, dtype)
    return array


def _taps(xp: Any, weight: Any, rows: _Rows, groups: int) -> Any:
    """(O, C / groups, *kernel) -> (first kernel axis, groups, O / groups, C / groups * taps)."""
    o, c = weight.shape[:2]
    taps = weight.reshape(groups, o // groups, c, rows.kernel[0], rows.taps)
    taps = taps.transpose(3, 0, 1, 2, 4).reshape(rows.kernel[0], groups, o // groups, c * rows.taps)
    return xp.ascontiguousarray(taps)  # negative strides would keep BLAS away


def _blocks(xp: Any, rows: _Rows, x: Any, groups: int) -> Any:
    """Yields slices of the batch and their rows (images, groups, channels, phases, pixels)."""
    n, channels = x.shape[:2]
    flat = (groups, channels // groups * rows.taps, rows.phases, -1)
    size = rows.block(xp, n, channels, x.itemsize)
    if rows.is_image:
        x = xp.ascontiguousarray(x)
        for start in range(0, n, size):
            part = x[start : start + size]
            yield slice(start, start + size), part.reshape(part.shape[0], *flat)
        return
    # The zeros of the padding stay in place from call to call: only pixels are overwritten.
    memory = _scratch(xp, rows, (size, *rows.shape(channels)), x.dtype)
    for start in range(0, n, size):
        part = x[start : start + size]
        block = memory[: part.shape[0]]
        for there, here in rows.copies:
            block[there] = part[here]
        yield slice(start, start + size), block.reshape(part.shape[0], *flat)


def _correlate(xp: Any, rows: _Rows, x: Any, weight: Any, groups: int, bias: Any = None) -> Any:
    """(N, C, *image) and (O, C / groups, *kernel) -> (N, O, *out)."""
    if xp.fused is not None and rows.pixels and xp.fused.takes_windows(x, weight):
        return xp.fused.correlate(x, weight, bias, groups, rows.geometry)
    n, o = x.shape[0], weight.shape[0]
    out = xp.empty((n, groups, o // groups, rows.pixels), x.dtype)
    if out.size and rows.taps * weight.size == 0:
        out.fill(0)
    elif out.size:
        taps = _taps(xp, weight, rows, groups)
        size = rows.block(xp, n, x.shape[1], x.itemsize)
        more = _scratch(xp, "product", (size, *out.shape[1:]), x.dtype)
        for part, block in _blocks(xp, rows, x, groups):
            total = out[part]
            for i, (phase, pixels) in enumerate(rows.slices):
                operand = block[:, :, :, phase, pixels]
                if i == 0:
                    xp.matmul(taps[0], operand, out=total)
                else:
                    term = more[: total.shape[0]]
                    xp.matmul(taps[i], operand, out=term)
                    xp.add(total, term, out=total)
    if bias is not None:
        out += bias.reshape(groups, o // groups, 1)
    return own(out.reshape(n, o, *rows.out))


def _weight_gradient(xp: Any, rows: _Rows, x: Any, grad: Any, groups: int, shape: _Ints) -> Any:
    """(N, C, *image) and (N, O, *out) -> (O, C / groups, *kernel), summed over the batch."""
    if xp.fused is not None and xp.fused.takes_windows(x, grad):
        return xp.fused.weight_gradient(x, grad, groups, shape, rows.geometry)
    n, o = grad.shape[:2]
    c = shape[1]
    taps = xp.zeros((rows.kernel[0], groups, o // groups, c * rows.taps), x.dtype)
    if x.size and grad.size:
        grad = xp.ascontiguousarray(grad).reshape(n, groups, o // groups, rows.pixels)
        copied = prefers_rows(o // groups, rows.pixels, c * rows.taps, x.dtype)
        for part, block in _blocks(xp, rows, x, groups):
            of_part = grad[part]
            if copied:
                of_part = xp.ascontiguousarray(of_part.transpose(0, 1, 3, 2))
            for i, (phase, pixels) in enumerate(rows.slices):
                operand = block[:, :, :, phase, pixels]
                if copied:
                    product = xp.matmul(operand, of_part).transpose(0, 1, 3, 2)
                else:
                    product = xp.matmul(of_part, operand.transpose(0, 1, 3, 2))
                taps[i] += xp.add.reduce(product, 0)
    taps = taps.reshape(rows.kernel[0], groups, o // groups, c, rows.taps)
    return own(xp.ascontiguousarray(taps.transpose(1, 2, 3, 0, 4).reshape(shape)))


def _transposed(xp: Any, rows: _Rows, grad: Any, weight: Any, groups: int, bias: Any = None) -> Any:
    """(N, O, *out) and (O, C / groups, *kernel) -> (N, C, *image): the transpose of _correlate."""
    if xp.fused is not None and prod(rows.image) and xp.fused.takes_windows(grad, weight):
        return xp.fused.transposed(grad, weight, bias, groups, rows.geometry)
    o, c = weight.shape[:2]
    # Folding costs about 1.5 times a correlation of the same size; but that goes over all pixels
    # of the image, and a window as large as that leaves few in the gradient.
    few = prod(rows.image) > _MIRRORED * prod(rows.out)
    if few or rows.mirror is None or 2 * o > 3 * c * groups:
        return _fold(xp, rows, grad, weight, groups, bias)
    mirrored = weight.reshape(groups, o // groups, c, *rows.kernel).swapaxes(1, 2)
    mirrored = mirrored[(..., *[slice(None, None, -1)] * len(rows.kernel))]
    mirrored = mirrored.reshape(c * groups, o // groups, *rows.kernel)
    return _correlate(xp, _rows(*rows.mirror), grad, mirrored, groups, bias)


# Pixels of an image for each of the gradient, up to which a correlation is faster. 32 images of 16
# channels: 8 x 8 and a window of 7 x 7 (16 for one) 623 us, folded 772; 7 x 7 (49) 532 and 110.
_MIRRORED = 32


def _fold(xp: Any, rows: _Rows, grad: Any, weight: Any, groups: int, bias: Any = None) -> Any:
    """(N, O, *out), (O, C / groups, *kernel) -> (N, C, *image): _correlate backwards."""
    n, o = grad.shape[:2]
    channels = weight.shape[1] * groups
    image = xp.zeros((n, channels, *rows.image), grad.dtype)
    if image.size and grad.size and weight.size:
        taps = _taps(xp, weight, rows, groups).transpose(0, 1, 3, 2)
        grad = xp.ascontiguousarray(grad).reshape(n, groups, o // groups, rows.pixels)
        size = rows.block(xp, n, channels, grad.itemsize)
        memory = _scratch(xp, "fold", (size, *rows.shape(channels)), grad.dtype)
        more = _scratch(xp, "terms", (size, *taps.shape[1:3], rows.pixels), grad.dtype)
        for start in range(0, n, size):
            part = grad[start : start + size]
            count = part.shape[0]
            block = memory[:count]
            flat = block.reshape(count, *taps.shape[1:3], rows.phases, -1)
            block.fill(0)
            for i, (phase, pixels) in enumerate(rows.slices):
                term = more[:count]
                xp.matmul(taps[i], part, out=term)
                target = flat[:, :, :, phase, pixels]
                xp.add(target, term, out=target)
            target = image[start : start + size]
            for there, here in rows.copies:
                target[here] += block[there]
    if bias is not None:
        image += bias.reshape(channels, *[1] * len(rows.image))
    return image
