"""Products of matrices by cuBLAS, without copies of operands that are transposed or broadcast.

cupy.matmul copies operands that do not lie row by row, makes tables of pointers for broadcast ones,
and multiplies half types in float32. Here cuBLAS gets the strides of the operands; half types are
passed unchanged and summed in float32, as in torch.
"""

from __future__ import annotations

from math import prod
from typing import Any

import cupy
import numpy
from cupy.cuda import cublas

# dtype -> its number among CUDA's, in which it adds up, and 1 and 0 of the type of that.
_CODES = {"float32": 0, "float64": 1, "complex64": 4, "complex128": 5}
_HALVES = {"float16": 2, "bfloat16": 14}
_IN_FLOAT32 = 68  # CUBLAS_COMPUTE_32F
_factors = {
    name: (numpy.ones((), name), numpy.zeros((), name))
    for name in ("float32", "float64", "complex64", "complex128")
}


def matmul(a: Any, b: Any, out: Any = None) -> Any:
    """a @ b of matrices, or of batches of them, row by row. As numpy.matmul."""
    dtype = a.dtype
    name = dtype.name
    code = _CODES.get(name, _HALVES.get(name))
    if code is None or b.dtype != dtype or a.ndim < 2 or b.ndim < 2 or not (a.size and b.size):
        return cupy.matmul(a, b, out=out)
    (n, k), (rows, m) = a.shape[-2:], b.shape[-2:]
    if rows != k:
        return cupy.matmul(a, b, out=out)  # which says so
    if b.ndim == 2 and a.ndim > 2 and a.flags.c_contiguous:  # one product of all rows
        flat = None if out is None else out.reshape(-1, m)
        result = matmul(
            a.reshape(-1, k), b, flat if out is None or out.flags.c_contiguous else None
        )
        return _into(out, result.reshape(*a.shape[:-1], m))
    batch = a.shape[:-2] if a.shape[:-2] == b.shape[:-2] else None
    if batch is None:
        batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, turned_a, lead_a, step_a = _operand(a, batch)
    b, turned_b, lead_b, step_b = _operand(b, batch)
    fits = out is not None and out.dtype == dtype and out.flags.c_contiguous
    result = out if fits else cupy.ndarray((*batch, n, m), dtype)
    one, zero = _factors.get(name, _factors["float32"])
    cublas.gemmStridedBatchedEx(
        cupy.cuda.device.get_cublas_handle(), turned_b, turned_a, m, n, k, one.ctypes.data,
        b.data.ptr, code, lead_b, step_b, a.data.ptr, code, lead_a, step_a, zero.ctypes.data,
        result.data.ptr, code, m, n * m, prod(batch), code if name in _CODES else _IN_FLOAT32,
        cublas.CUBLAS_GEMM_DEFAULT,
    )  # fmt: skip
    return _into(out, result)


def _into(out: Any, result: Any) -> Any:
    if out is None or out is result:
        return result
    if out.data.ptr != result.data.ptr:
        out[...] = result
    return out


def _operand(x: Any, batch: tuple[int, ...]) -> tuple[Any, int, int, int]:
    """An operand that cuBLAS can take: itself or a copy, whether it is transposed, the elements
    from one row to the next, and from one matrix to the next."""
    for copied in (False, True):
        if copied:
            x = cupy.ascontiguousarray(cupy.broadcast_to(x, (*batch, *x.shape[-2:])))
        n, m = x.shape[-2:]
        *steps, row, column = [stride // x.itemsize for stride in x.strides]
        step = _step(batch, x.shape[:-2], steps)
        if step is None:
            continue
        if (column == 1 or m == 1) and (row >= m or n == 1):
            return x, 0, max(row if n > 1 else m, m), step
        if (row == 1 or n == 1) and (column >= n or m == 1):
            return x, 1, max(column if m > 1 else n, n), step
    raise AssertionError("a copy lies row by row")


def _step(batch: tuple[int, ...], shape: tuple[int, ...], steps: list[int]) -> int | None:
    """The one step from matrix to matrix of a batch, if there is one: 0 if all are the same."""
    lead = len(batch) - len(shape)
    step = after = None
    for i in range(len(batch) - 1, -1, -1):
        size = batch[i]
        if size == 1:
            continue
        own = 0 if i < lead or shape[i - lead] == 1 else steps[i - lead]
        if step is None:
            step = own
        elif own != after:
            return None
        after = own * size
    return step or 0
