"""Data from outside: a fresh array from nested lists and numbers, and checks of foreign arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain
from operator import index
from typing import Any

import numpy as np

from minitorch.core.arrays.floating_point import cast
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import promote_types
from minitorch.core.numbers.scalars import check_long, fitted
from minitorch.core.warning import warn_once

_MOST_DIMENSIONS = 128
_LARGEST_FLOAT32 = 3.4028234663852886e38
_PLAIN = frozenset((bool, int, float, complex))
# The types of numbers that NumPy converts to a dtype exactly as torch does.
_DIRECT = {
    dtypes.bool.numpy: {bool},
    dtypes.int64.numpy: {bool, int},
    dtypes.float32.numpy: {bool, int, float},
    dtypes.float64.numpy: {bool, int, float},
}
_NONE: frozenset[type] = frozenset()
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE

_NEGATIVE_STRIDE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides "
    "are not currently supported. (You can probably work around this by making a copy of your "
    "array  with array.copy().) "
)
_ODD_STRIDE = (
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
    "reallocate the memory."
)
_BYTE_ORDER = (
    "given numpy array has byte order different from the native byte order. Conversion between "
    "byte orders is currently not supported."
)


def array_from_data(data: Any, dtype: np.dtype | None, default: np.dtype) -> np.ndarray:
    """A fresh array of the numbers of `data`, as `torch.tensor` makes it.

    data: a number, an array, a tensor, or sequences of these, nested to any depth. A tensor is
        an object with an array as `_array`; inside a sequence it must have one element.
    dtype: the wanted type; None infers it: that of arrays, tensors, NumPy's numbers; bool; int64;
        and for float, complex and no elements the `default` floating-point type.

    ValueError for ragged sequences; TypeError or RuntimeError for elements that are no numbers, or
    do not fit. As torch/csrc/utils/tensor_new.cpp.
    """
    kind = type(data)
    if kind is float:
        target = dtype or default
        if target.kind == "f" and target.itemsize > 2 and abs(data) <= _LARGEST_FLOAT32:
            return np.array(data, target)
    if kind in _PLAIN:
        return _converted([data], {kind}, dtype, default).reshape(())
    if kind is list or kind is tuple:
        flat, shape = _flattened(data)
        if flat is not None:
            kinds = set(map(type, flat))
            if kinds <= _PLAIN:
                x = _converted(flat, kinds, dtype, default)
                return x if len(shape) == 1 else x.reshape(shape)
    return _from_anything(data, dtype, default)


def check_numpy(array: Any, *, warn_read_only: bool = False) -> np.ndarray:
    """`array` itself, if a tensor can share its memory, as `torch.from_numpy` demands.

    TypeError for objects that are no arrays and for dtypes that torch lacks; ValueError for
    negative or uneven strides and for foreign byte order. `warn_read_only`: warn once that writes
    will change memory that is marked as read-only. As torch/csrc/utils/tensor_numpy.cpp.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {_full_name(array)})")
    if warn_read_only and not array.flags.writeable:
        _warn_read_only()
    if array.dtype.newbyteorder("=") not in dtypes.FROM_NUMPY:
        dtypes.of(array)
    for stride in array.strides:
        if stride % array.itemsize:
            raise ValueError(_ODD_STRIDE)
        if stride < 0 and array.size:
            raise ValueError(_NEGATIVE_STRIDE)
    if not array.dtype.isnative:
        raise ValueError(_BYTE_ORDER)
    return array


def _warn_read_only() -> None:
    warn_once(
        "The given NumPy array is not writable, and PyTorch does not support non-writable "
        "tensors. This means writing to this tensor will result in undefined behavior. You "
        "may want to copy the array to protect its data or make it writable before converting "
        "it to a tensor. This type of warning will be suppressed for the rest of this program.",
    )


# Plain Python numbers in plain lists: flattened in C, converted by NumPy in one call.


def _flattened(data: list | tuple) -> tuple[list | tuple | None, list[int]]:
    """All numbers of nested lists in one list, and the shape; (None, _) if they are not regular."""
    flat, shape = data, [len(data)]
    while flat and (type(flat[0]) is list or type(flat[0]) is tuple):
        if not set(map(type, flat)) <= {list, tuple}:
            return None, shape
        lengths = set(map(len, flat))
        if len(lengths) > 1 or len(shape) == _MOST_DIMENSIONS:
            return None, shape
        shape.append(lengths.pop())
        flat = list(chain.from_iterable(flat))
    return flat, shape


def _converted(
    flat: list | tuple, kinds: set[type], dtype: np.dtype | None, default: np.dtype
) -> np.ndarray:
    """Plain Python numbers of the given types as a 1-dimensional array."""
    if dtype is None:
        if complex in kinds:
            dtype = _complex_of(dtypes.FROM_NUMPY[default]).numpy
        elif float in kinds or not kinds:
            dtype = default
        else:
            dtype = dtypes.int64.numpy if int in kinds else dtypes.bool.numpy
    if not kinds <= _DIRECT.get(dtype, _NONE):
        return _stored(flat, dtype)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.array(flat, dtype)
    try:
        return np.array(flat, dtype)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None


# Everything else: element by element, with the conversions and complaints of torch.


def _from_anything(data: Any, dtype: np.dtype | None, default: np.dtype) -> np.ndarray:
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{_full_name(data)}'")
    no_tensor = not hasattr(type(data), "_array")  # for Proxies have attributes of all names
    if no_tensor and not isinstance(getattr(data, "__cuda_array_interface__", {}), dict):
        raise TypeError("`__cuda_array_interface__` must be a dict")
    if hasattr(data, "_array"):
        return _copied(data._array, dtype)
    if isinstance(data, np.ndarray):
        # Without the class: a memmap and a matrix are arrays of numbers like any other.
        return _copied(check_numpy(data).view(np.ndarray), dtype)
    if hasattr(data, "__dlpack__"):
        return _copied(np.from_dlpack(data), dtype)
    shape = _shape(data)
    if dtype is None:
        dtype = _inferred(data, dtypes.FROM_NUMPY[default]).numpy
    if 0 in shape:
        return np.empty(shape, dtype)
    return _stored(_leaves(data, shape), dtype).reshape(shape)


def _copied(x: Any, dtype: np.dtype | None) -> Any:
    """A dense copy that keeps the order of the dimensions in memory; expanded ones lose theirs."""
    order = "C" if 0 in x.strides else "K"
    if dtype is None or dtype == x.dtype:
        return x.copy(order=order)
    return cast(x, dtype, order)


def _is_sequence(data: Any) -> bool:
    return (
        hasattr(type(data), "__getitem__")
        and not isinstance(data, (dict, np.generic))
        and not hasattr(data, "_array")
    )


def _shape(data: Any) -> list[int]:
    """The shape of nested sequences, by the first element of each."""
    shape: list[int] = []
    item = data
    while _is_sequence(item):
        shape.append(len(item))
        if len(shape) > _MOST_DIMENSIONS:
            raise ValueError(f"too many dimensions '{_full_name(item)}'")
        if not shape[-1]:
            break
        try:
            item = item[0]
        except Exception:
            raise ValueError(
                f"could not determine the shape of object type '{type(item).__name__}'"
            ) from None
    return shape


def _inferred(data: Any, default: dtypes.dtype) -> dtypes.dtype:
    """The dtype that holds all elements of `data`."""
    if isinstance(data, (np.ndarray, np.generic)) and not isinstance(data, (str, bytes)):
        return dtypes.of(data)
    if isinstance(data, float):
        return default
    if isinstance(data, bool):
        return dtypes.bool
    if isinstance(data, int):
        return dtypes.int64
    if isinstance(data, complex):
        return _complex_of(default)
    if hasattr(data, "_array"):
        return dtypes.of(data._array)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{_full_name(data)}'")
    if not _is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {_full_name(data)}")
    if not len(data):
        return default
    # A pandas Series iterates over Python's numbers, but data[i] has a dtype, which counts.
    items = data if isinstance(data, (list, tuple)) else [data[i] for i in range(len(data))]
    return reduce(promote_types, (_inferred(item, default) for item in items))


def _complex_of(default: dtypes.dtype) -> dtypes.dtype:
    """The dtype of Python's complex numbers under a default dtype."""
    if default is dtypes.bfloat16:
        raise RuntimeError("invalid default scalar type for complex")
    return default.to_complex()


def _leaves(data: Any, shape: list[int], dimension: int = 0) -> Iterator[Any]:
    """The elements of `data` in order; each sequence on the way must have the length in `shape`."""
    if dimension == len(shape):
        yield data
        return
    if isinstance(data, np.ndarray):
        warn_once(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider "
            "converting the list to a single numpy.ndarray with numpy.array() before converting "
            "to a tensor."
        )
    try:
        items = data if isinstance(data, (list, tuple)) else list(data)
    except TypeError as error:
        if isinstance(data, np.ndarray):
            raise
        raise TypeError("not a sequence") from error
    if len(items) != shape[dimension]:
        raise ValueError(
            f"expected sequence of length {shape[dimension]} at dim {dimension} (got {len(items)})"
        )
    for item in items:
        yield from _leaves(item, shape, dimension + 1)


def _stored(values: Iterable[Any], dtype: np.dtype) -> np.ndarray:
    """`values` as a 1-dimensional array of `dtype`, each converted as torch converts it."""
    target = dtypes.FROM_NUMPY[dtype]
    if target is dtypes.bool:
        return np.array([_as_bool(value) for value in values], dtype)
    if target is dtypes.uint64:
        return np.array([_as_uint64(value) for value in values], dtype)
    if target.number_kind is dtypes.Kind.INTEGER:
        return np.array([fitted(_as_int(value), target, target.name) for value in values], dtype)
    if target.is_complex:
        x = np.array([_as_complex(value) for value in values], np.complex128)
        if dtype.names:
            return cast(x.astype(np.complex64), dtype)
    else:
        x = np.array([_as_float(value) for value in values], np.float64)
        if dtype.names:
            return cast(x, dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        # The 2-byte floats are rounded from float32, as in C++.
        return (x.astype(np.float32) if target.itemsize == 2 else x).astype(dtype, copy=False)


def _as_int(value: Any) -> int | float:
    if isinstance(value, float):
        return value
    value = index(_one_integer(value) if hasattr(value, "_array") else value)
    check_long(value)
    return value


def _as_uint64(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError("an integer is required")
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >= 2**64:
        raise OverflowError("int too big to convert")
    return value


def _as_bool(value: Any) -> bool:
    if isinstance(value, (bool, int, float, complex, np.bool_)):
        return bool(value)
    return bool(index(_one_integer(value) if hasattr(value, "_array") else value))


def _as_float(value: Any) -> float:
    if hasattr(value, "_array"):
        value = _one_number(value)
        if isinstance(value, complex):
            return float(fitted(value, dtypes.float64))
    elif isinstance(value, np.complexfloating):
        value = value.real
    elif isinstance(value, complex) or not _is_real(value):
        raise TypeError(f"must be real number, not {_full_name(value)}")
    return float(value)


def _is_real(value: Any) -> bool:
    return hasattr(type(value), "__float__") or hasattr(type(value), "__index__")


def _as_complex(value: Any) -> complex:
    if isinstance(value, (complex, np.complexfloating)):
        return complex(value)
    if hasattr(value, "_array"):
        return complex(_one_number(value))
    return complex(_as_float(value))


def _one_number(tensor: Any) -> Any:
    if tensor._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return (complex if tensor._array.dtype.kind == "c" else float)(tensor)


def _one_integer(tensor: Any) -> Any:
    if tensor._array.size != 1 or tensor._array.dtype.kind not in "biu":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return tensor._array.item()


def _full_name(value: Any) -> str:
    """The name of a value's type as C code writes it: with its module if it is built in."""
    kind = type(value)
    written_in_python = kind.__flags__ & _HEAP_TYPE and kind.__module__ != "torch"
    if written_in_python or kind.__module__ == "builtins" or hasattr(value, "_array"):
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"
