"""Weights as a direction and a length: _weight_norm. As ATen/native/WeightNorm.cpp."""

from __future__ import annotations

from typing import Any

from minitorch.aten.norms import norm_along, norm_of_all
from minitorch.core.declare.families import composite, operator
from minitorch.core.numbers import dtype as dtypes


@composite("norm_except_dim", on=("function",))
def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norm over all dimensions but one, which stay as dimensions of size 1; over all for -1."""
    if dim == -1:
        return norm_of_all(v, pow)
    last = v.dim() - 1
    if dim not in (0, last):
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    sizes = [1] * v.dim()
    sizes[dim] = v.size(dim)
    rows, over = ((v.size(0), -1), 1) if dim == 0 else ((-1, v.size(last)), 0)
    return norm_along(v.contiguous().view(rows), pow, (over,), False).view(sizes)


def weight_norm_forward(xp: Any, v: Any, g: Any, dim: int) -> tuple[Any, Any]:
    kind = dtypes.of(v)
    if not kind.is_floating_point:
        raise NotImplementedError(
            f"\"weight_norm_kernel\" not implemented for '{kind.scalar_name}'"
        )
    axes = tuple(range(1, v.ndim)) if dim == 0 else tuple(range(v.ndim - 1))
    wide = v.dtype if v.dtype.itemsize > 2 else xp.float32
    v, g = v.astype(wide, copy=False), g.astype(wide, copy=False)
    norms = xp.sqrt(xp.sum(v * v, axes, keepdims=True))
    out = (v * (g / norms)).astype(kind.numpy, copy=False)
    if kind is dtypes.float16:  # those of bfloat16 stay float32
        norms = norms.astype(xp.float16)
    return out, norms.reshape(g.shape)


def weight_norm_gradients(
    F: Any, grad: Any, v: Any, g: Any, result1: Any, dim: int
) -> tuple[Any, Any]:
    norms = result1 if result1.dtype == g.dtype else F.type_as(result1, g)
    rows, over = ((len(v), -1), 1) if dim == 0 else ((-1, v.shape[-1]), 0)
    sizes = [1] * len(v.shape)
    sizes[dim] = v.shape[dim]
    sums = F.reshape(F.sum(F.reshape(grad * v, rows), over), tuple(sizes))
    along = grad - v * (sums / (norms * norms))
    return (g / norms) * along, sums / norms


_weight_norm_interface = operator(
    "_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)",
    node="WeightNormInterfaceBackward0",
    forward=weight_norm_forward,
    inputs=weight_norm_gradients,
    differentiable=(True, False),
    on=("function",),
)


@composite("_weight_norm", on=("function",))
def _weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    """The direction of `v` times the length `g`, along one dimension."""
    v, g = v.contiguous(), g.contiguous()
    if dim in (0, v.dim() - 1):
        return _weight_norm_interface(v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
