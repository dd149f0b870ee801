"""torch._vmap_internals: the name that vmap had before torch.func."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from minitorch._public.later import missing
from minitorch.func import vmap as _newer
from minitorch.utils._pytree import tree_flatten, tree_unflatten


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """The deprecated form of torch.vmap."""
    warnings.warn(
        "Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.",
        FutureWarning,
        stacklevel=2,
    )
    return _vmap(func, in_dims, out_dims)


def _vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    allow_none_pass_through: bool = False,
) -> Callable[..., Any]:
    """A function that maps `func` over a dimension of its arguments.

    Args:
        func: takes and returns tensors.
        in_dims, out_dims: the dimensions, as torch.vmap takes them.
        allow_none_pass_through: whether `func` may return None among its tensors.

    As torch._vmap_internals._vmap.
    """
    if not allow_none_pass_through:
        return _newer(func, in_dims, out_dims)

    @functools.wraps(func)
    def mapped(*args: Any) -> Any:
        places: list[Any] = []

        def tensors(*given: Any) -> tuple[Any, ...]:
            leaves, spec = tree_flatten(func(*given))
            places[:] = spec, [each is None for each in leaves]
            return tuple(each for each in leaves if each is not None)

        found = iter(_newer(tensors, in_dims, out_dims)(*args))
        spec, empty = places
        return tree_unflatten([None if none else next(found) for none in empty], spec)

    return mapped


def __getattr__(name: str) -> Any:
    return missing("torch._vmap_internals", name)
