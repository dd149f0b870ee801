"""torch.masked and torch.signal.windows."""

import math

import pytest

import minitorch as torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
mask = torch.tensor([[True, False, True], [False, True, True]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sum", [4, 11]),
        ("prod", [3, 30]),
        ("mean", [2, 5.5]),
        ("amax", [3, 6]),
        ("amin", [1, 5]),
        ("argmin", [0, 1]),
        ("median", [1, 5]),
        ("var", [2, 0.5]),
        ("norm", [math.sqrt(10), math.sqrt(61)]),
        ("logsumexp", [math.log(math.e + math.e**3), math.log(math.e**5 + math.e**6)]),
    ],
)
def test_reductions_leave_out_what_is_masked(name, expected):
    found = getattr(torch.masked, name)(x, dim=1, mask=mask)
    assert found.tolist() == pytest.approx(expected)


def test_normalisations_leave_out_what_is_masked():
    found = torch.masked.softmax(x, 1, mask=mask)
    assert found[~mask].tolist() == [0, 0]
    torch.testing.assert_close(found.sum(1), torch.ones(2))
    assert torch.masked.cumsum(x, 1, mask=mask).tolist() == [[1, 1, 4], [0, 5, 11]]
    found = torch.masked.normalize(x, 2.0, 1, mask=mask)
    torch.testing.assert_close(found.norm(dim=1), torch.ones(2))


def test_gradients_flow_to_what_is_not_masked():
    leaf = x.clone().requires_grad_()
    torch.masked.std(leaf, 1, mask=mask).sum().backward()
    assert leaf.grad[~mask].tolist() == [0, 0]


def test_what_does_not_fit_is_refused():
    with pytest.raises(RuntimeError, match="multiple times"):
        torch.masked.sum(x, (0, 0), mask=mask)
    with pytest.raises(IndexError, match="broadcastable"):
        torch.masked.sum(x[0], mask=mask)
    with pytest.raises(ValueError, match="fully masked out"):
        torch.masked.median(x.long(), mask=torch.zeros(2, 3))
    with pytest.raises(NotImplementedError, match="identity of amax"):
        torch.masked.amax(x > 2, mask=mask)


def test_windows_are_symmetric_and_periodic_ones_have_the_next_element():
    windows = torch.signal.windows
    for name in windows.__all__:
        fields = {"a": [0.5, 0.5]} if name == "general_cosine" else {}
        window = getattr(windows, name)
        whole = window(9, **fields, dtype=torch.float64)
        torch.testing.assert_close(whole, whole.flip(0))
        torch.testing.assert_close(window(8, sym=False, **fields, dtype=torch.float64), whole[:8])
        assert window(0, **fields).shape == (0,)
        assert window(1, **fields).item() == pytest.approx(1)
        with pytest.raises(ValueError, match="non-negative window length"):
            window(-1, **fields)


def test_windows_are_those_of_frames():
    torch.testing.assert_close(torch.signal.windows.hann(8, sym=False), torch.hann_window(8))
    torch.testing.assert_close(torch.windows.kaiser(5).max(), torch.tensor(1.0))
