"""Scalars: what a bare number means, and which dtypes can take it."""

import math

import numpy as np
import pytest

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.scalars import as_number, fitted, is_number, wrapped_dtype


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, True),
        (2**64 - 1, 2**64 - 1),
        (np.int8(3), 3),
        (np.float16(1.5), 1.5),
        (np.float64(1.5), 1.5),
        (np.complex128(2j), 2j),
        (np.bool_(True), 1.0),  # torch reads NumPy's bool as a float
    ],
)
def test_numbers_become_pythons_as_in_torch(value, number):
    assert is_number(value)
    result = as_number(value)
    assert (type(result), result) == (type(number), number)


def test_complex64_of_numpy_loses_its_imaginary_part_with_a_warning():
    with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part"):
        assert as_number(np.complex64(2 + 1j)) == 2.0


def test_integers_end_where_64_bits_end():
    with pytest.raises(OverflowError, match=r"^int too big to convert$"):
        as_number(2**64)
    with pytest.raises(OverflowError, match=r"^can't convert negative int to unsigned$"):
        as_number(-(2**63) - 1)
    with pytest.raises(TypeError, match=r"^an integer is required$"):
        as_number(np.uint64(2**64 - 1))


def test_bare_numbers_bring_the_widest_dtype_of_their_kind():
    assert wrapped_dtype(True) is dtypes.bool
    assert wrapped_dtype(np.int8(1)) is dtypes.int64
    assert wrapped_dtype(2**63) is dtypes.uint64
    assert wrapped_dtype(1.5) is dtypes.float32
    assert wrapped_dtype(1j) is dtypes.complex64


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        (300, "bool", True),
        (math.nan, "bool", True),
        (-1, "uint8", 255),
        (-255, "uint8", 1),
        (-(2**63), "uint64", 2**63),
        (-1.9, "int8", -1),
        (2 + 0j, "int32", 2),
        (2 + 0j, "float32", 2.0),
        (65504.0, "float16", 65504.0),
        (math.inf, "float32", math.inf),
        (1, "complex64", 1 + 0j),
    ],
)
def test_numbers_that_fit(value, name, expected):
    result = fitted(value, getattr(dtypes, name))
    assert (type(result), result) == (type(expected), expected)


@pytest.mark.parametrize(
    ("value", "name", "c_type"),
    [
        (256, "uint8", "uint8_t"),
        (-256, "uint8", "uint8_t"),
        (-0.5, "uint8", "uint8_t"),
        (128, "int8", "int8_t"),
        (127.5, "int8", "int8_t"),
        (math.nan, "int64", "int64_t"),
        (2**31, "int32", "int"),
        (2**63, "int64", "int64_t"),
        (1e39, "float32", "float"),
        (65505.0, "float16", "c10::Half"),
        (-3.4e38, "bfloat16", "c10::BFloat16"),
        (1j, "float32", "float"),
        (1j, "float16", "c10::Half"),
        (1j, "float64", "double"),
        (1 + 1e39j, "complex64", "c10::complex<float>"),
    ],
)
def test_numbers_that_do_not_fit(value, name, c_type):
    with pytest.raises(RuntimeError) as caught:
        fitted(value, getattr(dtypes, name))
    assert str(caught.value) == f"value cannot be converted to type {c_type} without overflow"


def test_fitted_wraps_two_to_the_63_as_a_float_as_c_does():
    assert fitted(2.0**63, dtypes.int64) == -(2**63)
    assert fitted(2.0**64, dtypes.uint64) == 0
    with pytest.raises(RuntimeError, match="int64_t without overflow"):
        fitted(2.0**63 + 2048, dtypes.int64)
    with pytest.raises(RuntimeError, match="int64_t without overflow"):
        fitted(2**63, dtypes.int64)
