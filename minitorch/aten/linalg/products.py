"""Products of matrices: cross, vecdot, chains, powers, and of Householder reflectors."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy

from minitorch.aten.in_formulas import fill, is_seen, is_transformed, options_of, overwrite, zeros
from minitorch.aten.linalg.checks import check_floating, check_kernel, check_square, mH, on_host
from minitorch.core.arrays import lapack, layout, namespace, on_numpy
from minitorch.core.arrays.missing import refuse_numberless
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.base.modes import recording
from minitorch.core.declare.calls import ALWAYS, Calls
from minitorch.core.declare.codegen.shells import as_list, over
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import fit
from minitorch.core.declare.general.writing import deliver
from minitorch.core.declare.out import (
    APART,
    EXACT,
    NOT_ITSELF,
    ROWS_UNLESS_EMPTY,
    Out,
    exactly,
    safely_castable,
)
from minitorch.core.declare.vmap import WARNS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import contiguous_format
from minitorch.core.numbers.dispatch import BOOL, USUAL
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.tensor.conversion import entry_of, wrap_dim
from minitorch.core.warning import warn_once

_FEW = 4096  # elements, that are sooner copied than read with gaps
_OTHERS = [numpy.array(order) for order in ((1, 2, 0), (2, 0, 1))]


def cross_forward(xp: Any, self: Any, other: Any, dim: int) -> Any:
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = dim if 0 <= dim < self.ndim else wrap_dim(dim, self.ndim)
    sizes = [entry_of(x.shape, axis) for x in (self, other)]
    if sizes != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. "
            f"Got {sizes[0]} and {sizes[1]}"
        )
    shape = layout.broadcast(self.shape, other.shape)
    if self.dtype != other.dtype:
        raise RuntimeError(
            f"expected scalar type {dtypes.of(self).scalar_name} but found "
            f"{dtypes.of(other).scalar_name}"
        )
    if self.size + other.size <= _FEW and xp is on_numpy:
        a, b = [[x.take(order, axis) for order in _OTHERS] for x in (self, other)]
        return a[0] * b[1] - a[1] * b[0]
    out = xp.empty(shape, self.dtype)
    before = (slice(None),) * axis
    places = [(*before, i) for i in range(3)]
    a, b = [[x[place] for place in places] for x in (self, other)]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[places[i]] = a[j] * b[k] - a[k] * b[j]
    return out


linalg_cross = operator(
    "linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
    node="LinalgCrossBackward0",
    forward=cross_forward,
    kernel="cross",
    knows=USUAL - BOOL,
    self=lambda F, grad, other, dim: F.linalg_cross(other.conj(), grad, dim=dim),
    other=lambda F, grad, self, dim: F.linalg_cross(grad, self.conj(), dim=dim),
    result=lambda F, self_p, self_t, other_p, other_t, dim: (
        F.linalg_cross(self_t, other_p, dim=dim) + F.linalg_cross(self_p, other_t, dim=dim)
    ),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite("cross")
def cross(input: Any, other: Any, dim: int | None = None, *, out: Any = None) -> Any:
    """The vector products of vectors along `dim`, the first of size 3 if it is not given."""
    if dim is None and out is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass "
            "the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will "
            "change to agree with that of linalg.cross in a future release."
        )
    if dim is None:
        shape = input._array.shape
        if 3 not in shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = shape.index(3)
    return linalg_cross(input, other, dim=dim, out=out)


@composite("linalg_vecdot", on=("F",))
def vecdot(x: Any, y: Any, *, dim: int = -1, out: Any = None) -> Any:
    """The sum of conj(x) * y along `dim`."""
    check_floating(x._array, "linalg.vecdot")
    if x.dtype is not y.dtype:
        raise RuntimeError(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{x.dtype.scalar_name} and y of type {y.dtype.scalar_name} instead"
        )
    if out is not None and out.dtype is not x.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected out of dtype{x.dtype.scalar_name} but found "
            f"{out.dtype.scalar_name}"
        )
    if x.dim() == 1 == y.dim():
        return OPS.vdot(x, y, out=out)
    return OPS.sum(x.conj() * y, (dim,), out=out)


# ---- matrix_power


def powers(A: Any, n: int) -> Any:
    """A ** n by repeated squaring; A ** 3 in two products."""
    if n == 3:
        return OPS.matmul(OPS.matmul(A, A), A)
    square, result = A, None
    while True:
        if n % 2:
            result = square if result is None else OPS.matmul(result, square)
        n //= 2
        if not n:
            return result
        square = OPS.matmul(square, square)


@composite("linalg_matrix_power", on=("F",), own_out=Out(EXACT, overlap=APART, error_name="matmul"))
def linalg_matrix_power(A: Any, n: int, *, out: Any = None) -> Any:
    """The n-th powers of square matrices; of their inverses for n < 0."""
    check_square(A._array, "linalg.matrix_power")
    if out is not None and not can_cast(A.dtype, out.dtype):
        raise RuntimeError(
            "matrix_power: Expected result to be safely castable from "
            f"{A.dtype.scalar_name} dtype, but got result with dtype {out.dtype.scalar_name}"
        )
    count = abs(n)
    copied = count < 2 or (count > 3 and not count & (count - 1))  # not the last product's out=
    if out is not None and not copied:
        return deliver("linalg_matrix_power", linalg_matrix_power, out, ((A, n), {}))
    if out is not None:
        fit(out, A.shape)
    if n == -1:
        return OPS.linalg_inv(A, out=out)
    found = A
    if count > 1:
        found = powers(OPS.linalg_inv(A) if n < 0 else A, count)
        if out is None:
            return found
    if out is None:
        out = A.clone(memory_format=contiguous_format)
        if n == 1:
            return out
    return out.copy_(found if n else OPS.eye(A.shape[-1], **options_of(A)))


@composite("matrix_power")
def matrix_power(input: Any, n: int, *, out: Any = None) -> Any:
    """The n-th powers of square matrices."""
    return linalg_matrix_power(input, n, out=out)


# ---- multi_dot


def check_chain(tensors: Any) -> None:
    """RuntimeError with torch's texts unless the tensors can be multiplied one after another."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first = tensors[0]._array
    inner: Any = first.shape[0] if first.ndim == 2 else None
    for each in tensors:
        x = each._array
        if x.ndim != 2 or x.dtype is not first.dtype or x.shape[0] != inner:
            break
        inner = x.shape[1]
    else:
        return
    last = len(tensors) - 1
    for i in (0, last, *range(1, last)):
        x = tensors[i]
        ends = {0: "the first tensor", last: "the last tensor"}
        if x.dim() != 2 and not (i in ends and x.dim() == 1):
            allowed = "1D or 2D" if i in ends else "2D"
            raise RuntimeError(
                f"multi_dot(): {ends.get(i, f'tensor {i}')} must be {allowed} but got {x.dim()}D"
            )
    for i, (a, b) in enumerate(pairwise(tensors)):
        if b.dtype is not tensors[0].dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{tensors[0].dtype.c_name} and tensor {i + 1} {b.dtype.c_name}"
            )
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and "
                f"{list(b.shape)} cannot be multiplied"
            )


@lru_cache(64)
def splits(sizes: tuple[int, ...]) -> dict[tuple[int, int], int]:
    """Where to split each part of a chain of matrices for the fewest multiplications."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    found = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            prices = [
                cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            ]
            cost[i, j] = min(prices)
            found[i, j] = i + prices.index(cost[i, j])
            if n == 3 and cost[i, j] == prices[-1]:  # torch begins in front where it may
                found[i, j] = j - 1
    return found


@composite(
    "linalg_multi_dot",
    on=("F",),
    out=Out(
        exactly(
            "multi_dot(): expected out tensor to have dtype {result.c_name} but got {out.c_name}"
        ),
        overlap=NOT_ITSELF,
        error_name="mm",
    ),
)
def linalg_multi_dot(tensors: Any) -> Any:
    """The product of matrices, in the order that takes the fewest multiplications."""
    check_chain(tensors)
    shape = (*tensors[0]._array.shape[:-1], *tensors[-1]._array.shape[1:])
    chain = list(tensors)
    if chain[0].dim() == 1:
        chain[0] = chain[0].unsqueeze(0)
    if chain[-1].dim() == 1:
        chain[-1] = chain[-1].unsqueeze(-1)
    split = splits((chain[0]._array.shape[0], *[x._array.shape[1] for x in chain]))
    return product_of(chain, split, 0, len(chain) - 1).view(shape)


def product_of(chain: list[Any], split: dict[tuple[int, int], int], i: int, j: int) -> Any:
    """The product of the matrices i to j of a chain, split as is said."""
    if i == j:
        return chain[i]
    behind = product_of(chain, split, split[i, j] + 1, j)  # first, as C++ evaluates arguments
    return OPS.mm(product_of(chain, split, i, split[i, j]), behind)


@composite("chain_matmul", on=("function",), calls=Calls(in_python=ALWAYS, untold=("out",)))
@over(lambda *matrices, out=None: ("_VF.chain_matmul", as_list(matrices)))
def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    """As torch.linalg.multi_dot, which replaces it."""
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
        "multiple parameters.",
        in_python=True,
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return matrices[0] if len(matrices) == 1 else OPS.linalg_multi_dot(matrices, out=out)


# ---- of reflectors


def geqrf_forward(xp: Any, self: Any) -> Any:
    refuse_numberless("aten::geqrf", self)
    if self.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_kernel(self, "geqrf_cpu")

    def kernel(x: Any) -> Any:
        if lapack.is_alone(x):
            return lapack.routine("geqrf", x)(x)[:2]
        factor, least = lapack.by_columns(x), min(x.shape[-2:])
        tau = numpy.zeros((*x.shape[:-2], least), x.dtype)
        if least:
            geqrf = lapack.routine("geqrf", x)
            for i in lapack.places(x.shape[:-2]):
                factor[i], tau[i] = geqrf(factor[i])[:2]
        return factor, tau

    return on_host(xp, kernel, self)


def _without_derivative(grads: Any) -> Any:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


geqrf = operator(
    "geqrf(Tensor self) -> (Tensor a, Tensor tau)",
    node="GeqrfBackward0",
    forward=geqrf_forward,
    self=_without_derivative,
    variants=("out",),
    real_gradients=True,
    out=Out(*safely_castable("torch.geqrf", "a", "tau"), strides=ROWS_UNLESS_EMPTY),
)


def check_reflectors(input: Any, tau: Any) -> None:
    name = "torch.linalg.householder_product"
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    rows, columns = input.shape[-2:]
    if rows < columns:
        raise RuntimeError(
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if not tau.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if columns < tau.shape[-1]:
        raise RuntimeError(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if tau.ndim != input.ndim - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal "
            f"to {tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.shape[:-1])}"
        )
    if tau.dtype != input.dtype:
        own, other = (dtypes.of(x).scalar_name for x in (tau, input))
        raise RuntimeError(f"{name}: tau dtype {own} does not match input dtype {other}")
    check_kernel(input, "orgqr_cpu")


def product_forward(xp: Any, input: Any, tau: Any) -> Any:
    check_reflectors(input, tau)

    def kernel(x: Any, tau: Any) -> Any:
        out = lapack.by_columns(x)
        if out.size:
            orgqr = lapack.routine("ungqr" if x.dtype.kind == "c" else "orgqr", x)
            for i in lapack.places(x.shape[:-2]):
                out[i] = orgqr(out[i], tau[i])[0] if tau.size else numpy.eye(*x.shape[-2:])
        return out

    return on_host(xp, kernel, input, tau)


def ones_of(F: Any, input: Any) -> Any:
    """Matrices with ones on their diagonals, of the shape of `input`."""
    return F.tril(F.triu(F.ones_like(input)))


def part(i: int, v: Any, *tau: Any) -> tuple[Any, ...]:
    """Column i of `v`, and the factors of it."""
    return (v[..., i : i + 1], *[t[..., i : i + 1, None] for t in tau])


def reflected(F: Any, x: Any, t: Any, v: Any, left: bool) -> Any:
    """H x, or x H, of the reflection H = 1 - t v v^H."""
    if left:
        return x - t * v * F.matmul(mH(F, v), x)
    return x - F.matmul(x, t * v) * mH(F, v)


def _reflect_left(F: Any, x: Any, v: Any, t: Any, i: int) -> None:
    """Puts H x in the place of `x`: the rows from i on, above which v is 0."""
    rows = x.shape[-2] - i
    part = F.narrow(v, -2, i, rows)
    along = mH(F, F.narrow(v, -2, i, rows))
    along = F.matmul(along, F.narrow(x, -2, i, rows))
    place = F.narrow(x, -2, i, rows)
    place.sub_(F.unsqueeze(t, -1) * part * along)


def _reflect_right(F: Any, x: Any, v: Any, t: Any, i: int) -> None:
    """Puts x H in the place of `x`: the columns from i on."""
    columns = x.shape[-1] - i
    below = F.narrow(v, -2, i, columns)
    part = F.narrow(x, -1, i, columns)
    scaled = F.narrow(v, -2, i, columns)
    along = F.matmul(part, F.unsqueeze(t, -1) * scaled)
    place = F.narrow(x, -1, i, columns)
    place.sub_(along * mH(F, below))


def _seen_gradients(
    F: Any, x: Any, v_all: Any, tau: Any, inverse: Any, input: Any, order: Any, backwards: bool
) -> Any:
    """product_gradients by the calls that torch makes, which modes see."""
    rows, (outer, inner) = v_all.shape[-2], (_reflect_left, _reflect_right)
    if backwards:
        outer, inner = inner, outer

    def undo(i: int) -> None:
        v = F.narrow(v_all, -1, i, 1)
        outer(F, x, v, F.narrow(inverse, -1, i, 1), i)

    factor = F.narrow(inverse, -1, order[0], 1)  # which torch takes before the column here alone
    outer(F, x, F.narrow(v_all, -1, order[0], 1), factor, order[0])
    by_v, by_tau = [None] * len(order), [None] * len(order)
    for place, i in enumerate(order):
        column, factor = F.narrow(v_all, -1, i, 1), F.narrow(tau, -1, i, 1)
        v = F.narrow(column, -2, i, rows - i)
        adjoint = mH(F, v)
        along = F.matmul(adjoint, F.narrow(x, -2, i, rows - i))
        across = F.matmul(F.narrow(x, -1, i, rows - i), v)
        t = F.unsqueeze(factor, -1)
        back = F.squeeze_dim(t * across, -1)
        by_column = F.squeeze_dim((-t * along).conj(), -2) - back
        by_tau[i] = F.squeeze_dim(-F.matmul(F.narrow(along, -1, i, rows - i), v).conj(), -1)
        by_v[i] = F.unsqueeze(by_column, -1)
        if place < len(order) - 1:
            undo(order[place + 1])
            inner(F, x, column, factor, i)
    if rest := input.shape[-1] - len(order):
        by_v.append(zeros(F, x, (*input.shape[:-1], rest)))
    by_input, by_factor = F.cat(by_v, -1), F.cat(by_tau, -1)
    return by_input.tril_(-1), by_factor


def product_gradients(
    F: Any, grad: Any, input: Any, tau: Any, result: Any, backwards: bool = False
) -> Any:
    """The gradients of reflections H_0 H_1 ... of something, H_i = 1 - tau_i v_i v_i^H, v_i the
    columns of `input` below its diagonal, which counts as ones.

    As householder_product_backward of torch/csrc/autograd/FunctionsManual.cpp.

    backwards: whether the last comes first, as when their product is transposed.
    """
    if 0 in input.shape or 0 in tau.shape:
        return None, None
    rows, number = input.shape[-2], tau.shape[-1]
    v_all = F.tril(input, -1)
    fill(F, F.diagonal(v_all, 0, -2, -1), 1.0)
    used = F.narrow(v_all, -1, 0, number)
    inverse = tau / (tau * F.sum_dim_IntList(used * used.conj(), [-2]) - 1.0)
    first, second = (grad, result) if backwards else (result, grad)
    x = F.matmul(first, mH(F, second))
    order = [*range(number)]
    order = order[::-1] if backwards else order
    if is_seen(F, grad) and not recording():  # nothing is written if gradients have gradients
        return _seen_gradients(F, x, v_all, tau, inverse, input, order, backwards)

    def without(x: Any, i: int) -> Any:
        """`x` with H_i undone, on the side where it was applied last."""
        t = F.unsqueeze(F.narrow(inverse, -1, i, 1), -1)
        return reflected(F, x, t, F.narrow(v_all, -1, i, 1), not backwards)

    x = without(x, order[0])
    by_v, by_tau = [None] * number, [None] * number
    for place, i in enumerate(order):
        column, factor = F.narrow(v_all, -1, i, 1), F.narrow(tau, -1, i, 1)
        v, t = F.narrow(column, -2, i, rows - i), F.unsqueeze(factor, -1)
        along = F.matmul(mH(F, v), F.narrow(x, -2, i, rows - i))
        back = F.squeeze_dim(t * F.matmul(F.narrow(x, -1, i, rows - i), v), -1)
        by_v[i] = F.unsqueeze(F.squeeze_dim((-t * along).conj(), -2) - back, -1)
        by_tau[i] = F.squeeze_dim(-F.matmul(F.narrow(along, -1, i, rows - i), v).conj(), -1)
        if place < number - 1:
            x = without(x, order[place + 1])
            x = reflected(F, x, F.unsqueeze(factor, -1), column, backwards)
    if any(map(is_transformed, (grad, input, tau))):
        by_v += [F.zeros_like(each) for each in by_v[:1] * (input.shape[-1] - number)]
        return F.tril(F.cat(by_v, -1), -1), F.cat(by_tau, -1)
    by_input, by_factor = F.zeros_like(input), F.zeros_like(tau)
    for i in order:
        overwrite(F, F.select(by_input, -1, i), F.squeeze_dim(by_v[i], -1))
        overwrite(F, F.select(by_factor, -1, i), F.squeeze_dim(by_tau[i], -1))
    if F is RAW:  # in place, which keeps the strides of `input`
        by_input[...] = F.tril(by_input, -1)
    else:
        by_input.tril_(-1)
    return by_input, by_factor


def product_tangent(F: Any, input_p: Any, input_t: Any, tau_p: Any, tau_t: Any) -> Any:
    out = ones_of(F, input_p)
    v_all, dv_all, tangent = F.tril(input_p, -1) + out, F.tril(input_t, -1), F.zeros_like(out)
    for i in reversed(range(tau_p.shape[-1])):
        v, t, dt = part(i, v_all, tau_p, tau_t)
        (dv,) = part(i, dv_all)
        along = F.matmul(mH(F, v), out)
        both = F.matmul(mH(F, v), tangent) + F.matmul(mH(F, dv), out)
        tangent = tangent - dt * F.matmul(v, along) - t * (F.matmul(dv, along) + F.matmul(v, both))
        out = out - t * F.matmul(v, along)
    return tangent


linalg_householder_product = operator(
    "linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
    node="LinalgHouseholderProductBackward0",
    forward=product_forward,
    inputs=lambda F, grad, input, tau, result: product_gradients(F, grad, input, tau, result),
    result=product_tangent,
    on=("F",),
    variants=("out",),
    out=Out(*safely_castable("torch.linalg.householder_product"), strides=ROWS_UNLESS_EMPTY),
)


@composite(
    "orgqr",
    out=Out(
        *safely_castable("torch.linalg.householder_product"),
        strides=ROWS_UNLESS_EMPTY,
        error_name="linalg_householder_product",
    ),
)
def orgqr(input: Any, input2: Any) -> Any:
    """linalg.householder_product under LAPACK's name."""
    return linalg_householder_product(input, input2)


def check_product(input: Any, tau: Any, other: Any, left: bool) -> None:
    """RuntimeError unless matrices `other` can be multiplied with those of the reflectors."""
    side = -2 if left else -1
    for x, name in ((input, "input"), (other, "other")):
        if x.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    if other.shape[side] != input.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    if entry_of(tau.shape, -1) != min(other.shape[side], input.shape[-1]):
        raise RuntimeError(
            f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])"
        )
    if tau.ndim != input.ndim - 1:
        raise RuntimeError(
            "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim "
            f"equal to {tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    if other.ndim != input.ndim:
        raise RuntimeError(
            "torch.ormqr: Expected other to have the same number of dimensions as input, but got "
            f"other.ndim equal to {other.ndim} and input.ndim is equal to {input.ndim}"
        )
    for shape, name in ((tau.shape[:-1], "tau"), (other.shape[:-2], "other")):
        if shape != input.shape[:-2]:
            raise RuntimeError(
                f"torch.ormqr: Expected batch dimensions of {name} to be equal to "
                f"input.shape[:-2], but got {list(shape)}"
            )
    for x, name in ((tau, "tau"), (other, "other")):
        if x.dtype != input.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {name} to have the same dtype, but input has "
                f"dtype{dtypes.of(input).scalar_name} and {name} has dtype "
                f"{dtypes.of(x).scalar_name}"
            )
    check_kernel(input, "ormqr_cpu")


def ormqr_forward(xp: Any, self: Any, input2: Any, input3: Any, left: bool, transpose: bool) -> Any:
    check_product(self, input2, input3, left)

    def kernel(x: Any, tau: Any, other: Any) -> Any:
        out = lapack.by_columns(other)
        if out.size and tau.size:
            complex_ = x.dtype.kind == "c"
            ormqr = lapack.routine("unmqr" if complex_ else "ormqr", x)
            which = ("C" if complex_ else "T") if transpose else "N"
            room = 64 * max(other.shape[-2:])
            for i in lapack.places(x.shape[:-2]):
                columns = x[i][:, : tau.shape[-1]]
                out[i] = ormqr("L" if left else "R", which, columns, tau[i], out[i], room)[0]
        return out

    return on_host(xp, kernel, self, input2, input3)


def ormqr_gradients(
    F: Any,
    grad: Any,
    self: Any,
    input2: Any,
    input3: Any,
    left: bool,
    transpose: bool,
    result: Any,
    grad_input_mask: Any,
) -> tuple[Any, Any, Any]:
    by_other = F.ormqr(self, input2, grad, left, not transpose)
    if not (grad_input_mask[0] or grad_input_mask[1]):
        return None, None, by_other
    if not left:
        if left == transpose:  # in the order in which torch's call has them, from its end
            result, grad = mH(F, result), mH(F, grad)
        else:
            grad, result = mH(F, grad), mH(F, result)
    by_self, by_tau = product_gradients(F, grad, self, input2, result, left == transpose)
    return by_self, by_tau, by_other


ormqr = operator(
    "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False)"
    " -> Tensor",
    node="OrmqrBackward0",
    forward=ormqr_forward,
    inputs=ormqr_gradients,
    variants=("out",),
    out=Out(
        exactly(
            "torch.ormqr: Expected input and result to have the same dtype, but input has "
            "dtype{result.scalar_name} and result has dtype {out.scalar_name}"
        ),
        overlap=APART,
        strides=ROWS_UNLESS_EMPTY,
    ),
    vmap=WARNS,
)


# ---- products of bytes


def int_mm_forward(xp: Any, self: Any, mat2: Any) -> Any:
    """The product of two matrices of bytes in int32, in which sums wrap around.

    In double, in which products of bytes and their sums are exact. As _int_mm_cpu of
    ATen/native/LinearAlgebra.cpp.
    """
    entry_of(self.shape, 0), entry_of(mat2.shape, 1)  # the sizes of the result come first
    if self.ndim != 2:
        raise RuntimeError(
            f"int_mm_out_cpu: Expected self to be of dimension 2 but got {self.ndim}"
        )
    if mat2.ndim != 2:
        raise RuntimeError(
            f"int_mm_out_cpu: Expected mat2 to be of dimension 2 but got {mat2.ndim}"
        )
    if self.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got "
            f"{self.shape[1]} and {mat2.shape[0]}"
        )
    own, given = dtypes.of(self), dtypes.of(mat2)
    if own not in (dtypes.int8, dtypes.uint8):
        raise RuntimeError(
            f"int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got {own.c_name}"
        )
    if given is not dtypes.int8:
        raise RuntimeError(
            f"int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got {given.c_name}"
        )
    wide = xp.matmul(self.astype(xp.float64), mat2.astype(xp.float64))
    return wide.astype(xp.int64).astype(xp.int32)


@composite("_int_mm", on=("function",), own_out=Out(takes_grad=True))
def _int_mm(input: Any, mat2: Any, *, out: Any = None) -> Any:
    """The product of a matrix of int8 or uint8 and one of int8, in int32.

    Args:
        input: (n, k), int8 or uint8.
        mat2: (k, m), int8.
        out: (n, m), int32, contiguous.
    """
    x = input._array
    result = tensor(int_mm_forward(namespace(x), x, mat2._array))
    if out is None:
        return result
    start, sizes = "int_mm_out_cpu: Expected result", result.shape
    if out.dtype is not dtypes.int32:
        raise RuntimeError(f"{start} dtype to be of type kInt but got {out.dtype.c_name}")
    for dim in (0, 1):
        if out.size(dim) != sizes[dim]:
            raise RuntimeError(f"{start}.size({dim}) to be {sizes[dim]} but got {out.size(dim)}")
    if out.dim() != 2:
        raise RuntimeError(f"{start} to be of dimension 2 but got {out.dim()}")
    if not out.is_contiguous():
        raise RuntimeError(f"{start} to be contiguous.")
    return out.copy_(result)
