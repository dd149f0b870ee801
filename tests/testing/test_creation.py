"""torch.testing.make_tensor."""

import pytest

import minitorch as torch
from minitorch.testing import make_tensor


def test_values_lie_in_the_interval():
    x = make_tensor(100, dtype=torch.int64, device="cpu", low=2, high=5)
    assert set(x.tolist()) == {2, 3, 4}
    y = make_tensor(10, 10, dtype=torch.complex64, device="cpu", low=0, high=1)
    assert (torch.view_as_real(y) >= 0).all()
    assert make_tensor(20, dtype=torch.bool, device="cpu").unique().tolist() == [False, True]


def test_layouts_and_gradients_as_asked_for():
    x = make_tensor((2, 3), dtype=torch.float32, device="cpu", noncontiguous=True)
    assert x.stride() == (6, 2)
    x = make_tensor(2, 3, 4, 5, dtype=torch.float64, device="cpu", requires_grad=True)
    assert x.requires_grad
    assert x.is_leaf


def test_zeros_may_be_excluded():
    x = make_tensor(50, dtype=torch.uint8, device="cpu", low=0, high=2, exclude_zero=True)
    assert x.tolist() == [1] * 50


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"low": 2.0, "high": 1.0}, "must be less than"),
        ({"low": float("nan")}, "cannot be NaN"),
        ({"dtype": torch.uint8, "low": -3, "high": -1}, "only supports"),
        ({"dtype": torch.int64, "requires_grad": True}, "not supported for boolean and integral"),
        ({"noncontiguous": True, "memory_format": torch.channels_last}, "mutually exclusive"),
    ],
)
def test_wrong_requests_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        make_tensor(2, **{"dtype": torch.float32, "device": "cpu", **options})
