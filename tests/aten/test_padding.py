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
