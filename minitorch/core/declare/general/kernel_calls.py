"""Calls of the kernels of element-wise rows, on arrays of one dtype."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays import blas, on_numpy
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.scalars import as_scalar, scalar_like
from minitorch.core.declare.row import Row, ufunc
from minitorch.core.declare.wording.errors import raise_no_memory


def call_kernel(
    row: Row, xp: Any, arrays: list[Any], attributes: dict[str, Any], dtype: Any
) -> Any:
    """The forward of an element-wise row on arrays of one dtype.

    dtype: the NumPy dtype of the computation, before 2-byte floats were cast to float32.
    """
    if xp.device_type == "meta":
        return xp.by_element(
            lambda *single: call_kernel(row, on_numpy, list(single), attributes, dtype), *arrays
        )
    try:
        if isinstance(row.forward, ufunc):
            if len(arrays) < len(row.operands):
                return arrays[0]  # the sum: see `scaled`
            return row.forward.of(xp)(*arrays, out=...)
        given = dict(zip(row.operands, arrays, strict=True), xp=xp, dtype=dtype, **attributes)
        return row.forward(*[given[name] for name in row.wanted])
    except MemoryError as error:
        raise_no_memory(error)
        raise


def scaled(
    kernel: Any, xp: Any, arrays: list[Any], alpha: Any, compute: Any, dtype: Any
) -> list[Any]:
    """The operands a and alpha * b of a sum or difference, or the result of `kernel` alone, if BLAS
    can compute it; rounded once, as torch's fused instruction does it. What BLAS cannot compute of
    float32 is computed in double, in which the product is exact."""
    a, b = arrays
    if dtype == compute.numpy:
        factor = scalar_like(alpha, dtype, xp)
        if dtype.char in "fd" and (kernel is numpy.add or kernel is numpy.subtract):
            number = factor.item() if kernel is numpy.add else -factor.item()
            total = blas.plus_scaled(a, b, number)
            if total is not None:
                return [total]
    else:
        factor = cast(as_scalar(xp, alpha, compute), dtype)
    if dtype == numpy.float32:
        wide = numpy.dtype(numpy.float64)
        a, b, factor = a.astype(wide), b.astype(wide), factor.astype(wide)
        return [a, xp.multiply(b, factor, out=b)]  # a copy
    return [a, xp.multiply(b, factor, out=...)]
