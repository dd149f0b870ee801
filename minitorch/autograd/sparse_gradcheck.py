"""torch.sparse.as_sparse_gradcheck: the gradients of functions of sparse tensors, checked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import minitorch as torch
from minitorch.core.numbers import device as devices

_BY_ROWS = (devices.sparse_csr, devices.sparse_bsr)


def _taken_apart(x: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The values of a sparse tensor, and a function that makes such a tensor from other values."""
    if x.layout is devices.sparse_coo:
        full = x.detach().coalesce()
        places, size = full.indices(), x.shape
        return full.values(), lambda values: torch.sparse_coo_tensor(
            places, values, size, is_coalesced=True
        )
    rows = x.layout in _BY_ROWS
    found = x.detach()
    starts = found.crow_indices() if rows else found.ccol_indices()
    plain = found.col_indices() if rows else found.row_indices()
    size, layout = x.shape, x.layout
    return found.values(), lambda values: torch.sparse_compressed_tensor(
        starts, plain, values, size, layout=layout
    )


def _is_sparse(x: Any) -> bool:
    return hasattr(x, "layout") and x.layout is not devices.strided


def _made_dense(x: Any, masked: bool) -> Any:
    return x.to_dense(masked_grad=masked) if _is_sparse(x) else x


def as_sparse_gradcheck(gradcheck: Any) -> Any:
    """A gradcheck that also takes functions of sparse tensors.

    Args:
        gradcheck: torch.autograd.gradcheck, or a functools.partial of it.
    """
    masked_before = gradcheck.keywords.get("masked", False) if _is_partial(gradcheck) else False

    def gradcheck_with_sparse_support(func: Any, inputs: Any, **kwargs: Any) -> Any:
        masked = kwargs.get("masked", masked_before)
        given = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
        dense: list[Any] = []
        makers: list[Any] = []
        for each in given:
            if _is_sparse(each) and each.requires_grad:
                values, make = _taken_apart(each)
                dense.append(values.clone().requires_grad_())
                makers.append(make)
            else:
                dense.append(each)
                makers.append(None)

        def of_dense(*args: Any) -> Any:
            made = [arg if make is None else make(arg) for arg, make in zip(args, makers)]
            results = func(*made)
            if isinstance(results, (list, tuple)):
                return tuple([_made_dense(each, masked) for each in results])
            return _made_dense(results, masked)

        return gradcheck(of_dense, tuple(dense), **kwargs)

    return gradcheck_with_sparse_support


def _is_partial(function: Any) -> bool:
    return isinstance(function, functools.partial)
