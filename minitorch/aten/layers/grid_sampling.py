"""Images sampled at the places of a grid, and the grids of affine maps.

A sample is a sum over the pixels around a place, each times one weight for each axis. The gradients
of image and grid, and theirs, are the same sums with other weights: the slope of a weight in the
place, and its bend. So one list of taps, written in the language of formulas, serves all of them.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy

from minitorch.aten.layers.grid_taps import BICUBIC, BILINEAR, NEAREST, ON_NUMPY, taps
from minitorch.aten.layers.linear_samples import linear_backward, linear_samples
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import contiguous_format
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.tensor.conversion import entry_of


class Samples:
    """The taps of a whole grid: for each combination of taps of the axes one.

    Behind the pixels of an image lies one more, a zero, in place of all outside.
    """

    def __init__(
        self,
        F: Any,
        shape: Any,
        grid: Any,
        mode: int,
        padding: int,
        corners: bool,
        sloped: bool = True,
    ):
        self.F, self.shape, self.image = F, shape, shape[2:]
        self.count, self.pixels = len(self.image), prod(self.image)
        self.places = grid.shape[:-1]
        flat = F.reshape(grid, (shape[0], 1, prod(self.places[1:]), self.count))
        self.axes: list[list[Any]] = []  # [(pixel, whether it is outside, weight, slope, bend)]
        self.scales = []
        for i, n in enumerate(self.image):
            x = F.select(flat, -1, self.count - 1 - i)
            found, scale = taps(F, x, n, mode, padding, corners, self.count == 2, sloped)
            self.axes.append([self.within(n, *each) for each in found])
            self.scales.append(scale)
        self.combinations = list(self.combined())

    def images(self, chosen: slice) -> Samples:
        """The taps of some images of the batch."""
        found = copy(self)
        found.shape = (len(range(*chosen.indices(self.shape[0]))), *self.shape[1:])
        found.places = (found.shape[0], *self.places[1:])
        found.scales = [each[chosen] if getattr(each, "ndim", 0) else each for each in self.scales]
        found.axes = [
            [tuple([None if part is None else part[chosen] for part in tap]) for tap in axis]
            for axis in self.axes
        ]
        indices = [index[chosen] for index, _ in self.combinations]
        found.combinations = list(zip(indices, product(*found.axes)))
        return found

    def within(self, size: int, pixel: Any, *weights: Any) -> Any:
        """A tap of an axis of this size, its pixel as an integer."""
        F = self.F
        outside = ((pixel >= 0) & (pixel < size)) == 0  # a NaN is
        return F.to(F.masked_fill(pixel, outside, 0), dtypes.int64), outside, *weights

    def combined(self) -> Any:
        """(flat pixel, the taps of the axes) of each combination."""
        first, *others = self.axes
        found = [(pixel, outside) for pixel, outside, *_ in first]
        for axis, n in zip(others, self.image[1:]):
            found = [
                (index * n + pixel, outside | there)
                for index, outside in found
                for pixel, there, *_ in axis
            ]
        for (index, outside), parts in zip(found, product(*self.axes)):
            yield self.F.masked_fill(index, outside, self.pixels), parts

    def product(self, parts: Any, *by: int, value: Any = None) -> Any:
        """The weight of a combination, or its derivative by pixels along axes `by`; of `value`."""
        for axis in range(self.count - 1, -1, -1):
            part = parts[axis][2 + by.count(axis)]
            value = part if value is None else value * part
        return value

    def around(self, image: Any) -> Any:
        """(pixels (N, C, places) of the images, the taps of the axes) of each combination."""
        F, shape = self.F, image.shape[:2]
        flat = F.constant_pad_nd(F.reshape(image, (*shape, self.pixels)), (0, 1))
        for index, parts in self.combinations:
            yield F.gather(flat, -1, F.expand(index, (*shape, index.shape[-1]))), parts

    def weighted(self, around: Any, *by: int) -> Any:
        """(N, C, places): the sum over combinations of pixels times weights, or derivatives."""
        total = row = None
        columns = len(self.axes[-1])
        by_rows = columns == 4 and not by  # a cubic sample is one of samples of rows, as in torch
        for i, (pixels, parts) in enumerate(around, 1):
            term = pixels * (parts[-1][2] if by_rows else self.product(parts, *by))
            row = term if row is None else row + term
            if by_rows and i % columns == 0:
                row = row * parts[0][2]
                total, row = row if total is None else total + row, None
        return total if by_rows else row

    def laid_out(self, flat: Any) -> Any:
        """(N, C, places) as the grid has them: (N, C, *places)."""
        return self.F.reshape(flat, (*flat.shape[:2], *self.places[1:]))

    def scattered(self, grad: Any, weight: Any) -> Any:
        """The transpose of `weighted`: gradients of the pixels."""
        F, (n, c) = self.F, grad.shape[:2]
        places = prod(self.places[1:])
        taps = places * len(self.combinations)
        # Place by place, as torch adds them.
        weights = F.stack([weight(parts) for _, parts in self.combinations], -1)
        share = F.reshape(F.reshape(grad, (n, c, places, 1)) * weights, (n, c, taps))
        index = F.stack([index for index, _ in self.combinations], -1)
        index = F.expand(F.reshape(index, (n, 1, taps)), share.shape)
        total = F.new_zeros(grad, (n, c, self.pixels + 1))
        total = F.scatter_add(total, -1, index, share)
        total = F.clone(F.narrow(total, -1, 0, self.pixels), memory_format=contiguous_format)
        return F.reshape(total, self.shape)

    def by_places(self, xp: Any, grad: Any, image: Any) -> Any:
        """The gradient of the grid, (N, *places, axes): channel by channel, as torch adds it up."""
        (n, c), places, taps = grad.shape[:2], prod(self.places[1:]), len(self.combinations)
        flat = grad.reshape(n, c, places)
        terms = xp.empty((n, self.count, c, taps, places), flat.dtype)
        for i, (pixels, parts) in enumerate(self.around(image)):
            for axis in range(self.count):
                term = self.product(parts, axis, value=pixels)
                xp.multiply(term, flat, out=terms[:, axis, :, i])
        totals = sum_in_turn(xp, terms.reshape(n, self.count, c * taps, places))
        return self.stacked([totals[:, axis : axis + 1] for axis in range(self.count)])

    def stacked(self, totals: list[Any]) -> Any:
        """Derivatives by pixels along each axis, (N, 1, places), as those of the grid."""
        scaled = [total * scale for total, scale in zip(totals, self.scales)]
        return self.F.reshape(self.F.stack(scaled[::-1], -1), (*self.places, self.count))


# ---- the operators


def check(x: Any, grid: Any) -> None:
    """RuntimeError where a grid does not fit. As ATen/native/GridSamplerUtils.h."""
    sizes = f"input with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
    if entry_of(x.shape, 0) != entry_of(grid.shape, 0):
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got {sizes}"
        )
    if grid.shape[-1] != x.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {x.ndim - 2} in last dimension, but got "
            f"grid with sizes {list(grid.shape)}"
        )
    for dim in range(2, x.ndim):
        if not x.shape[dim]:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                f"has sizes {list(x.shape)} with dimension {dim} being empty"
            )


def check_rank(x: Any, grid: Any, count: int, mode: int) -> None:
    """RuntimeError unless both have a batch, channels or places, and `count` axes."""
    if x.ndim != count + 2 or grid.ndim != x.ndim:
        raise RuntimeError(
            f"grid_sampler(): expected {count + 2}D input and grid with same number of dimensions, "
            f"but got input with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
        )
    if count == 3 and mode == BICUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


def sum_in_turn(xp: Any, terms: Any) -> Any:
    """The sum over the third axis, (a, b, k, places), of terms added strictly one after another."""
    if terms.shape[-1] > 1 and terms.dtype.itemsize > 2:  # else NumPy adds pairwise, or in float32
        return xp.add.reduce(terms, 2, initial=0)
    total = xp.zeros((*terms.shape[:2], terms.shape[3]), terms.dtype)
    for i in range(terms.shape[2]):
        total = total + terms[:, :, i]
    return total


def _by_images(xp: Any, kernel: Any, settings: Any, sloped: bool, *arrays: Any) -> tuple[Any, ...]:
    """The results of `kernel`, called with the taps and as many images of a batch as fit the cache.

    sloped: whether it asks for slopes.
    The taps of more images are computed at once: they are small, so that most of their time is that
    of calls.
    """
    *_, x, grid = arrays
    F = ON_NUMPY if _are_plain(x, grid) else RAW
    batch, places = len(grid), prod(grid.shape[1:-1])
    some = max(1, (1 << 14) // max(1, places))
    step = max(1, (1 << 16) // max(1, x.shape[1] * places * grid.shape[-1]))
    if 0 < batch <= min(some, step):
        whole = kernel(Samples(F, x.shape, grid, *settings, sloped), *arrays[:-1])
        return tuple([y if y is None else y.astype(arrays[0].dtype, copy=False) for y in whole])
    found = []
    for i in range(0, max(batch, 1), some):
        samples = Samples(F, x[i : i + some].shape, grid[i : i + some], *settings, sloped)
        for j in range(0, max(min(some, batch - i), 1), step):
            last = min(j + step, some)
            chosen = [each[i + j : i + last] for each in arrays[:-1]]
            found.append(kernel(samples.images(slice(j, last)), *chosen))
    whole = [None if each[0] is None else xp.concatenate(each) for each in zip(*found)]
    return tuple([y if y is None else y.astype(arrays[0].dtype, copy=False) for y in whole])


def _are_plain(*arrays: Any) -> bool:
    """Whether these are NumPy's, of one floating dtype that NumPy knows, and none is empty."""
    dtype = arrays[0].dtype
    return dtype.char in "fd" and all(
        [type(x) is numpy.ndarray and x.size and x.dtype is dtype for x in arrays]
    )


def sample_images(xp: Any, count: int, input: Any, grid: Any, settings: Any) -> Any:
    """The images with `count` axes at the places of the grid.

    settings: the interpolation and the padding mode, and whether corners are aligned.
    """
    check(input, grid)
    check_rank(input, grid, count, settings[0])
    if grid.dtype != input.dtype:
        wanted, found = dtypes.of(input).scalar_name, dtypes.of(grid).scalar_name
        raise RuntimeError(f"expected scalar type {wanted} but found {found}")
    if settings[0] != BICUBIC and _are_plain(input, grid):
        return linear_samples(input, grid, *settings)

    def sampled(samples: Samples, input: Any) -> Any:
        return (samples.laid_out(samples.weighted(samples.around(input))),)

    return _by_images(xp, sampled, settings, False, input, grid)[0]


def sample_backward(
    xp: Any, count: int, grad_output: Any, input: Any, grid: Any, settings: Any, output_mask: Any
) -> Any:
    """The gradients of the images, None if output_mask[0] is False, and of the grid."""
    if settings[0] == BILINEAR and _are_plain(input, grid, grad_output):
        return linear_backward(grad_output, input, grid, *settings[1:], output_mask[0])

    def gradients(samples: Samples, grad: Any, input: Any) -> Any:
        to_input = samples.scattered(grad, samples.product) if output_mask[0] else None
        return to_input, samples.by_places(xp, grad, input)

    return _by_images(xp, gradients, settings, True, grad_output, input, grid)


def sample_double_backward(
    F: Any,
    count: int,
    grads: Any,
    grad_output: Any,
    input: Any,
    grid: Any,
    settings: Any,
    grad_input_mask: Any,
) -> Any:
    """The gradients of the inputs of `sample_backward`; None for those not in grad_input_mask."""
    by_input, by_grid = grads
    if settings[0] == NEAREST:
        by_grid = None
    samples = Samples(F, input.shape, grid, *settings)
    to_grad = to_input = to_grid = None
    if by_grid is not None:
        shape = (input.shape[0], 1, prod(grid.shape[1:-1]))
        steps = [
            F.reshape(F.select(by_grid, -1, count - 1 - axis), shape) * scale
            for axis, scale in enumerate(samples.scales)
        ]
        around = list(samples.around(input))

    def moved(slope: Any) -> Any:
        """The change along `by_grid` of a number with the slope `slope(axis)` along each axis."""
        total = None
        for axis in range(count - 1, -1, -1):
            if total is None:
                total = slope(axis) * steps[axis]
            else:
                total = F.addcmul(total, slope(axis), steps[axis])
        return total

    if grad_input_mask[0]:
        if by_input is not None:
            to_grad = getattr(F, f"grid_sampler_{count}d")(by_input, grid, *settings)
        if by_grid is not None:
            term = samples.laid_out(moved(lambda axis: samples.weighted(around, axis)))
            to_grad = term if to_grad is None else to_grad + term
    if grad_input_mask[1] and by_grid is not None:
        to_input = samples.scattered(
            grad_output, lambda parts: moved(lambda axis: samples.product(parts, axis))
        )
    if grad_input_mask[2]:
        if by_input is not None:
            to_grid = getattr(F, f"grid_sampler_{count}d_backward")(
                grad_output, by_input, grid, *settings, (False, True)
            )[1]
        if by_grid is not None:
            flat = F.reshape(grad_output, (*grad_output.shape[:2], -1))

            @cache
            def bent(*axes: int) -> Any:
                return F.sum(samples.weighted(around, *axes) * flat, [1], True)

            def along(axis: int) -> Any:
                return moved(lambda other: bent(*sorted((axis, other))))

            term = samples.stacked([along(axis) for axis in range(count)])
            to_grid = term if to_grid is None else to_grid + term
    return to_grad, to_input, to_grid


def _declare(count: int) -> None:
    """The row of the sampler of images with `count` axes, and that of its gradient."""
    name, node = f"grid_sampler_{count}d", f"GridSampler{count}DBackward"
    operator(
        f"{name}(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,"
        " bool align_corners) -> Tensor",
        node=f"{node}0",
        forward=lambda xp, input, grid, interpolation_mode, padding_mode, align_corners:
        sample_images(
            xp, count, input, grid, (interpolation_mode, padding_mode, align_corners)
        ),
        kernel="grid_sampler_2d_cpu_kernel_impl" if count == 2 else "grid_sampler3d_cpu",
        knows=FLOATING | HALVES,
        inputs=lambda F, grad, input, grid, interpolation_mode, padding_mode, align_corners,
        grad_input_mask: getattr(F, f"{name}_backward")(
            grad, input, grid, interpolation_mode, padding_mode, align_corners, grad_input_mask
        ),
        on=("function",),
    )  # fmt: skip
    operator(
        f"{name}_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode,"
        " int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
        node=f"{node}Backward0",
        forward=lambda xp, grad_output, input, grid, interpolation_mode, padding_mode,
        align_corners, output_mask: sample_backward(
            xp, count, grad_output, input, grid,
            (interpolation_mode, padding_mode, align_corners), output_mask,
        ),
        kernel=f"{name}_backward_cpu" + "_kernel_impl" * (count == 2),
        knows=FLOATING | HALVES,
        inputs=lambda F, grads, grad_output, input, grid, interpolation_mode, padding_mode,
        align_corners, grad_input_mask: sample_double_backward(
            F, count, grads, grad_output, input, grid,
            (interpolation_mode, padding_mode, align_corners), grad_input_mask,
        ),
        on=("F",),
    )  # fmt: skip


for _count in (2, 3):
    _declare(_count)


@composite("grid_sampler", on=("function",))
def grid_sampler(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """`input` at the places of `grid`. As torch.nn.functional.grid_sample, modes as numbers."""
    sampler = OPS.grid_sampler_2d if input.dim() == 4 else OPS.grid_sampler_3d
    return sampler(input, grid, interpolation_mode, padding_mode, align_corners)


# ---- affine maps


def base_grid(F: Any, like: Any, size: Any, corners: bool) -> Any:
    """(N, pixels, axes + 1): the places of all pixels of an image, from -1 to 1, and ones."""
    dtype = like.dtype if isinstance(like, TensorBase) else dtypes.of(like)
    batch, image, axes = size[0], tuple(size[2:]), []
    for axis, n in enumerate(image):
        line = F.new_zeros(like, (n,))
        if n > 1:
            line = F.type_as(F.linspace(-1, 1, n, dtype=dtype), like)
        line = line if corners else line * (n - 1) / n
        shape = [1] * len(image)
        shape[axis] = n
        axes.append(F.expand(F.reshape(line, shape), image))
    ones = F.new_ones(like, image)
    flat = F.reshape(F.stack([*reversed(axes), ones], -1), (1, prod(image), len(image) + 1))
    return F.expand(flat, (batch, prod(image), len(image) + 1))


def affine_grid_forward(xp: Any, theta: Any, size: Any, align_corners: bool) -> Any:
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    count = len(size) - 2
    if theta.shape[0] != size[0] or theta.shape[2] != count + 1:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{size[0]}, {count + 1}] but got: [{theta.shape[0]}, {theta.shape[2]}]."
        )
    grid = RAW.bmm(base_grid(RAW, theta, size, align_corners), RAW.transpose(theta, 1, 2))
    return grid.reshape(size[0], *size[2:], count)


def affine_grid_backward(F: Any, grad: Any, size: Any, align_corners: bool) -> Any:
    """The gradient of the maps."""
    base = base_grid(F, grad, size, align_corners)
    flat = F.reshape(grad, (size[0], prod(size[2:]), len(size) - 2))
    return F.transpose(F.bmm(F.transpose(base, 1, 2), flat), 1, 2)


affine_grid_generator = operator(
    "affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor",
    node="AffineGridGeneratorBackward0",
    forward=affine_grid_forward,
    theta=lambda F, grad, size, align_corners: affine_grid_backward(F, grad, size, align_corners),
    result=LINEAR,
    on=("function",),
)
