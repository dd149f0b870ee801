"""torch._functorch.apis: vmap, grad and grad_and_value, and vmap for a number of chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from minitorch.func.mapping.vmap import (
    _check_out_dims_is_int_or_int_pytree,
    _check_randomness_arg,
    _chunked_vmap,
    _get_chunked_inputs,
    _process_batched_inputs,
    vmap,
    vmap_impl,
)
from minitorch.func.transforms import grad, grad_and_value

__all__ = ["chunk_vmap", "grad", "grad_and_value", "vmap", "vmap_impl"]


def chunk_vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Callable[..., Any]:
    """vmap that computes the examples in a number of chunks, one after the other.

    Args:
        chunks: how many; with 1 it is vmap.

    Raises:
        RuntimeError: an unknown `randomness`, or fewer chunks than one.
    """
    _check_randomness_arg(randomness)
    if chunks == 1:
        return vmap(func, in_dims=in_dims, out_dims=out_dims, randomness=randomness)

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims_is_int_or_int_pytree(out_dims, func)
        size, dims, flat, spec = _process_batched_inputs(in_dims, args, func)
        if chunks < 1:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        parts = _get_chunked_inputs(flat, dims, size, max(-(-size // chunks), 1))
        return _chunked_vmap(func, dims, parts, spec, out_dims, randomness, **kwargs)

    return wrapped
