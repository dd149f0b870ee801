"""Images at other sizes and places, patches, and pools of volumes: values by hand, refusals."""

import numpy
import pytest

import minitorch as torch
import minitorch.nn.functional as F


def plane(*rows):
    return torch.tensor([[list(rows)]], dtype=torch.float64)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("nearest", [[1, 1, 2, 2]] * 2 + [[3, 3, 4, 4]] * 2),
        ("bilinear", [[1, 1.25, 1.75, 2], [1.5, 1.75, 2.25, 2.5], [2.5, 2.75, 3.25, 3.5],
                      [3, 3.25, 3.75, 4]]),
    ],
)  # fmt: skip
def test_twice_as_large(mode, expected):
    x = plane([1, 2], [3, 4]).requires_grad_()
    y = F.interpolate(x, scale_factor=2, mode=mode)
    assert y[0, 0].tolist() == expected
    y.sum().backward()
    assert x.grad[0, 0].tolist() == [[4, 4], [4, 4]]


def test_corners_stay():
    y = F.interpolate(plane([0, 3]), (1, 4), mode="bilinear", align_corners=True)
    assert y[0, 0].tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic", "area"])
def test_what_is_constant_stays_constant(mode):
    y = F.interpolate(torch.full((1, 1, 5, 4), 2.0, dtype=torch.float64), (7, 3), mode=mode)
    numpy.testing.assert_allclose(y.numpy(), 2, rtol=1e-14)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_smooth_reductions_are_means(mode):
    x = torch.arange(16.0, dtype=torch.float64).reshape(1, 1, 4, 4)
    y = F.interpolate(x, (2, 2), mode=mode, antialias=True)
    numpy.testing.assert_allclose(y.mean().item(), 7.5)


def test_bytes_are_rounded_and_held():
    x = torch.tensor([[[[0, 255, 0, 255]]]], dtype=torch.uint8)
    assert F.interpolate(x, (1, 2), mode="bilinear").tolist() == [[[[128, 128]]]]
    assert max(F.interpolate(x, (1, 9), mode="bicubic").flatten().tolist()) == 255


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({}, ValueError, "either size or scale_factor should be defined"),
        ({"size": 2, "mode": "linear"}, NotImplementedError, "Got 4D input, but linear mode"),
        ({"size": (2, 2.5)}, TypeError, "expected size to be one of int or Tuple"),
        ({"size": 2.0}, TypeError, r"upsample_nearest2d\(\) received an invalid combination"),
        ({"size": True, "mode": "bilinear"}, TypeError, r"upsample_bilinear2d\(\) received"),
        ({"size": 2, "antialias": True}, ValueError, "Anti-alias option is restricted"),
        ({"scale_factor": 0.1}, RuntimeError, r"but got input \(H: 3, W: 3\) output \(H: 0, W: 0"),
    ],
)
def test_interpolate_refuses(settings, error, text):
    with pytest.raises(error, match=text):
        F.interpolate(torch.ones(1, 1, 3, 3), **settings)


def test_fold_is_the_transpose_of_unfold():
    x, y = torch.randn(2, 3, 5, 4, dtype=torch.float64), torch.randn(2, 12, 12, dtype=torch.float64)
    left = (F.unfold(x, 2) * y).sum()
    right = (x * F.fold(y, (5, 4), 2)).sum()
    assert left.item() == pytest.approx(right.item())


def test_unfold_takes_one_image():
    x = torch.arange(4.0).reshape(1, 2, 2)
    assert F.unfold(x, (1, 2)).tolist() == [[0, 2], [1, 3]]


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_grid_of_the_identity_gives_the_image(mode):
    x = torch.randn(1, 2, 3, 4, dtype=torch.float64)
    theta = torch.tensor([[[1.0, 0, 0], [0, 1, 0]]], dtype=torch.float64)
    for corners in (False, True):
        grid = F.affine_grid(theta, x.size(), align_corners=corners)
        y = F.grid_sample(x, grid, mode=mode, align_corners=corners)
        numpy.testing.assert_allclose(y.numpy(), x.numpy(), atol=1e-12)


def sampled(x, grid):
    """The sampled image, and the gradients of both arguments."""
    x, grid = [torch.from_numpy(each).requires_grad_() for each in (x, grid)]
    y = F.grid_sample(x, grid, align_corners=False)
    found = [y, *torch.autograd.grad(y, (x, grid), torch.cos(3 * y.detach()))]
    return [each.detach().numpy() for each in found]


@pytest.mark.parametrize("places", [(9, 8, 7), (30, 29, 28)])
def test_grid_sample_treats_each_image_of_a_batch_as_if_alone(places):
    random = numpy.random.default_rng(0)
    x = random.standard_normal((40, 2, 3, 4, 5)).astype("float32")
    grid = random.uniform(-1.2, 1.2, (40, *places, 3)).astype("float32")
    together = sampled(x, grid)
    for i in (0, 17, 39):
        for whole, alone in zip(together, sampled(x[i : i + 1], grid[i : i + 1]), strict=True):
            numpy.testing.assert_array_equal(whole[i : i + 1], alone)


def test_grid_sample_adds_the_gradient_of_one_place_channel_by_channel():
    random = numpy.random.default_rng(0)
    x = random.standard_normal((1, 40, 3, 4)).astype("float32")
    grid = random.uniform(-1, 1, (1, 1, 1, 2)).astype("float32")
    alone, repeated = sampled(x, grid)[2], sampled(x, grid.repeat(5, axis=2))[2]
    numpy.testing.assert_array_equal(alone.repeat(5, axis=2), repeated)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("batch", "channels", "places"), [(0, 2, 5), (2, 0, 5), (2, 3, 0)])
def test_grid_sample_has_gradients_where_something_is_empty(batch, channels, places, dtype):
    x = torch.ones(batch, channels, 3, 4, dtype=dtype, requires_grad=True)
    grid = torch.zeros(batch, places, 6, 2, dtype=dtype, requires_grad=True)
    y = F.grid_sample(x, grid, align_corners=False)
    assert y.shape == (batch, channels, places, 6)
    y.sum().backward()
    for each in (x, grid):
        assert each.grad.shape == each.shape
        assert not each.grad.any()


def test_places_outside():
    x = plane([1, 2, 3])
    grid = torch.tensor([[[[-2.0, 0.0], [2.0, 0.0]]]], dtype=torch.float64)
    found = {
        padding: F.grid_sample(x, grid, "nearest", padding, align_corners=True).flatten().tolist()
        for padding in ("zeros", "border", "reflection")
    }
    assert found == {"zeros": [0, 0], "border": [1, 3], "reflection": [2, 2]}


def test_the_largest_pixel_comes_back_to_its_place():
    x = torch.randn(1, 2, 4, 6, 2)
    y, places = F.max_pool3d(x, 2, return_indices=True)
    back = F.max_unpool3d(y, places, 2)
    assert back.shape == x.shape
    assert torch.equal(back[back != 0].sort().values, y.flatten().sort().values)
    with pytest.raises(RuntimeError, match="Found an invalid max index: 99"):
        F.max_unpool3d(y, torch.full_like(places, 99), 2)


def test_pools_of_volumes_are_those_of_their_slices():
    x = torch.randn(2, 3, 4, 5, 6, dtype=torch.float64)
    flat = x.transpose(1, 2).reshape(8, 3, 5, 6)
    for volume, image, size in (
        (F.max_pool3d, F.max_pool2d, 2),
        (F.avg_pool3d, F.avg_pool2d, 2),
        (F.adaptive_max_pool3d, F.adaptive_max_pool2d, (3, 4)),
        (F.adaptive_avg_pool3d, F.adaptive_avg_pool2d, (3, 4)),
    ):
        depth = 1 if size == 2 else None
        both = (size, size) if size == 2 else size
        y = volume(x, (depth, *both)).transpose(1, 2).flatten(0, 1)
        numpy.testing.assert_allclose(y.numpy(), image(flat, size).numpy(), rtol=1e-13)


def test_windows_at_random_places_follow_the_seed():
    x = torch.randn(1, 2, 8, 8)
    torch.manual_seed(0)
    first = F.fractional_max_pool2d(x, 2, output_size=5)
    torch.manual_seed(0)
    assert torch.equal(F.fractional_max_pool2d(x, 2, output_ratio=(0.65, 0.7)), first)
    with pytest.raises(RuntimeError, match="pool height 5 too large relative to input height 8"):
        F.fractional_max_pool2d(x, 5, output_size=5)


def test_random_slopes_lie_between_their_bounds():
    x = torch.tensor([-1.0, 2.0, -1.0, 0.5], requires_grad=True)
    y = F.rrelu(x, 0.2, 0.6, training=True)
    y.sum().backward()
    assert y.tolist()[1::2] == [2.0, 0.5]
    assert x.grad.tolist()[1::2] == [1.0, 1.0]
    assert all(0.2 <= slope < 0.6 for slope in x.grad.tolist()[::2])
    assert F.rrelu(x, 0.2, 0.6).tolist()[0] == pytest.approx(-0.4)
    with pytest.raises(RuntimeError, match="Lower bound should be less than or equal"):
        F.rrelu(x, 0.6, 0.2)


def test_bilinear_layers():
    m = torch.nn.Bilinear(2, 3, 4)
    a, b = torch.randn(5, 2), torch.randn(5, 3)
    expected = numpy.einsum("ni,oij,nj->no", a.numpy(), m.weight.detach().numpy(), b.numpy())
    numpy.testing.assert_allclose(m(a, b).detach().numpy(), expected + m.bias.tolist(), rtol=1e-5)
    with pytest.raises(RuntimeError, match="input1 size does not match weight size: got 3"):
        m(b, b)


def test_neighbours_among_channels():
    x = torch.ones(1, 3, 2, 2)
    y = torch.nn.LocalResponseNorm(3, alpha=3.0, beta=1.0)(x)
    z = torch.nn.CrossMapLRN2d(3, alpha=3.0, beta=1.0)(x)
    assert y[0, :, 0, 0].tolist() == pytest.approx([1 / 3, 1 / 4, 1 / 3])
    assert z[0, :, 0, 0].tolist() == pytest.approx([1 / 3, 1 / 4, 1 / 4])  # as torch has it


def test_pixel_unshuffle_by_one_gives_rows_or_channels_last():
    x = torch.arange(48.0).reshape(1, 4, 3, 4)
    last = x.contiguous(memory_format=torch.channels_last)
    assert F.pixel_unshuffle(last, 1).stride() == last.stride()
    rows = F.pixel_unshuffle(x.permute(3, 1, 0, 2), 1)
    assert rows.is_contiguous()
    assert torch.equal(rows, x.permute(3, 1, 0, 2))
