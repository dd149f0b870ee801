"""Reductions: those of torch.masked, whose result is masked out where nothing was left."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import minitorch as torch
from minitorch.masked.maskedtensor.core import is_masked_tensor, unsupported
from minitorch.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

__all__: list[str] = []

REDUCE_NAMES = ["sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm"]
REDUCE_NAMES += ["var", "std"]


def _masked_all_all(data: Any, mask: Any = None) -> Any:
    return data.all() if mask is None else data.masked_fill(~mask, True).all()


def _masked_all_dim(data: Any, dim: Any, keepdim: bool = False, mask: Any = None) -> Any:
    filled = data if mask is None else data.masked_fill(~mask, True)
    return torch.all(filled, dim=dim, keepdim=keepdim)


def _masked_all(*args: Any, **kwargs: Any) -> Any:
    """Whether all elements that count are true, of the whole or along dimensions."""
    if len(args) == 1 and len(kwargs) == 1:
        return _masked_all_all(args[0], mask=kwargs["mask"])
    return _masked_all_dim(*args, **kwargs)


def _multidim_any(mask: Any, dim: Any, keepdim: bool) -> Any:
    for each in sorted([dim] if isinstance(dim, int) else dim, reverse=True):
        mask = torch.any(mask, dim=each, keepdim=keepdim)
    return mask


def _get_masked_fn(fn: str) -> Any:
    return _masked_all if fn == "all" else getattr(torch.masked, fn)


def _reduce_all(fn: str, self: Any) -> Any:
    """The reduction of all elements."""
    function, data = _get_masked_fn(fn), self.get_data()
    mask = self.get_mask().values() if self.is_sparse else self.get_mask()
    if fn == "all":
        result = function(data, mask=mask)
    elif fn in ("argmin", "argmax") and self.is_sparse_coo():
        place = data.indices().unbind(1)[function(data.values(), mask=mask).to(dtype=torch.int)]
        sizes = torch.tensor(data.size(), device=data.device)
        result = torch.sum(place * (data.size().numel() / sizes.cumprod(0)))
    elif self.is_sparse:
        result = function(masked_tensor(data.values(), mask))
    else:
        result = function(self, mask=mask)
    return as_masked_tensor(result, torch.any(mask))


def _reduce_dim(fn: str, self: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    """The reduction along dimensions."""
    if self.is_sparse:
        missing = f"The sparse version of {fn} is not implemented in reductions"
        warnings.warn(unsupported(missing), stacklevel=2)
        return NotImplemented
    if not is_masked_tensor(self):
        raise TypeError("Input to reduce_dim must be a MaskedTensor")
    function, mask = _get_masked_fn(fn), self.get_mask()
    if fn == "all":
        result = function(self.get_data(), dim=dim, keepdim=keepdim, mask=mask)
    else:
        result = function(self, dim=dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return as_masked_tensor(result, _multidim_any(mask, dim, keepdim))


def _reduce(fn: str, *args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and not kwargs:
        return _reduce_all(fn, args[0])
    # Python's complaints name the function of torch/masked/maskedtensor/reductions.py.
    return _reduce_dim(fn, *args, **kwargs)


def _reduce_dim_args(
    input: Any, dim: Any, keepdim: bool = False, dtype: Any = None
) -> tuple[Any, Any, bool, Any]:
    return input, dim, keepdim, dtype


def _grad_reduce(fn: str, *args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and not kwargs:
        return _reduce_all(fn, args[0])
    return _reduce_dim(fn, *_reduce_dim_args(*args, **kwargs))


NATIVE_REDUCE_MAP = {getattr(torch.ops.aten, fn): partial(_reduce, fn) for fn in REDUCE_NAMES}
TORCH_REDUCE_MAP = {getattr(torch, fn): partial(_grad_reduce, fn) for fn in REDUCE_NAMES}
TENSOR_REDUCE_MAP = {getattr(torch.Tensor, fn): partial(_grad_reduce, fn) for fn in REDUCE_NAMES}
NATIVE_REDUCE_FNS = list(NATIVE_REDUCE_MAP)
TORCH_REDUCE_FNS = list(TORCH_REDUCE_MAP)
TENSOR_REDUCE_FNS = list(TENSOR_REDUCE_MAP)


def _is_reduction(fn: Any) -> bool:
    return fn in NATIVE_REDUCE_MAP or fn in TORCH_REDUCE_MAP or fn in TENSOR_REDUCE_MAP


def _apply_reduction(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a reduction; NotImplemented if `fn` is none."""
    for table in (NATIVE_REDUCE_MAP, TORCH_REDUCE_MAP, TENSOR_REDUCE_MAP):
        if fn in table:
            return table[fn](*args, **kwargs)
    return NotImplemented
