"""Images at another size by filters: what lies outside a filter does not reach its pixel."""

import minitorch as torch

F = torch.nn.functional


def image():
    return torch.arange(64.0).reshape(1, 1, 8, 8).sin()


def test_interpolate_with_antialias_keeps_infinities_to_the_filter():
    x = image()
    x[0, 0, 7, 7] = float("inf")
    out = F.interpolate(x, size=(3, 3), mode="bilinear", antialias=True)
    assert out.isfinite().flatten().tolist() == [True] * 8 + [False]


def test_gradients_of_interpolate_with_antialias_stay_in_the_filter():
    x = image().requires_grad_()
    out = F.interpolate(x, size=(3, 3), mode="bilinear", antialias=True)
    grad = torch.zeros_like(out)
    grad[0, 0, 2, 2] = float("nan")
    out.backward(grad)
    assert x.grad.isfinite().sum() == 64 - 16


def test_interpolate_with_antialias_copies_an_image_of_the_same_size():
    x = image()
    out = F.interpolate(x, scale_factor=1.1, mode="bicubic", antialias=True)
    assert torch.equal(out, x)
    assert out.data_ptr() != x.data_ptr()
