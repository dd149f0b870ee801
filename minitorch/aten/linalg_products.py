"""Products of torch.linalg: cross, vecdot, multi_dot, matrix_power."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from minitorch.aten.linalg_checks import check_floating, check_square
from minitorch.core.arrays import layout
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out_rules import exact_out
from minitorch.core.declare.writing import deliver, fit
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import contiguous_format
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.tensor.conversion import entry_of, wrap_dim
from minitorch.core.warning import warn_once


def cross_forward(xp: Any, self: Any, other: Any, dim: int) -> Any:
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    sizes = [entry_of(x.shape, dim) for x in (self, other)]
    if sizes != [3, 3]:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. "
            f"Got {sizes[0]} and {sizes[1]}"
        )
    shape = layout.broadcast(self.shape, other.shape)
    if self.dtype.kind == "b":
        raise NotImplementedError("\"cross\" not implemented for 'Bool'")
    if self.dtype != other.dtype:
        raise RuntimeError(
            f"expected scalar type {dtypes.of(self).scalar_name} but found "
            f"{dtypes.of(other).scalar_name}"
        )
    out = xp.empty(shape, self.dtype)
    axis = wrap_dim(dim, self.ndim)
    a, b, c = [xp.moveaxis(x, axis, 0) for x in (self, other, out)]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        c[i] = a[j] * b[k] - a[k] * b[j]
    return out


linalg_cross = operator(
    "linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
    node="LinalgCrossBackward0",
    forward=cross_forward,
    self=lambda F, grad, other, dim: F.linalg_cross(other.conj(), grad, dim=dim),
    other=lambda F, grad, self, dim: F.linalg_cross(grad, self.conj(), dim=dim),
    result=lambda F, self_p, self_t, other_p, other_t, dim: (
        F.linalg_cross(self_t, other_p, dim=dim) + F.linalg_cross(self_p, other_t, dim=dim)
    ),
    on=("F",),
    variants=("out",),
)
exact_out("linalg_cross")


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
        if 3 not in input.shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input.shape.index(3)
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


@composite("linalg_matrix_power", on=("F",))
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
    return out.copy_(found if n else OPS.eye(A.shape[-1], dtype=A.dtype, device=A.device))


@composite("matrix_power")
def matrix_power(input: Any, n: int, *, out: Any = None) -> Any:
    """The n-th powers of square matrices."""
    return linalg_matrix_power(input, n, out=out)


exact_out("linalg_matrix_power", speaker="matmul")

# ---- multi_dot


def check_chain(tensors: Any) -> None:
    """RuntimeError with torch's texts unless the tensors can be multiplied one after another."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    last = len(tensors) - 1
    for i, x in enumerate(tensors):
        ends = {0: "the first tensor", last: "the last tensor"}
        if x.dim() != 2 and not (i in ends and x.dim() == 1):
            allowed = "1D or 2D" if i in ends else "2D"
            raise RuntimeError(
                f"multi_dot(): {ends.get(i, f'tensor {i}')} must be {allowed} but got {x.dim()}D"
            )
    for i, x in enumerate(tensors):
        if x.dtype is not tensors[0].dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{tensors[0].dtype.c_name} and tensor {i} {x.dtype.c_name}"
            )
    for i, (a, b) in enumerate(pairwise(tensors)):
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and "
                f"{list(b.shape)} cannot be multiplied"
            )


def splits(sizes: list[int]) -> dict[tuple[int, int], int]:
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


@composite("linalg_multi_dot", on=("F",), out=True)
def linalg_multi_dot(tensors: Any) -> Any:
    """The product of matrices, in the order that takes the fewest multiplications."""
    check_chain(tensors)
    shape = [*tensors[0].shape[:-1], *tensors[-1].shape[1:]]
    chain = list(tensors)
    if chain[0].dim() == 1:
        chain[0] = chain[0].unsqueeze(0)
    if chain[-1].dim() == 1:
        chain[-1] = chain[-1].unsqueeze(-1)
    split = splits([chain[0].shape[0], *[x.shape[1] for x in chain]])

    def product(i: int, j: int) -> Any:
        if i == j:
            return chain[i]
        return OPS.mm(product(i, split[i, j]), product(split[i, j] + 1, j))

    return product(0, len(chain) - 1).view(shape)


exact_out(
    "linalg_multi_dot",
    "multi_dot(): expected out tensor to have dtype {0.c_name} but got {1.c_name}",
    speaker="mm",
)


@composite("chain_matmul", on=("function",))
def chain_matmul(*matrices: Any, out: Any = None) -> Any:
    """As torch.linalg.multi_dot, which replaces it."""
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than "
        "multiple parameters."
    )
    return matrices[0] if len(matrices) == 1 else OPS.linalg_multi_dot(matrices, out=out)
