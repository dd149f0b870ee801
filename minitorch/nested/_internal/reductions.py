"""Reductions of NestedTensors: over all, over the ragged dimension, over others."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch._public.symbolic_int import SymInt
from minitorch.nested._internal.nested_tensor import NestedTensor
from minitorch.nested._internal.registry import Reduced, extract_kwargs, jagged
from minitorch.nested._internal.shapes import to_padded_tensor_default


def _each(function: Any, result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return tuple([function(each) for each in result])
    return function(result)


def _reduced(
    operator: Any,
    name: str,
    neutral: Any,
    self: Any,
    dim: Any,
    keepdim: bool = False,
    **options: Any,
) -> Any:
    """The result of a reduction: a dense tensor if the ragged dimension is reduced.

    name: for errors. neutral: the neutral element, which fills the ends of the shorter rows.
    RuntimeError with torch's texts for dimensions that cannot be reduced together.
    """
    listed = isinstance(dim, (tuple, list))
    if keepdim or name in ("any", "all"):
        options["keepdim"] = keepdim
    if dim is None or (listed and not dim):
        result = operator(self._values, dim, **options)
        if not keepdim:
            return result
        return _each(lambda x: x.unsqueeze(self._ragged_idx), result)
    over = Reduced(self, dim if listed else [dim])
    if over.ragged and self._lengths is not None:
        raise RuntimeError(
            f"{name}(): reducing across the ragged dimension is not supported for non-contiguous "
            "nested tensors with holes"
        )
    dims = over.dims if listed else over.dims[0]
    if over.ragged and over.batch:
        result = operator(self._values, dims, **options)
        return _each(lambda x: x.unsqueeze(0), result) if keepdim else result
    if over.ragged:
        if over.others:
            raise RuntimeError(
                f"{name}(): reducing along a ragged and non-batch dimension is not supported for "
                "nested tensors"
            )
        dense = to_padded_tensor_default(None, self, neutral)
        return operator(dense, [self._ragged_idx] if listed else self._ragged_idx, **options)
    if over.batch:
        raise RuntimeError(
            f"{name}(): reducing along the batch dimension but not the ragged dimension is not "
            "supported for nested tensors"
        )
    result = operator(self._values, dims, **options)
    made = extract_kwargs(self)
    if not keepdim:
        made["_ragged_idx"] -= sum(d < self._ragged_idx - 1 for d in over.dims)
    return _each(lambda x: NestedTensor(x, **made), result)


def _limit(dtype: Any, largest: bool) -> Any:
    """The largest or the smallest number of a dtype."""
    if dtype == torch.bool:
        return largest
    known = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    return known.max if largest else known.min


@jagged("sum.default", schema="self: jt_all, dtype: any?")
def sum_default(operator: Any, self: Any, **options: Any) -> Any:
    return operator(self._values, **options)


@jagged("sum.dim_IntList", schema="self: jt_all, dim: any?, keepdim: any?, dtype: any?")
def sum_dim_IntList(
    operator: Any, self: Any, dim: Any = None, keepdim: bool = False, **options: Any
) -> Any:
    return _reduced(operator, "sum", 0, self, dim, keepdim, **options)


@jagged("prod.default", schema="self: jt_all, dtype: any?")
def prod_default(operator: Any, self: Any, **options: Any) -> Any:
    return operator(self._values, **options)


@jagged("prod.dim_int", schema="self: jt_all, dim: any, keepdim: any?, dtype: any?")
def prod_dim_int(operator: Any, self: Any, dim: int, keepdim: bool = False, **options: Any) -> Any:
    return _reduced(operator, "prod", 1, self, dim, keepdim, **options)


@jagged("mean.default", schema="self: jt_all, dtype: any?")
def mean_default(operator: Any, self: Any, **options: Any) -> Any:
    return operator(self._values, **options)


@jagged("mean.dim", schema="self: jt_all, dim: any?, keepdim: any?, dtype: any?")
def mean_dim(
    operator: Any, self: Any, dim: Any = None, keepdim: bool = False, **options: Any
) -> Any:
    over = Reduced(self, dim or ())
    if not over.ragged or over.batch:
        return _reduced(operator, "mean", 0.42, self, dim, keepdim, **options)
    if over.others:
        raise AssertionError(
            "Cannot reduce on both ragged and non-batch dimensions without also reducing on batch"
        )
    total = _reduced(torch.ops.aten.sum.dim_IntList, "mean", 0, self, dim, True, **options)
    lengths = self._lengths_or_distances()
    for _ in range(total.dim() - 1):
        lengths = lengths.unsqueeze(-1)
    result = total / lengths
    return result if keepdim else result.squeeze(self._ragged_idx)


@jagged("any.dims", schema="self: jt_all, dim: any?, keepdim: any?")
def any_dims(operator: Any, self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _reduced(operator, "any", False, self, dim, keepdim)


@jagged("any.dim", schema="self: jt_all, dim: any, keepdim: any?")
def any_dim(operator: Any, self: Any, dim: int, keepdim: bool = False) -> Any:
    return _reduced(torch.ops.aten.any.dims, "any", False, self, [dim], keepdim)


@jagged("all.dims", schema="self: jt_all, dim: any?, keepdim: any?")
def all_dims(operator: Any, self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _reduced(operator, "all", True, self, dim, keepdim)


@jagged("all.dim", schema="self: jt_all, dim: any, keepdim: any?")
def all_dim(operator: Any, self: Any, dim: int, keepdim: bool = False) -> Any:
    return _reduced(torch.ops.aten.all.dims, "all", True, self, [dim], keepdim)


@jagged(
    "all.default",
    "any.default",
    "max.default",
    "min.default",
    schema="self: jt_all",
)
def all_any_max_min_default(operator: Any, self: Any) -> Any:
    return operator(self._values)


@jagged("_is_all_true.default", "_is_any_true.default", schema="self: jt_all")
def _is_true_default(operator: Any, self: Any) -> Any:
    return operator(self._values)


@jagged("min.dim", schema="self: jt_all, dim: any, keepdim: any?")
def min_dim(operator: Any, self: Any, dim: int, keepdim: bool = False) -> Any:
    return _reduced(operator, "min", _limit(self.dtype, True), self, dim, keepdim)


@jagged("max.dim", schema="self: jt_all, dim: any, keepdim: any?")
def max_dim(operator: Any, self: Any, dim: int, keepdim: bool = False) -> Any:
    return _reduced(operator, "max", _limit(self.dtype, False), self, dim, keepdim)


@jagged("amin.default", schema="self: jt_all, dim: any?, keepdim: any?")
def amin_default(operator: Any, self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return _reduced(operator, "amin", _limit(self.dtype, True), self, list(dim), keepdim)


@jagged("amax.default", schema="self: jt_all, dim: any?, keepdim: any?")
def amax_default(operator: Any, self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return _reduced(operator, "amax", _limit(self.dtype, False), self, list(dim), keepdim)


@jagged("argmin.default", schema="self: jt_all, dim: any?, keepdim: any?")
def argmin_default(operator: Any, self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _reduced(operator, "argmin", _limit(self.dtype, True), self, dim, keepdim)


@jagged("argmax.default", schema="self: jt_all, dim: any?, keepdim: any?")
def argmax_default(operator: Any, self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _reduced(operator, "argmax", _limit(self.dtype, False), self, dim, keepdim)


@jagged(
    "value_selecting_reduction_backward.default",
    schema="grad: jt_all, dim: any, indices: jt_all, sizes: any, keepdim: any",
)
def value_selecting_reduction_backward_default(
    operator: Any, grad: Any, dim: int, indices: Any, sizes: Any, keepdim: bool
) -> Any:
    ragged = next(i for i, size in enumerate(sizes) if isinstance(size, SymInt))
    made = {**extract_kwargs(indices), "_ragged_idx": ragged}
    shape = list(sizes[1:])
    shape[ragged - 1] = indices._values.size(indices._ragged_idx - 1)
    place = (dim + len(sizes) if dim < 0 else dim) - 1
    along, where = grad._values, indices._values
    if not keepdim:
        along, where = along.unsqueeze(place), where.unsqueeze(place)
    values = torch.zeros(shape, dtype=along.dtype).scatter(place, where, along)
    return NestedTensor(values, **made)


def _norm(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("aten.norm.ScalarOpt_dim")


COMPOSED: dict[str, Any] = {"norm": _norm}
