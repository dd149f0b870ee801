"""NumPy's functions and operators on tensors, which reach them by __array__ and __array_wrap__."""

import numpy
import pytest

import minitorch as torch

# NumPy says of torch's way to be an array that it is out of date, and so of ours.
pytestmark = pytest.mark.filterwarnings("ignore:__array_:DeprecationWarning")


def x():
    return torch.tensor([3.0, 1.0, 2.0])


def assert_tensor(found, expected):
    """Both are tensors, of one dtype and with the same elements."""
    assert isinstance(found, torch.Tensor)
    assert found.dtype is expected.dtype
    assert torch.equal(found, expected)


def test_an_array_of_a_tensor_shares_its_memory():
    t = x()
    a = numpy.asarray(t)
    a[0] = 7
    assert t[0] == 7
    assert a.dtype == numpy.float32
    assert not numpy.shares_memory(numpy.array(t), a)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: x().requires_grad_(), RuntimeError),
        (lambda: x().bfloat16(), TypeError),
        (lambda: torch.tensor([1 + 2j]).conj(), RuntimeError),
    ],
)
def test_what_numpy_cannot_hold_is_refused(make, error):
    with pytest.raises(error):
        numpy.asarray(make())
    with pytest.raises(error):
        numpy.sin(make())


@pytest.mark.parametrize(
    "function",
    [numpy.sin, numpy.sqrt, numpy.abs, lambda x: numpy.add(x, 1), lambda x: numpy.maximum(x, x)],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_universal_functions_give_tensors(function, dtype):
    t = x().to(dtype)
    assert_tensor(function(t), torch.from_numpy(function(t.numpy())))


def test_comparisons_by_numpy_give_bytes():
    assert_tensor(numpy.greater(x(), 1), torch.tensor([1, 0, 1], dtype=torch.uint8))


def test_what_numpy_joins_and_sorts_is_an_array():
    for found in (numpy.concatenate([x(), x()]), numpy.stack([x()]), numpy.where(x() > 1, x(), 0)):
        assert type(found) is numpy.ndarray
    assert numpy.unique(torch.tensor([2, 1, 2])).tolist() == [1, 2]
    assert numpy.linalg.norm(torch.tensor([3.0, 4.0])) == 5


def test_an_array_after_a_tensor_is_computed_by_numpy():
    a = numpy.arange(3.0)
    assert_tensor(x() + a, torch.tensor([3.0, 2.0, 4.0], dtype=torch.float64))
    assert_tensor(x() * a.astype("float32"), torch.tensor([0.0, 1.0, 4.0]))
    assert_tensor(a / x(), torch.tensor([0.0, 1.0, 1.0], dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        x().requires_grad_() * a


@pytest.mark.parametrize(
    "operate",
    [lambda a, t: a + t, lambda a, t: a - t, lambda a, t: a * t, lambda a, t: a > t],
)
def test_a_tensor_after_an_array_is_refused(operate):
    with pytest.raises(TypeError):
        operate(numpy.arange(3.0), x())


def test_an_array_added_in_place_makes_another_tensor():
    t = before = x()
    t += numpy.ones(3)
    assert t is not before
    assert_tensor(t, torch.tensor([4.0, 2.0, 3.0], dtype=torch.float64))
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+=: 'Tensor' and"):
        t += "a"
    with pytest.raises(TypeError, match=r"must be Tensor, not numpy\.ndarray"):
        t.add_(numpy.ones(3))


def test_only_equality_reads_an_array():
    assert_tensor(x() == numpy.array([3, 0, 2]), torch.tensor([True, False, True]))
    assert (x() == numpy.array(["a"])) is False
    assert x().__ne__(numpy.ones(3)) is NotImplemented
    with pytest.raises(RuntimeError, match=r"must match the size of tensor b"):
        x() == numpy.ones(4)  # noqa: B015  (comparing is the test)


def test_numbers_of_numpy_are_numbers():
    assert_tensor(x() * numpy.float64(2), x() * 2)
    assert_tensor(numpy.float32(2) * x(), x() * 2)
    assert torch.zeros(numpy.int64(2)).shape == (2,)
    assert x().sum(numpy.int64(0)) == 6


def test_tensors_and_arrays_index_each_other():
    a = numpy.array([10, 20, 30])
    assert a[torch.tensor([2, 0])].tolist() == [30, 10]
    assert a[torch.tensor([True, False, True])].tolist() == [10, 30]
    assert a[torch.tensor(1)] == 20
    assert x()[numpy.array([2, 0])].tolist() == [2, 3]
    assert x()[numpy.array([True, False, True])].tolist() == [3, 2]
    assert x()[numpy.int64(1)] == 1


def test_tensors_are_saved_as_arrays(tmp_path):
    numpy.save(tmp_path / "x.npy", x())
    assert torch.equal(torch.from_numpy(numpy.load(tmp_path / "x.npy")), x())
