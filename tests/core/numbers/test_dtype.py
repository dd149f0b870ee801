"""dtype: one object per number type, its attributes, the default, and the way to NumPy and back."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from minitorch.core.numbers import dtype as dtypes

# name, bytes, floating, complex, signed, ScalarType, C++ type, short form
FACTS = """
bool 1 0 0 0 Bool bool b8
uint8 1 0 0 0 Byte unsigned_char u8
uint16 2 0 0 0 UInt16 short_unsigned_int u16
uint32 4 0 0 0 UInt32 unsigned_int u32
uint64 8 0 0 0 UInt64 long_unsigned_int u64
int8 1 0 0 1 Char signed_char i8
int16 2 0 0 1 Short short_int i16
int32 4 0 0 1 Int int i32
int64 8 0 0 1 Long long_int i64
float16 2 1 0 1 Half c10::Half f16
bfloat16 2 1 0 1 BFloat16 c10::BFloat16 bf16
float32 4 1 0 1 Float float f32
float64 8 1 0 1 Double double f64
complex32 4 0 1 1 ComplexHalf c10::complex<c10::Half> c32
complex64 8 0 1 1 ComplexFloat c10::complex<float> c64
complex128 16 0 1 1 ComplexDouble c10::complex<double> c128
"""


@pytest.mark.parametrize("line", FACTS.strip().splitlines())
def test_attributes_are_those_of_torch(line):
    name, size, floating, complex_, signed, scalar_name, c_name, abbr = line.split()
    d = getattr(dtypes, name)
    assert (d.name, d.itemsize, d.scalar_name, d.abbr) == (name, int(size), scalar_name, abbr)
    assert d.c_name == c_name.replace("_", " ")
    flags = (d.is_floating_point, d.is_complex, d.is_signed)
    assert flags == (floating == "1", complex_ == "1", signed == "1")
    assert repr(d) == str(d) == f"torch.{name}"


def test_every_dtype_leads_to_numpy_and_back():
    for d in dtypes.DTYPES:
        assert d.numpy.itemsize == d.itemsize
        assert dtypes.of(np.zeros(1, d.numpy)) is d


def test_bfloat16_loads_its_package_only_when_it_is_used():
    program = (
        "import sys; from minitorch.core.numbers import dtype\n"
        "assert 'ml_dtypes' not in sys.modules\n"
        "import ml_dtypes, numpy\n"
        "assert dtype.of(numpy.zeros(1, ml_dtypes.bfloat16)) is dtype.bfloat16\n"
        "assert dtype.FROM_NUMPY[dtype.bfloat16.numpy] is dtype.bfloat16\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_longlong_is_int64_and_strings_are_refused():
    assert dtypes.of(np.zeros(1, np.longlong)) is dtypes.int64
    message = (
        r"^can't convert np.ndarray of type numpy.str_. The only supported types are: float64,"
    )
    with pytest.raises(TypeError, match=message):
        dtypes.of(np.array(["a"]))


def test_a_dtype_has_no_kind_by_which_programs_recognise_numpys():
    for each in (dtypes.float32, dtypes.bfloat16, dtypes.bool):
        assert not hasattr(each, "kind")


def test_copies_and_pickles_are_the_same_object():
    for d in dtypes.DTYPES:
        assert pickle.loads(pickle.dumps(d)) is copy.copy(d) is copy.deepcopy(d) is d


def test_aliases_are_the_same_objects():
    assert dtypes.half is dtypes.float16
    assert dtypes.float is dtypes.float32
    assert dtypes.double is dtypes.float64
    assert (dtypes.short, dtypes.int, dtypes.long) == (dtypes.int16, dtypes.int32, dtypes.int64)
    assert (dtypes.cfloat, dtypes.cdouble) == (dtypes.complex64, dtypes.complex128)


def test_real_and_complex_partners():
    assert dtypes.complex128.to_real() is dtypes.float64
    assert dtypes.int8.to_real() is dtypes.int8
    assert dtypes.bfloat16.to_complex() is dtypes.complex64
    assert dtypes.float16.to_complex() is dtypes.complex32
    with pytest.raises(RuntimeError, match=r"^Unknown Complex ScalarType for Byte$"):
        dtypes.uint8.to_complex()


def test_dtypes_cannot_be_made_changed_or_derived_from():
    with pytest.raises(TypeError, match=r"^cannot create 'torch\.dtype' instances$"):
        dtypes.dtype()
    with pytest.raises(AttributeError, match="not writable"):
        dtypes.float32.itemsize = 8
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        dtypes.float32.size = 8
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        _ = dtypes.float32.size
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("mine", (dtypes.dtype,), {})


def test_the_default_dtype_must_be_floating():
    assert dtypes.get_default_dtype() is dtypes.float32
    try:
        dtypes.set_default_dtype(dtypes.float64)
        assert dtypes.get_default_dtype() is dtypes.float64
        with pytest.raises(
            TypeError, match=r"^only floating-point types are supported as the defa"
        ):
            dtypes.set_default_dtype(dtypes.int64)
        with pytest.raises(TypeError, match=r"^invalid dtype object: only floating-point types"):
            dtypes.set_default_dtype("float32")
        assert dtypes.get_default_dtype() is dtypes.float64
    finally:
        dtypes.set_default_dtype(dtypes.float32)
