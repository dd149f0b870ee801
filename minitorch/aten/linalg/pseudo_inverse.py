"""Pseudo-inverses of matrices: linalg.pinv and pinverse."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.in_formulas import (
    options_of,
)
from minitorch.aten.linalg.checks import (
    check_pinv_precision,
    check_real,
    check_square,
    mH,
    on_host,
    swapped,
    tolerances,
)
from minitorch.aten.linalg.spectra import svd_forward
from minitorch.core.arrays import decompositions, lapack, layout
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out import ROWS, Out, safely_castable
from minitorch.core.numbers import dtype as dtypes


def pinv_forward(xp: Any, self: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    if self.ndim < 2 or self.dtype.char not in "fdFD":
        shape = ", ".join(map(str, self.shape))
        raise RuntimeError(
            f"linalg.pinv({dtypes.of(self).scalar_name}{{[{shape}]}}): expected a tensor with 2 or "
            "more dimensions of float, double, cfloat or cdouble types"
        )
    if hermitian and self.size:
        check_square(self, "linalg.eigh")
    given = [xp.to_numpy(x) if hasattr(x, "dtype") else x for x in (atol, rtol)]
    atol, rtol = tolerances("torch.linalg.pinv", self, *given)

    def inverted(sizes: Any, values: Any, largest: Any) -> Any:
        layout.broadcast(atol[..., None].shape, largest.shape)
        least = numpy.maximum(atol[..., None], rtol[..., None] * largest)
        return numpy.where(sizes > least, 1 / values, values.dtype.type(0))

    def kernel(a: Any) -> Any:
        if not a.size:
            return numpy.empty((*a.shape[:-2], *a.shape[:-3:-1]), a.dtype)
        a = a.astype(numpy.result_type(a, numpy.float64), copy=False)  # rounded once
        if hermitian:
            values, u = decompositions.eigh(a)
            sizes = abs(values)
            s = inverted(sizes, values, sizes.max(axis=-1, keepdims=True))
            return (u * s[..., None, :]) @ swapped(u).conj()
        u, s, vh = decompositions.svd(a, False)
        s = inverted(s, s, s[..., :1])
        return (swapped(vh).conj() * s[..., None, :]) @ swapped(u).conj()

    svd_forward(xp, self, False, False, None) if not every(xp.isfinite(self)) else None
    return on_host(xp, lambda a: numpy.ascontiguousarray(kernel(a), a.dtype), self)


def pinv_backward(F: Any, grad: Any, result: Any, self: Any) -> Any:
    found = pinv_gradient(F, grad, result, self)
    return lapack.by_columns(found) if F is RAW and found.size else found


def pinv_gradient(F: Any, grad: Any, result: Any, self: Any) -> Any:
    rows, columns = self.shape[-2:]
    inverse, flipped, grad = result, mH(F, result), mH(F, grad)
    if rows <= columns:
        K = F.matmul(grad, inverse)
        L = F.matmul(K, flipped)
        product = F.matmul(flipped, inverse)
        last = F.matmul(product, grad - F.matmul(K, self))
        third = F.matmul(F.matmul(self, inverse), L)
        first = mH(F, F.matmul(inverse, K))
        return -first + L - third + last
    K = F.matmul(inverse, grad)
    L = F.matmul(flipped, K)
    last = F.matmul(F.matmul(L, inverse), self)
    second = F.matmul(F.matmul(grad - F.matmul(self, K), inverse), flipped)
    first = mH(F, F.matmul(K, inverse))
    return -first + second + L - last


def pinv_tangent(F: Any, self_p: Any, self_t: Any, result: Any) -> Any:
    rows, columns = self_p.shape[-2:]
    inverse, flipped, moved = result, mH(F, result), mH(F, self_t)
    if rows <= columns:
        K = F.matmul(flipped, moved)
        inner = K - mH(F, K) - F.matmul(K, F.matmul(self_p, inverse))
        rest = moved - F.matmul(inverse, F.matmul(self_p, moved))
        return F.matmul(inverse, inner) + F.matmul(rest, F.matmul(flipped, inverse))
    K = F.matmul(inverse, self_t)
    inner = mH(F, K) - K - F.matmul(F.matmul(inverse, self_p), mH(F, K))
    rest = moved - F.matmul(F.matmul(moved, self_p), inverse)
    return F.matmul(inner, inverse) + F.matmul(F.matmul(inverse, flipped), rest)


pinv_row = operator(
    "linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None,"
    " bool hermitian=False) -> Tensor",
    node="LinalgPinvBackward0",
    forward=pinv_forward,
    self=pinv_backward,
    result=pinv_tangent,
    on=("F",),
    elementwise=True,
)


@composite(
    "linalg_pinv",
    on=("F",),
    out=Out(
        *safely_castable("linalg.pinv"),
        strides=ROWS,
        arguments_first=True,
        known=lambda A, *limits: (A.dtype,),
    ),
)
def linalg_pinv(
    input: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Any:
    """The pseudo-inverses of matrices. As torch.linalg.pinv.

    atol, rtol: singular values up to the larger of atol and rtol times the largest count as zero.
    """
    if type(rcond) is bool:
        rcond, hermitian = None, rcond
    check_real("torch.linalg.pinv", "rcond", getattr(rcond, "_array", None))
    limits, rtol = [], rcond if rtol is None else rtol
    if rtol is not None and atol is None and not isinstance(rtol, TensorBase):
        atol = 0.0
    if atol is not None and rtol is None and not isinstance(atol, TensorBase):
        check_pinv_precision(input)
    for each in (atol, rtol):
        if each is not None and not isinstance(each, TensorBase):
            each = OPS.full((), float(each), **options_of(input, dtypes.float64))
        limits.append(each)
    return pinv_row(input, atol=limits[0], rtol=limits[1], hermitian=hermitian)


@composite("pinverse")
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """The pseudo-inverses of matrices."""
    return linalg_pinv(input, rcond)
