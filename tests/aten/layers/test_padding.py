"""Padding modes and their gradients."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F

ROW = torch.tensor([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("constant", [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]),
        ("reflect", [3.0, 2.0, 1.0, 2.0, 3.0, 2.0]),
        ("replicate", [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]),
        ("circular", [2.0, 3.0, 1.0, 2.0, 3.0, 1.0]),
    ],
)
def test_each_mode(mode, wanted):
    assert F.pad(ROW, (2, 1), mode=mode).tolist() == [wanted]


def test_a_pixel_gathers_the_gradients_of_its_images():
    for mode, wanted in (("reflect", [1.0, 3.0, 2.0]), ("replicate", [3.0, 1.0, 2.0])):
        x = ROW.clone().requires_grad_()
        F.pad(x, (2, 1), mode=mode).sum().backward()
        assert x.grad.tolist() == [wanted]


def test_negative_padding_cuts():
    assert F.pad(ROW, (-1, 1)).tolist() == [[2.0, 3.0, 0.0]]


def test_pad_refuses():
    with pytest.raises(RuntimeError, match="Padding length must be divisible by 2"):
        F.pad(torch.ones(2), (1,))
    with pytest.raises(RuntimeError, match="Padding size should be less than the corresponding"):
        F.pad(ROW, (3, 0), mode="reflect")
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode foo"):
        F.pad(ROW, (1, 1), mode="foo")


def test_channels_stay_last():
    x = torch.ones(1, 2, 3, 3).contiguous(memory_format=torch.channels_last).requires_grad_()
    for mode in ("reflect", "replicate"):
        y = F.pad(x, (1, 1, 1, 1), mode=mode)
        (g,) = torch.autograd.grad(y, x, torch.ones_like(y))
        assert (y.stride(), g.stride()) == ((50, 1, 10, 2), (18, 1, 6, 2))


def test_a_circle_is_written_slice_by_slice():
    x = ROW.clone().requires_grad_()
    node = F.pad(x, (2, 1), mode="circular").grad_fn
    source = node.next_functions[1][0]
    assert (node.name(), source.name()) == ("torch::autograd::CopySlices", "SliceBackward0")


@pytest.mark.parametrize(
    ("mode", "x", "pad", "text"),
    [
        ("constant", ROW, (1, -100), "narrow\\(\\): length must be non-negative"),
        ("constant", ROW, (-4, 4), "narrow\\(\\): length must be non-negative"),
        ("replicate", ROW, (-3, 0), "input \\(W: 3\\) is too small. Calculated output W: 0"),
        ("reflect", ROW[:, :0], (1, 1), "Expected 2D or 3D \\(batch mode\\) tensor with possibly"),
        ("reflect", ROW[None], (1, 1, -2, 0), "numel: integer multiplication overflow"),
        ("replicate", ROW[None], (1, 1, -2, 0), "negative dimension -1: \\[1, -1, 5\\]"),
        ("replicate", ROW[None], (-2, -1, -1, 0), "H: 1, W: 3 \\) is too small. Calculated output"),
    ],
)
def test_an_image_must_be_left(mode, x, pad, text):
    with pytest.raises(RuntimeError, match=text):
        F.pad(x, pad, mode=mode)


def test_truths_are_neither_reflected_nor_replicated():
    for mode, name in (("reflect", "reflection"), ("replicate", "replication")):
        with pytest.raises(NotImplementedError, match=f'"{name}_pad1d" not implemented for \'Bool'):
            F.pad(ROW.bool(), (1, 1), mode=mode)
