"""Arrays from nested Python data, and the foreign arrays whose memory a tensor can share."""

import collections
import math
import warnings

import numpy as np
import pytest

from minitorch.core import warning
from minitorch.core.arrays import from_data
from minitorch.core.arrays.from_data import array_from_data, check_numpy

pytestmark = pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy.ndarrays")

FLOAT32 = np.dtype(np.float32)
SELF_REFERENCE: list = []
SELF_REFERENCE.append(SELF_REFERENCE)


class Held:
    """A tensor as the module knows it: an object that holds an array."""

    def __init__(self, data, dtype=None):
        self._array = np.array(data, dtype)

    def __len__(self):
        return len(self._array)

    def __getitem__(self, index):
        return Held(self._array[index, ...])

    def __float__(self):
        return float(self._array.item())

    def __complex__(self):
        return complex(self._array.item())


def make(data, dtype=None):
    return array_from_data(data, dtype and np.dtype(dtype), FLOAT32)


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", ()),
        (1.5, "float32", ()),
        (True, "bool", ()),
        (1j, "complex64", ()),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ([True, 1], "int64", (2,)),
        ([True, 1, 2.5], "float32", (3,)),
        ([1, 2.5, 3j], "complex64", (3,)),
        (((1, 2), [3, 4]), "int64", (2, 2)),
        ([range(2), range(2)], "int64", (2, 2)),
        (collections.deque([1.5]), "float32", (1,)),
        (bytearray(b"ab"), "int64", (2,)),
        (np.float64(1), "float64", ()),
        (np.ones((2, 3), np.int8), "int8", (2, 3)),
        ([np.int8(1), np.int32(2)], "int32", (2,)),
        ([np.float16(1), 2], "float16", (2,)),
        ([np.float32(1), 2.5], "float32", (2,)),
        ([np.ones(2), [1, 2]], "float64", (2, 2)),
        ([np.ones((0, 3))], "float64", (1, 0)),
        (Held([1, 2], np.int16), "int16", (2,)),
        ([Held(1.5, np.float64), 2], "float64", (2,)),
        ([[Held(1), 2], [3, Held(4)]], "int64", (2, 2)),
        ([Held([[1]], np.int8)], "int8", (1,)),
        ([[1.5, 2], Held([1, 2])], "float32", (2, 2)),
    ],
)
def test_the_type_and_shape_come_from_the_data(data, dtype, shape):
    x = make(data)
    assert (x.dtype, x.shape) == (np.dtype(dtype), shape)


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        ([1, 0, 2.5, math.nan], "bool", [True, False, True, True]),
        ([-1, 255, 2.9], "uint8", [255, 255, 2]),
        ([-1.9, True], "int32", [-1, 1]),
        ([2**64 - 1, 1], "uint64", [2**64 - 1, 1]),
        ([1e39, -1e39], "float32", [math.inf, -math.inf]),
        ([70000.0, 65519], "float16", [math.inf, 65504.0]),
        ([2**100, 1.5], None, [2.0**100, 1.5]),
        ([1, 2j], "complex128", [1 + 0j, 2j]),
        (np.array([300.7]), "int16", [300]),
        ([Held(3), Held(4)], "float64", [3.0, 4.0]),
        ([[1, 2], {3, 4}], "int8", [[1, 2], [3, 4]]),
        ([np.float32(1), np.bool_(True)], "float64", [1.0, 1.0]),
    ],
)
def test_values_are_converted_as_torch_converts_them(data, dtype, expected):
    assert make(data, dtype).tolist() == expected


def test_complex_numbers_have_no_type_under_a_bfloat16_default():
    default = from_data.dtypes.bfloat16.numpy
    assert array_from_data(1.5, None, default).dtype == default
    for data in (1j, [1, 2j], [[2j], range(1)]):
        with pytest.raises(RuntimeError, match=r"^invalid default scalar type for complex$"):
            array_from_data(data, None, default)


def test_two_byte_floats_are_rounded_by_way_of_float32():
    halfway = 1 + 2.0**-11 + 2.0**-40  # above the middle, but no longer so in float32
    assert np.float16(halfway) == 1 + 2.0**-10
    assert make(halfway, "float16").tolist() == 1.0
    assert make([halfway], "float16").tolist() == [1.0]


def test_the_result_shares_no_memory_and_keeps_the_order_of_dimensions():
    source = np.ones((2, 3)).T
    x = make(source)
    assert not np.shares_memory(x, source)
    assert x.strides == source.strides
    assert make(np.broadcast_to(np.ones(4), (3, 4))).flags.c_contiguous
    assert make([[1, 2], [3, 4]]).flags.c_contiguous


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([[1, 2], [3]], ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
        ([[[1, 2]], [[3]]], ValueError, "expected sequence of length 2 at dim 2 (got 1)"),
        ([np.ones(2), np.ones(3)], ValueError, "expected sequence of length 2 at dim 1 (got 3)"),
        ([[1], 2], TypeError, "not a sequence"),
        ([1, [2]], TypeError, "'list' object cannot be interpreted as an integer"),
        ([1.0, [2]], TypeError, "must be real number, not list"),
        (None, RuntimeError, "Could not infer dtype of NoneType"),
        ([1, None], RuntimeError, "Could not infer dtype of NoneType"),
        ({1: 2}, RuntimeError, "Could not infer dtype of dict"),
        ([collections.OrderedDict()], RuntimeError, "Could not infer dtype of collections.Ordere"),
        ("a", TypeError, "new(): invalid data type 'str'"),
        ([1, "a"], TypeError, "new(): invalid data type 'str'"),
        (["a"], ValueError, "too many dimensions 'str'"),
        (SELF_REFERENCE, ValueError, "too many dimensions 'list'"),
        (2**63, ValueError, "Overflow when unpacking long long"),
        ([1.0, 10**400], OverflowError, "int too large to convert to float"),
        ([np.array(1.5)], TypeError, "len() of unsized object"),
        ([Held([1, 2])], TypeError, "only integer tensors of a single element can be converted to"),
        (
            [Held([1.0, 2])],
            ValueError,
            "only one element tensors can be converted to Python scalar",
        ),
        (np.array(["a"]), TypeError, "can't convert np.ndarray of type numpy.str_. The only suppo"),
        (np.ones(3)[::-1], ValueError, "At least one stride in the given numpy array is negative,"),
    ],
)
def test_data_that_is_no_tensor_is_refused_in_the_words_of_torch(data, error, message):
    with pytest.raises(error) as caught:
        make(data)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("data", "dtype", "error", "message"),
    [
        ([128], "int8", RuntimeError, "value cannot be converted to type int8 without overflow"),
        (
            [math.nan],
            "int64",
            RuntimeError,
            "value cannot be converted to type int64 without overf",
        ),
        ([1j], "float32", TypeError, "must be real number, not complex"),
        ([1j], "int8", TypeError, "'complex' object cannot be interpreted as an integer"),
        ([1.5], "uint64", TypeError, "an integer is required"),
        ([None], "bool", TypeError, "'NoneType' object cannot be interpreted as an integer"),
        (np.float32(2.5), "int64", TypeError, "'numpy.float32' object cannot be interpreted as a"),
        ([Held(2.5)], "int64", TypeError, "only integer tensors of a single element can be conve"),
        ([Held(2j)], "float32", RuntimeError, "value cannot be converted to type double without"),
    ],
)
def test_values_that_do_not_fit_are_refused_in_the_words_of_torch(data, dtype, error, message):
    with pytest.raises(error) as caught:
        make(data, dtype)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        ([1], TypeError, "expected np.ndarray (got list)"),
        (np.float32(1), TypeError, "expected np.ndarray (got numpy.float32)"),
        (np.ones(2, ">f4"), ValueError, "given numpy array has byte order different from the nat"),
        (np.ones(2, ">f4")[::-1], ValueError, "At least one stride in the given numpy array is n"),
        (
            np.ndarray(2, np.float32, bytearray(20), strides=(6,)),
            ValueError,
            "given numpy array strides not a multiple of the element byte size. Copy the numpy ar",
        ),
        (
            np.array(["a"], ">U1"),
            TypeError,
            "can't convert np.ndarray of type numpy.str_. The only",
        ),
    ],
)
def test_foreign_arrays_that_cannot_be_shared(array, error, message):
    with pytest.raises(error) as caught:
        check_numpy(array)
    assert str(caught.value).startswith(message)


def test_shareable_arrays_come_back_as_they_are():
    for array in (np.ones(2), np.ones((2, 3)).T[::2], np.ones((0, 2))[::-1], np.array(5)):
        assert check_numpy(array) is array


def test_read_only_memory_is_warned_about_once(monkeypatch):
    monkeypatch.setattr(warning, "_given", set())
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="^The given NumPy array is not writable, and PyTorch"):
        check_numpy(array, warn_read_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_numpy(array, warn_read_only=True)


@pytest.mark.parametrize("kind", [np.matrix, np.ma.MaskedArray])
def test_the_class_of_an_array_is_left_behind(kind):
    x = array_from_data(np.array([[1.0, 2.0]]).view(kind), None, np.dtype("f4"))
    assert type(x) is np.ndarray
    assert x.tolist() == [[1.0, 2.0]]


def test_a_file_in_memory_is_copied(tmp_path):
    file = np.memmap(tmp_path / "numbers", dtype="f4", mode="w+", shape=(2,))
    file[:] = 3
    x = array_from_data(file, None, np.dtype("f4"))
    assert type(x) is np.ndarray
    assert x.tolist() == [3, 3]
