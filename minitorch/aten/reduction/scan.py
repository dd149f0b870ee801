"""Running sums, products and extremes: cumsum, cumprod, cummax, cummin, logcumsumexp."""

from __future__ import annotations

import math
from typing import Any

from minitorch.aten.in_formulas import after, is_seen, is_transformed, number_like, overwrite, zeros
from minitorch.aten.linalg.matrix import refuse_dtype
from minitorch.aten.reduction.extrema import refuse_complex
from minitorch.aten.reduction.reduction import compact, same_dtype
from minitorch.core.arrays import summation
from minitorch.core.arrays.elementary import complex_logaddexp
from minitorch.core.arrays.floating_point import cast, has_nan
from minitorch.core.arrays.questions import every
from minitorch.core.base.formulas import is_complex, may_be_zero
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.in_place import store
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import (
    ALONE,
    APART,
    APART_OR_INPUT,
    BY_ELEMENT,
    EXACT,
    ONCE,
    InPlace,
    Out,
    exactly,
)
from minitorch.core.declare.row import EMPTY, LINEAR, SCALARS
from minitorch.core.declare.vmap import NAMES_DIMS
from minitorch.core.graph.views import check_writable, requires_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import (
    COMPLEX,
    COMPLEX_HALF,
    EVERY,
    FLOATING,
    HALVES,
    LATE_UNSIGNED,
)
from minitorch.core.numbers.limits import finfo
from minitorch.core.tensor.conversion import wrap_dim


def as_options(F: Any, grad: Any, options: Any) -> Any:
    """`grad` in the dtype that `options` of a tensor say; itself if it has it."""
    dtype = options[0]
    if grad.dtype is dtype or grad.dtype is dtype.numpy:
        return grad
    return F._to_copy(grad, dtype=dtype)


def refuse_truth(name: str, x: Any, dtype: Any) -> None:
    """NotImplementedError in ATen's words for running along truth values as such."""
    if dtype is dtypes.bool and x.ndim and x.size:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")


def cumsum_forward(xp: Any, self: Any, dim: int, dtype: Any) -> Any:
    axis = wrap_dim(dim, self.ndim)
    refuse_truth("cumsum", self, dtype)
    if dtype is not None and self.dtype != dtype.numpy:
        self = cast(self, dtype.numpy)
    if dtype is not None and self.ndim and self.size:
        refuse_dtype(self, "cumsum_out_cpu")
    x = summation.cumsum(xp, self, axis)
    return compact(xp, x if dtype is None else x.astype(dtype.numpy, copy=False))


def reversed_cumsum(F: Any, x: Any, dim: int) -> Any:
    """Running sums from the end."""
    return F.flip(F.cumsum(F.flip(x, (dim,)), dim), (dim,))


def cumsum_backward(F: Any, grad: Any, dim: int) -> Any:
    """The gradient of a running sum: the running sum from the end."""
    shape = tuple(grad.shape)
    if not shape or 0 in shape or shape[dim] == 1:
        return grad
    return reversed_cumsum(F, grad, dim)


cumsum_row = operator(
    "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
    node="CumsumBackward0",
    forward=cumsum_forward,
    self=lambda F, grad, self_options, dim: cumsum_backward(
        F, as_options(F, grad, self_options), dim
    ),
    result=LINEAR,
    on=("F",),
    out=Out(EXACT, overlap=BY_ELEMENT, resize=ONCE, refused_first=("Dimension",)),
    vmap=NAMES_DIMS.but(vectors=True),
    in_place=InPlace(falls_back=ALONE),
)


def cumprod_forward(xp: Any, self: Any, dim: int, dtype: Any) -> Any:
    axis = wrap_dim(dim, self.ndim)
    refuse_truth("cumprod", self, dtype)
    if dtype is not None and self.dtype != dtype.numpy:
        self = cast(self, dtype.numpy)
    kind = self.dtype
    if dtype is not None and self.ndim and self.size:
        refuse_dtype(self, "cumprod_out_cpu")
    if kind.kind in "biu":
        wide, kind = xp.int64, (xp.dtype(xp.int64) if dtype is None else kind)
    else:  # the running product is kept in double, in float32 for half types
        wide = {"f": xp.float64, "F": xp.complex128}.get(kind.char, kind)
        wide = xp.float32 if kind.itemsize == 2 else wide
    if self.ndim == 0:
        return self.astype(kind)
    return compact(
        xp, summation.accumulated(xp.multiply, self, axis, wide).astype(kind, copy=False)
    )


def cumprod_backward(F: Any, grad: Any, self: Any, result: Any, dim: int) -> Any:
    """The gradient of a running product.

    Without zeros it is a running sum from the end, divided by each element. Else element k takes
    the products without it, which are formed for one k after another.
    """
    rank = len(self.shape)
    if 0 in self.shape or rank == 0 or self.shape[dim] == 1:
        return grad
    dim %= rank
    if is_seen(F, grad):
        return cumprod_backward_seen(F, grad, self, result, dim)
    if not may_be_zero(self):
        return reversed_cumsum(F, result.conj() * grad, dim) / self.conj()
    x, size = self.conj(), self.shape[dim]
    ones = F.ones_like(F.slice(x, dim, 0, 1))
    apart = is_transformed(grad) or is_transformed(x)
    whole, parts = F.new_zeros(grad, x.shape), []
    for k in range(size):
        omitted = F.prod(F.slice(x, dim, 0, k), dim, True) if k else ones
        if k < size - 1:
            behind = F.cumprod(F.slice(x, dim, k + 1, None), dim)
            behind = F.expand(omitted, behind.shape) * behind if k else behind
            omitted = F.cat([omitted, behind], dim)
        share = F.sum(F.slice(grad, dim, k, None) * omitted, (dim,), apart)
        if apart:
            parts.append(share)
        else:
            overwrite(F, F.select(whole, dim, k), share)
    return F.cat(parts, dim) if apart else whole


def cumprod_backward_seen(F: Any, grad: Any, self: Any, result: Any, dim: int) -> Any:
    """The gradient of a running product by operators that ask for no number: in front of the first
    zero as if there were none, at it the sum of the products behind, 0 further on.

    As cumprod_backward of torch/csrc/autograd/FunctionsManual.cpp for classes and modes.
    """
    x, products = self.conj(), result.conj() * grad
    is_zero = self == 0
    none = zeros(F, grad, self.shape)
    count = F.cumsum(is_zero, dim)
    before = count == 0
    products = F.masked_fill(products, F.bitwise_not(before), 0.0)
    found = F.where(before, reversed_cumsum(F, products, dim) / x, none)
    behind = count == 1
    _, first = F.max_dim(behind, dim, True)
    is_first = after(F, "scatter", F.zeros_like(behind), dim, first, 1)
    is_first = after(F, "logical_and", is_first, behind)
    behind = after(F, "bitwise_and", behind, F.bitwise_not(is_first))
    others = F.cumprod(F.masked_fill(x, F.bitwise_not(behind), 1.0), dim)
    from_first = F.masked_fill(grad, count != 1, 0.0)
    ahead = F.gather(result.conj(), dim, after(F, "relu", first - 1))
    ahead = after(F, "masked_fill", ahead, first == 0, 1.0)
    share = F.sum(others * from_first, (dim,), True) * ahead
    return F.where(is_first, share, found)


def cumprod_tangent(F: Any, self_p: Any, self_t: Any, dim: int, result: Any, dtype: Any) -> Any:
    """The tangent of a running product; from the first zero on that zero's alone.

    As cumprod_jvp of torch/csrc/autograd/FunctionsManual.cpp.
    """
    tangent = F.cumsum(self_t / self_p, dim) * result
    zeros = self_p == 0
    if self_p.shape:
        first = zeros & (F.cumsum(zeros, dim) == 1)
        behind = F.cumprod(F.masked_fill(self_p, first, 1.0), dim)
        from_zero = F.masked_fill(self_t, F.logical_not(first), 0)
        from_zero = F.sum_dim_IntList(from_zero, (dim,), True) * behind
        zeros = F.cumsum(first, dim) > 0
    else:
        from_zero = self_t
    tangent = F.where(zeros, from_zero, tangent)
    return F.to(tangent, self_p.dtype if dtype is None else dtype)


cumprod_row = operator(
    "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
    node="CumprodBackward0",
    forward=cumprod_forward,
    self=lambda F, grad, self_options, self, dim, result: cumprod_backward(
        F, as_options(F, grad, self_options), self, same_dtype(F, result, self), dim
    ),
    result=cumprod_tangent,
    on=("F",),
    out=Out(EXACT, overlap=BY_ELEMENT, resize=ONCE, refused_first=("Dimension",)),
    vmap=NAMES_DIMS.but(vectors=True),
    in_place=InPlace(falls_back=ALONE),
)


def _running(name: str, row: Any, summary: str) -> Any:
    """The public function of a running sum or product, with its in-place variant."""

    def function(input: Any, dim: int, *, dtype: Any = None, out: Any = None) -> Any:
        if out is not None:
            kind = out.dtype if dtype is None else dtype
            return deliver(name, function, out, ((input, dim), {"dtype": kind}))
        return row(input, dim, dtype=dtype)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary

    def in_place(self: Any, dim: int, *, dtype: Any = None) -> Any:
        if dtype is not None and dtype is not self.dtype:
            check_writable(self, requires_grad(self) and recording())
            wrap_dim(dim, self.dim())
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {self.dtype.c_name} and output tensor "
                f"dtype {dtype.c_name} should match"
            )
        return store(name, row, self, ((dim,), {"dtype": self.dtype}))

    in_place.__name__ = in_place.__qualname__ = name + "_"
    in_place.__doc__ = f"`{name}`, written into `self`."
    composite(name)(function)
    composite(name + "_", on=("method",))(in_place)
    return function


cumsum = _running("cumsum", cumsum_row, "Running sums along `dim`. As torch.cumsum.")
cumprod = _running("cumprod", cumprod_row, "Running products along `dim`. As torch.cumprod.")

# ---- running extremes


def running_extreme(xp: Any, self: Any, dim: int, name: str) -> tuple[Any, Any]:
    """Running extremes along `dim` and where they were last met; a not-a-number stays."""
    if self.size == 0:  # looked at by no check
        return xp.empty(self.shape, self.dtype), xp.empty(self.shape, xp.int64)
    if self.ndim == 0:
        if dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        return self.copy(), xp.zeros((), xp.int64)
    axis = wrap_dim(dim, self.ndim)
    refuse_complex(self, f"{name}_cpu")
    ufunc = xp.maximum if name == "cummax" else xp.minimum
    values = summation.accumulated(ufunc, self, axis, self.dtype)
    places = xp.arange(self.shape[axis]).reshape([-1 if i == axis else 1 for i in range(self.ndim)])
    met = xp.equal(self, values, out=...)
    if has_nan(xp, self):
        met |= (self != self) & (values != values)
    places = summation.accumulated(xp.maximum, xp.multiply(places, met, out=...), axis, xp.int64)
    if not every(values):  # of zeros the last one has the sign
        values = xp.take_along_axis(self, places, axis)
    return compact(xp, values), compact(xp, places)


def running_extreme_backward(F: Any, grad: Any, sizes: Any, indices: Any, dim: int) -> Any:
    """`grad` added up at the places that the running extremes came from."""
    if 0 in sizes:
        return grad
    return F.scatter_add(zeros(F, grad, sizes), dim, indices, grad)


def running_extremes(name: str, node: str) -> Any:
    """The row of cummax or cummin."""
    return operator(
        f"{name}(Tensor self, int dim) -> (Tensor values, Tensor indices)",
        node=node,
        forward=lambda xp, self, dim: running_extreme(xp, self, dim, name),
        kernel=f"{name}_cpu",
        knows=EVERY - COMPLEX - COMPLEX_HALF - LATE_UNSIGNED,
        spares=(EMPTY, SCALARS),
        self=lambda F, grad, self, indices, dim: running_extreme_backward(
            F, grad, self.shape, indices, dim
        ),
        result=lambda F, self_t, dim, indices: F.gather(self_t, dim, indices),
        differentiable=(True, False),
        variants=("out",),
        real_gradients=True,
        out=Out(
            exactly("expected scalar_type {result.scalar_name} but found {out.scalar_name}"),
            overlap=APART,
            known=lambda self: (self.dtype, dtypes.int64),
        ),
        vmap=NAMES_DIMS.but(vectors=True),
    )


cummax = running_extremes("cummax", node="CummaxBackward0")
cummin = running_extremes("cummin", node="CumminBackward0")


# ---- logcumsumexp


def logcumsumexp_forward(xp: Any, self: Any, dim: int) -> Any:
    axis = wrap_dim(dim, self.ndim)
    if self.dtype.kind in "biu":
        raise dtypes.unknown_to("logcumsumexp_out_cpu", self)
    if self.ndim == 0:
        return self.copy()
    if self.dtype.kind == "c":
        return compact(xp, complex_logcumsumexp(xp, self, axis))
    return compact(xp, xp.logaddexp.accumulate(self.astype(xp.float64), axis).astype(self.dtype))


def complex_logcumsumexp(xp: Any, self: Any, axis: int) -> Any:
    """Step by step as torch, which does not bring the imaginary parts back into one turn."""
    out = xp.array(xp.moveaxis(self, axis, 0), xp.complex128)
    last: Any = complex(-math.inf)
    for i in range(len(out)):
        last = out[i] = complex_logaddexp(xp, out[i], last)
    return xp.moveaxis(out, 0, axis).astype(self.dtype)


def lowest_of(dtype: Any) -> float:
    """The least number of a dtype, torch's or NumPy's."""
    return finfo(dtypes.FROM_NUMPY.get(dtype, dtype)).min


def logcumsumexp_backward(F: Any, grad: Any, self: Any, result: Any, dim: int) -> Any:
    """The gradient of logcumsumexp, its positive and negative parts in logarithms."""
    if not self.shape or 0 in self.shape:
        return grad
    if is_complex(grad):
        running = F.flip(F.logcumsumexp(F.flip(F.log(grad.conj()) - result, (dim,)), dim), (dim,))
        return F._conj(F.exp(running + self))
    # The least number, not -inf: the second derivative subtracts it from itself.
    if is_seen(F, grad):
        lowest = number_like(F, grad, lowest_of(grad.dtype))
    else:
        lowest = F.full_like(grad, lowest_of(grad.dtype))
    logs = F.log(F.abs(grad))
    positive = F.where(grad > 0, logs, lowest)
    parts = [positive, F.where(grad < 0, logs, lowest)]

    def part(log_grad: Any) -> Any:
        running = F.flip(F.logcumsumexp(F.flip(log_grad - result, (dim,)), dim), (dim,))
        return F.exp(running + self)

    return part(parts[0]) - part(parts[1])


def logcumsumexp_tangent(F: Any, self_p: Any, self_t: Any, dim: int) -> Any:
    """The mean of the tangents so far, weighted by the exponentials."""
    if 0 in self_p.shape:
        return F.zeros_like(self_p)
    # Complex exponentials are not kept from overflowing, as in torch.
    exponentials = F.exp(self_p if is_complex(self_p) else self_p - F.amax(self_p, (dim,), True))
    return F.cumsum(exponentials * self_t, dim) / (F.cumsum(exponentials, dim) + 1e-13)


logcumsumexp = operator(
    "logcumsumexp(Tensor self, int dim) -> Tensor",
    node="LogcumsumexpBackward0",
    forward=logcumsumexp_forward,
    kernel="logcumsumexp_out_cpu",
    knows=FLOATING | HALVES | COMPLEX,
    self=logcumsumexp_backward,
    result=logcumsumexp_tangent,
    variants=("out",),
    out=Out(
        exactly("expected scalar_type {result.scalar_name} but found {out.scalar_name}"),
        overlap=APART_OR_INPUT,
    ),
    vmap=NAMES_DIMS.but(vectors=True),
)
