"""Sizes given as NumPy's integers of one byte, whose own arithmetic wraps around."""

import numpy
import pytest

import minitorch as torch
from minitorch.nn import functional as F

IMAGE = torch.arange(100.0).reshape(1, 1, 10, 10)
SIGNAL = torch.arange(400.0)
CALLS = {
    "avg_pool1d": lambda n: F.avg_pool1d(IMAGE[0], n(3), n(2), n(1)),
    "avg_pool2d": lambda n: F.avg_pool2d(IMAGE, [n(3), n(3)], (n(2), n(2)), n(1)),
    "avg_pool3d": lambda n: F.avg_pool3d(IMAGE[None], (1, n(3), n(3)), n(1), (0, n(1), n(1))),
    "unfold": lambda n: F.unfold(IMAGE, n(3), n(1), n(1), n(2)),
    "fold": lambda n: F.fold(torch.ones(1, 9, 25), n(10), n(3), n(1), n(1), n(2)),
    "interpolate": lambda n: F.interpolate(IMAGE, size=(n(7), n(7))),
    "stft": lambda n: torch.stft(
        SIGNAL, n(200), n(50), window=torch.ones(200), return_complex=True
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_sizes_of_one_byte_count_as_pythons_do(name):
    expected = CALLS[name](int)
    for kind in (numpy.uint8, numpy.int8 if name != "stft" else numpy.int16):
        assert torch.equal(CALLS[name](kind), expected)
