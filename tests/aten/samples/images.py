"""Samples of images at other sizes and places, of volumes' pools and of patches."""

import numpy

from tests.aten.samples.registry import call, sampled

SHAPES = {1: (1, 2, 4), 2: (1, 2, 3, 4), 3: (1, 1, 2, 3, 2)}
SIZES = {1: (6,), 2: (5, 3), 3: (3, 2, 4)}


def resizing(name, count, *settings):
    """Samples of an interpolation and of its gradient."""

    @sampled(name)
    def forward(draw):
        yield call(draw(*SHAPES[count]), SIZES[count], *settings)
        if settings:
            yield call(draw(*SHAPES[count]), SIZES[count], True)
        yield call(draw(*SHAPES[count]), SIZES[count], *settings, *[1.5] * count)

    @sampled(f"{name}_backward")
    def backward(draw):
        shape = (*SHAPES[count][:2], *SIZES[count])
        yield call(draw(*shape), SIZES[count], SHAPES[count], *settings)


for n in (1, 2, 3):
    resizing(f"upsample_nearest{n}d", n)
    resizing(f"_upsample_nearest_exact{n}d", n)
resizing("upsample_linear1d", 1, False)
resizing("upsample_trilinear3d", 3, False)
for name in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa"):
    resizing(name, 2, False)
for name in ("_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa"):
    resizing(name, 2, False)


@sampled("avg_pool3d")
def average_pooling(draw):
    yield call(draw(1, 1, 3, 4, 2), (2, 2, 1))
    yield call(draw(1, 3, 4, 3), (2, 2, 2), (1, 2, 1), (1, 0, 1), True, False)


@sampled("avg_pool3d_backward")
def average_pooling_backward(draw):
    windows = ((2, 2, 1), (2, 2, 1), (0, 0, 0), False, True, None)
    yield call(draw(1, 1, 1, 2, 2), draw(1, 1, 3, 4, 2), *windows)


@sampled("max_pool3d_with_indices")
def max_pooling(draw):
    yield call(draw(1, 1, 3, 4, 2), (2, 2, 1))
    yield call(draw(1, 3, 4, 3), (2, 2, 2), (1, 2, 1), (1, 0, 1), (1, 1, 1), True)


@sampled("max_pool3d_with_indices_backward")
def max_pooling_backward(draw):
    indices = numpy.array([[[[[0, 3]], [[9, 8]]]]])
    windows = ((1, 2, 1), (1, 2, 1), (0, 0, 0), (1, 1, 1), False)
    yield call(draw(1, 1, 2, 1, 2), draw(1, 1, 2, 3, 2), *windows, indices)


@sampled("_adaptive_avg_pool3d")
def adaptive_means(draw):
    yield call(draw(1, 1, 3, 2, 4), (2, 2, 3))


@sampled("_adaptive_avg_pool3d_backward")
def adaptive_means_backward(draw):
    yield call(draw(1, 1, 2, 1, 3), draw(1, 1, 3, 2, 4))


@sampled("adaptive_max_pool2d")
def adaptive_largest(draw):
    yield call(draw(1, 2, 5, 3), (2, 2))
    yield call(draw(2, 3, 3), (1, 2))


@sampled("adaptive_max_pool3d")
def adaptive_largest_of_volumes(draw):
    yield call(draw(1, 1, 3, 2, 4), (2, 1, 3))


@sampled("adaptive_max_pool2d_backward")
def adaptive_largest_backward(draw):
    yield call(draw(1, 1, 1, 2), draw(1, 1, 3, 4), numpy.array([[[[5, 5]]]]))


@sampled("adaptive_max_pool3d_backward")
def adaptive_largest_of_volumes_backward(draw):
    yield call(draw(1, 1, 1, 1, 2), draw(1, 1, 2, 2, 2), numpy.array([[[[[5, 2]]]]]))


@sampled("fractional_max_pool2d")
def fractional(draw):
    yield call(draw(1, 2, 5, 4), (2, 2), (3, 2), draw.positive(1, 2, 2, low=0, high=1))


@sampled("fractional_max_pool3d")
def fractional_of_volumes(draw):
    samples = draw.positive(1, 1, 3, low=0, high=1)
    yield call(draw(1, 1, 4, 4, 3), (2, 2, 1), (2, 2, 2), samples)


@sampled("fractional_max_pool2d_backward")
def fractional_backward(draw):
    indices = numpy.array([[[[5, 5]]]])
    yield call(draw(1, 1, 1, 2), draw(1, 1, 3, 4), (2, 2), (1, 2), indices)


@sampled("fractional_max_pool3d_backward")
def fractional_of_volumes_backward(draw):
    indices = numpy.array([[[[[5, 2]]]]])
    yield call(draw(1, 1, 1, 1, 2), draw(1, 1, 2, 2, 2), (1, 1, 1), (1, 1, 2), indices)


@sampled("max_unpool2d")
def unpooling(draw):
    yield call(draw(1, 1, 2, 2), numpy.array([[[[0, 3], [9, 6]]]]), (3, 4))


@sampled("max_unpool3d")
def unpooling_volumes(draw):
    indices = numpy.array([[[[[0, 3]], [[9, 6]]]]])
    yield call(draw(1, 1, 2, 1, 2), indices, (2, 3, 2), (1, 1, 1), (0, 0, 0))


@sampled("im2col")
def unfolding(draw):
    yield call(draw(1, 2, 3, 4), (2, 2), (1, 1), (0, 1), (1, 2))
    yield call(draw(2, 3, 4), (2, 1), (1, 2), (1, 0), (2, 1))


@sampled("col2im")
def folding(draw):
    yield call(draw(1, 8, 6), (3, 4), (2, 2), (1, 1), (0, 1), (1, 2))


def grids(draw, count, image=(3, 4, 2), grid=(2, 3, 1)):
    """An image and a grid for it, whose places keep off the middles and edges of pixels."""
    image = draw(1, 2, *image[:count], low=-0.4, high=0.4)
    grid = draw(1, *grid[:count], count, low=-0.9, high=0.9)
    return image, numpy.where(abs(grid) < 0.1, 0.13, grid) + 0.017


def sampling(count):
    """Samples of the sampler of images with `count` axes, and of its gradient."""
    settings = [(0, 0, False), (0, 1, True), (0, 2, False), (1, 0, False)]
    settings += [(2, 0, False), (2, 2, True)] if count == 2 else []

    @sampled(f"grid_sampler_{count}d")
    def forward(draw):
        for each in settings:
            yield call(*grids(draw, count), *each)

    @sampled(f"grid_sampler_{count}d_backward")
    def backward(draw):
        for each in settings:
            # Small ones: a second derivative asks for the sampler at each number of each input.
            image, grid = grids(draw, count, (2, 3, 2), (1, 2, 1))
            grad = draw(1, 2, *grid.shape[1:-1], low=-0.4, high=0.4)
            yield call(grad, image, grid, *each, (True, True))


sampling(2)
sampling(3)


@sampled("affine_grid_generator")
def affine_grid(draw):
    yield call(draw(1, 2, 3), (1, 1, 2, 3), False)
    yield call(draw(1, 3, 4), (1, 1, 2, 1, 2), True)


@sampled("rrelu_with_noise", "rrelu_with_noise_")
def random_rectifier(draw):
    yield call(draw(2, 3), draw.positive(2, 3), 0.1, 0.4)


@sampled("rrelu_with_noise_backward")
def random_rectifier_backward(draw):
    yield call(draw(2, 3), draw(2, 3), draw.positive(2, 3), 0.1, 0.4, True, False)
    yield call(draw(2, 3), draw(2, 3), draw.positive(2, 3), 0.1, 0.4, False, False)
