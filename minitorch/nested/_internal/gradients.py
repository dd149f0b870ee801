"""The derivatives of operators of NestedTensors: which row a call is recorded with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import minitorch as torch
from minitorch._public.symbolic_int import SymInt
from minitorch.core.base.modes import recording
from minitorch.core.declare.row import Row, parameters
from minitorch.nested._internal.functions import NESTED_ROWS, called
from minitorch.nested._internal.nested_tensor import NestedTensor
from minitorch.nested._internal.registry import canonical, is_same_raggedness, like
from minitorch.nested._internal.shapes import CONCRETE

# What the gradients of element-wise functions raise in torch, for want of a kernel.
_SIZE = (
    "NestedTensor does not support directly calling torch.ops.aten.size; please use "
    "`nested_tensor.size()` instead."
)
_REFUSED: dict[str, Callable[[], Exception]] = {
    "sgn": lambda: RuntimeError(_SIZE),
    "leaky_relu": lambda: NotImplementedError("aten.leaky_relu_backward.default"),
    "copysign": lambda: RuntimeError(CONCRETE),
    **dict.fromkeys(
        ("maximum", "minimum"), lambda: NotImplementedError("aten.masked_fill_.Scalar")
    ),
}


def row_for(name: str, row: Row | None, given: Any) -> Row | None:
    """The row of a call of the overload of this name, whose own is `row`."""
    if name in NESTED_ROWS:
        return NESTED_ROWS[name]
    if row is not None and name in _OF_REDUCTIONS:
        return _with_formula(row, _OF_REDUCTIONS[name])
    if row is None or row.node is None or row.family == "operator":
        return row
    return _on_values(row)


@cache
def _with_formula(row: Row, formula: Callable[..., Any]) -> Row:
    """A row of one input with another formula."""
    own = row.but(formulas={"self": formula})
    own.__dict__["key"] = f"nested_{row.key}"
    return own


@cache
def _on_values(row: Row) -> Row:
    """An element-wise row whose formulas run on the values of NestedTensors."""
    formulas = {n: _of_values(formula, row, n) for n, formula in row.formulas.items()}
    own = row.but(formulas=formulas)
    own.__dict__["key"] = f"nested_{row.key}"
    return own


def _of_values(formula: Callable[..., Any], row: Row, name: str) -> Callable[..., Any]:
    refused = _REFUSED.get(row.name)
    names = parameters(formula)
    # torch's gradient of a power begins with where(exponent == 0, ...).
    of_power = row.name == "pow" and name == "self" and "exponent" in names
    first = names.index("exponent") if of_power else None

    @wraps(formula)
    def computed(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if refused is not None:
            by_number = any(getattr(x, "_number", None) is not None for x in given)
            raise NotImplementedError("aten.masked_fill_.Scalar") if by_number else refused()
        ragged = [x for x in given if isinstance(x, NestedTensor)]
        if first is not None and isinstance(args[first], NestedTensor):
            ragged = [args[first], *ragged]
        if not ragged or recording() or not _fit(ragged[0], given):
            return formula(*args, **kwargs)
        result = formula(*map(_values, args), **{n: _values(x) for n, x in kwargs.items()})
        if isinstance(result, tuple):
            return tuple([x if x is None else like(x, ragged[0]) for x in result])
        return result if result is None else like(result, ragged[0])

    return computed


def _values(x: Any) -> Any:
    return x._values.detach() if isinstance(x, NestedTensor) else x


def _fit(first: Any, given: Any) -> bool:
    """Whether dense tensors among arguments meet the values as they meet NestedTensors."""
    for x in given:
        if isinstance(x, NestedTensor):
            if not is_same_raggedness(first, x._size) or x.dim() != first.dim():
                return False
        elif isinstance(x, torch.Tensor) and x.dim() > first.dim() - 2:
            return False
    return True


# ---- reductions


def _restored(reduced: Any, sizes: Any, dim: Any, keepdim: bool) -> Any:
    """The result of a reduction, with a dimension of size 1 for each one that was reduced."""
    if keepdim or not dim:
        return reduced
    taken = {canonical(len(sizes), d) for d in dim}
    shape = [1 if i in taken else n for i, n in enumerate(sizes)]
    return called("view.default", reduced, shape) if reduced.is_nested else reduced.view(shape)


def _of_mean(grad: Any, self_sym_sizes: Any, dim: Any, self_sym_numel: int, keepdim: bool) -> Any:
    ndim = len(self_sym_sizes)
    taken = {canonical(ndim, d) for d in dim or range(ndim)}
    if any(isinstance(self_sym_sizes[d], SymInt) for d in taken):
        raise RuntimeError(CONCRETE)
    count = 1
    for d in taken:
        count *= self_sym_sizes[d]
    if not keepdim:
        for d in sorted(taken):
            grad = grad.unsqueeze(d)
    return called("expand.default", grad, list(self_sym_sizes)) / count


def _of_extremes(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    dims = dim or range(self.dim())
    sizes = self._size
    grad = _restored(grad, sizes, dims, keepdim)
    mask = _restored(result, sizes, dims, keepdim) == self
    return (grad * mask) / mask.sum(list(dims), keepdim=True)


def _of_extreme_along(grad: Any, dim: int, indices: Any, self_sym_sizes: Any, keepdim: bool) -> Any:
    if isinstance(self_sym_sizes[dim], SymInt):
        raise RuntimeError(CONCRETE)
    return called(
        "value_selecting_reduction_backward.default",
        grad,
        dim,
        indices,
        list(self_sym_sizes),
        keepdim,
    )


def _of_extreme(grad: Any, self: Any, result: Any) -> Any:
    values = self._values.detach()
    mask = values == result
    return like(torch.zeros_like(values).masked_fill(mask, grad / mask.sum()), self)


def _of_product(grad: Any, self: Any, result: Any) -> Any:
    return self.view(-1)


def _of_product_along(grad: Any, self: Any, result: Any, dim: int, keepdim: bool) -> Any:
    if isinstance(self._size[dim], SymInt):
        return self._size[dim] - 1
    raise RuntimeError(CONCRETE)


_OF_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "mean.dim": _of_mean,
    "amax.default": _of_extremes,
    "amin.default": _of_extremes,
    "max.dim": _of_extreme_along,
    "min.dim": _of_extreme_along,
    "max.default": _of_extreme,
    "min.default": _of_extreme,
    "prod.default": _of_product,
    "prod.dim_int": _of_product_along,
}
