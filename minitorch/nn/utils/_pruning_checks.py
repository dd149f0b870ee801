"""Checks and counts of prunings. Other packages' prunings call them from torch.nn.utils.prune."""

from __future__ import annotations

import numbers
from typing import Any

import minitorch as torch


def _validate_pruning_amount_init(amount: Any) -> None:
    """TypeError or ValueError unless `amount` is a share in [0, 1] or a number from 0 on."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, numbers.Integral) and amount > 1):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    """ValueError if `amount` is a number of elements that a tensor of that size does not have."""
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to "
            f"prune={tensor_size}"
        )


def _validate_structured_pruning(t: Any) -> None:
    """ValueError unless a tensor has channels: two dimensions or more."""
    shape = t.shape
    if len(shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor "
            f"of shape {shape} with {len(shape)} dims"
        )


def _validate_pruning_dim(t: Any, dim: int) -> None:
    """IndexError if a tensor has no dimension `dim`."""
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """The number of elements of so many that `amount`, a share or a number, means."""
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _compute_norm(t: Any, n: Any, dim: int) -> Any:
    """The n-norm of each slice of `t` along `dim`."""
    dims = list(range(t.dim()))
    dims.remove(dims[dim])
    return torch.norm(t, p=n, dim=dims)
