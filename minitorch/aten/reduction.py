"""Reductions: sum, mean and their kin."""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import summation
from minitorch.core.declare.elementwise import cast
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.arguments import numpy_names
from minitorch.aten.views import wrapped_dims


def summed(xp: Any, x: Any, dims: Any, keepdim: bool, dtype: Any) -> Any:
    """The sum over `dims` (None or empty: all); integers and bools add up as int64."""
    if dtype is not None and x.dtype != dtype.numpy:
        x = cast(x, dtype.numpy)
    return summation.sum(xp, x, axes_of(dims, x.ndim), keepdim)


def axes_of(dims: Any, rank: int) -> tuple[int, ...] | None:
    """The axes that `dim=` names; None for all of them."""
    if dims is None:
        return None
    dims = (dims,) if isinstance(dims, int) else dims
    axes = tuple(wrapped_dims(dims, rank))
    return (axes or None) if rank else None


def expand_back(F: Any, grad: Any, sizes: Any, dims: Any, keepdim: bool) -> Any:
    """The gradient of a sum over `dims`, expanded to the shape of its input."""
    if not keepdim and dims is not None and sizes:
        rank = len(sizes)
        dims = (dims,) if isinstance(dims, int) else dims
        for dim in sorted([dim % rank for dim in dims] or ()):
            grad = F.unsqueeze(grad, dim)
    return F.expand(grad, sizes)


sum_default = operator(
    "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    node="SumBackward0",
    forward=lambda xp, self, dtype: summed(xp, self, None, False, dtype),
    self=lambda F, grad, self_sym_sizes: F.expand(grad, self_sym_sizes),
    result=LINEAR,
    on=("F",),
)

sum_dim = operator(
    "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)"
    " -> Tensor",
    node="SumBackward1",
    forward=lambda xp, self, dim, keepdim, dtype: summed(
        xp, self, dim, keepdim, dtype
    ),
    self=lambda F, grad, self_sym_sizes, dim, keepdim: expand_back(
        F, grad, self_sym_sizes, dim, keepdim
    ),
    result=LINEAR,
    on=("F",),
)


@composite("sum", out=True)
@numpy_names
def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of all elements, or over the dimensions `dim`. As torch.sum."""
    if dim is None and not keepdim:
        return sum_default(input, dtype=dtype)
    return sum_dim(input, dim, keepdim, dtype=dtype)
