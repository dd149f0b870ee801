"""Products of torch.linalg: cross, vecdot, multi_dot, matrix_power."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import layout
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.out_rules import exact_out
from minitorch.core.graph.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind
from minitorch.core.tensor.conversion import entry_of, wrap_dim
from minitorch.core.warning import warn_once


def check_floating(x: Any, name: str) -> None:
    """RuntimeError unless `x` is of floating-point or complex numbers."""
    if x.dtype.kind < Kind.FLOATING:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. "
            f"Got {x.dtype.scalar_name}"
        )


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
    if self.dtype != other.dtype:
        raise RuntimeError(
            f"expected common dtype {dtypes.of(self).scalar_name} but found "
            f"{dtypes.of(other).scalar_name}"
        )
    if self.dtype.kind == "b":
        raise NotImplementedError("\"cross\" not implemented for 'Bool'")
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
    """The sum of conj(x) * y along `dim`. As torch.linalg.vecdot."""
    check_floating(x, "linalg.vecdot")
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
