"""finfo and iinfo: range and precision, and their text."""

import copy

import numpy as np
import pytest

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import rare
from minitorch.core.numbers.limits import finfo, iinfo


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_floating_limits_are_those_of_the_stored_type(name):
    d = getattr(dtypes, name)
    f = finfo(d)
    assert float(np.float64(f.max).astype(d.numpy)) == f.max == -f.min
    assert float(np.float64(f.tiny).astype(d.numpy)) == f.tiny == f.smallest_normal
    one = np.ones((), d.numpy)
    assert one + np.float64(f.eps).astype(d.numpy) > one
    assert one + np.float64(f.eps / 2).astype(d.numpy) == one
    assert (f.bits, f.dtype) == (d.itemsize * 8, name)


@pytest.mark.parametrize("name", ["uint8", "int8", "uint16", "int32", "int64", "uint64"])
def test_integer_limits_are_numpys(name):
    d, numpys = getattr(dtypes, name), np.iinfo(name)
    i = iinfo(d)
    assert (i.bits, i.min, i.max, i.dtype) == (numpys.bits, numpys.min, numpys.max, name)


def test_texts_are_those_of_torch():
    assert repr(finfo(dtypes.float32)) == (
        "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)"
    )
    assert repr(finfo(dtypes.bfloat16)) == (
        "finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, "
        "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)"
    )
    assert repr(iinfo(dtypes.int32)) == "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)"


@pytest.mark.parametrize(
    ("name", "least", "most", "eps", "tiny"),
    [
        ("float8_e4m3fn", -448.0, 448.0, 0.125, 2.0**-6),
        ("float8_e4m3fnuz", -240.0, 240.0, 0.125, 2.0**-7),
        ("float8_e5m2", -57344.0, 57344.0, 0.25, 2.0**-14),
        ("float8_e5m2fnuz", -57344.0, 57344.0, 0.125, 2.0**-15),
        ("float8_e8m0fnu", 2.0**-127, 2.0**127, 1.0, 2.0**-127),
    ],
)
def test_numbers_of_eight_bits_have_the_limits_that_torch_states(name, least, most, eps, tiny):
    limits = finfo(dtypes.by_name(name))
    assert (limits.min, limits.max, limits.eps, limits.tiny) == (least, most, eps, tiny)
    assert (limits.bits, limits.resolution, limits.dtype) == (8, 1.0, name)


def test_complex_dtypes_and_nothing_stand_for_a_real_one():
    assert finfo(dtypes.complex128) == finfo(dtypes.float64)
    assert finfo() == finfo(dtypes.float32) != finfo(dtypes.float16)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: finfo(dtypes.int8),
            "torch.finfo() requires a floating point input type. Use torch.iinfo to handle ",
        ),
        (
            lambda: iinfo(dtypes.float32),
            "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'",
        ),
        (lambda: iinfo(dtypes.bool), "torch.bool is not supported by torch.iinfo"),
        (lambda: iinfo(), 'iinfo() missing 1 required positional arguments: "type"'),
        (
            lambda: finfo("float32"),
            "finfo(): argument 'type' (position 1) must be torch.dtype, not str",
        ),
        (
            lambda: finfo(dtypes.int8, 3),
            "finfo() received an invalid combination of arguments - got (torch.dtype, int), but",
        ),
        (lambda: iinfo(dtypes.int8, 3), "iinfo() takes 1 positional argument but 2 were given"),
    ],
)
def test_refusals_have_the_words_of_torch(make, message):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value).startswith(message)


def test_limits_are_made_once_and_are_not_pickled():
    assert finfo(dtypes.float16) is finfo(type=dtypes.float16)
    with pytest.raises(TypeError, match=r"cannot pickle 'torch\.finfo' object"):
        copy.copy(finfo(dtypes.float16))


def test_limits_of_quantized_integers_have_no_name():
    limits = iinfo(rare()["qint8"])
    assert (limits.bits, limits.min, limits.max) == (8, -128, 127)
    with pytest.raises(NotImplementedError, match="\"dtype\" not implemented for 'QInt8'"):
        _ = limits.dtype
