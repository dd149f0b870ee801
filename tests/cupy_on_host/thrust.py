"""Thrust's sorts over memory of the host (emulator)."""

import ctypes

import numpy
from cupy.cuda import common  # noqa: F401 - CuPy's own module has it too

available = True


def get_build_version():
    return 200000


def _host(ptr, n, dtype):
    dtype = numpy.dtype(dtype)
    raw = (ctypes.c_char * (n * dtype.itemsize)).from_address(ptr)
    return numpy.frombuffer(raw, dtype=dtype)


_OK = set("?bBhHiIlLqQefdFD")


def _check(dtype, error, text):
    dtype = numpy.dtype(dtype)
    if dtype.char not in _OK or dtype.name == "bfloat16":
        raise error(text.format(dtype))
    return dtype


def sort(dtype, data_start, keys_start, shape):
    dtype = _check(dtype, NotImplementedError, "Sorting arrays with dtype '{}' is not supported")
    a = _host(data_start, int(numpy.prod(shape)), dtype).reshape(shape)
    a[...] = numpy.sort(a, axis=-1, kind="stable")


def argsort(dtype, idx_start, data_start, keys_start, shape):
    dtype = _check(dtype, NotImplementedError, "Sorting arrays with dtype '{}' is not supported")
    n = int(numpy.prod(shape))
    a = _host(data_start, n, dtype).reshape(shape)
    order = numpy.argsort(a, axis=-1, kind="stable")
    a[...] = numpy.take_along_axis(a, order, -1)
    _host(idx_start, n, numpy.intp).reshape(shape)[...] = order


def lexsort(dtype, idx_start, keys_start, k, n):
    dtype = _check(dtype, TypeError, "Sorting keys with dtype '{}' is not supported")
    keys = _host(keys_start, k * n, dtype).reshape(k, n)
    _host(idx_start, n, numpy.intp)[...] = numpy.lexsort(keys)
