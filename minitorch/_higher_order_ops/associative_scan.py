"""torch._higher_order_ops.associative_scan: running results of an associative function."""

from collections.abc import Callable
from typing import Any

import minitorch
from minitorch import cat, flip, movedim, stack
from minitorch._higher_order_ops.scan import canonical
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import _pytree


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int,
    reverse: bool = False,
    combine_mode: str = "pointwise",
) -> Any:
    """For each place along `dim`, what `combine_fn` makes of all slices up to it.

    Neighbours are combined first, all pairs in one call, then pairs of pairs: log2(n) rounds.

    Args:
        combine_fn: of two tensors, or trees of tensors, like `xs`; associative.
        xs: a tensor or a tree of tensors.
        reverse: whether places count from the last.
        combine_mode: "generic"; "pointwise" is for CUDA alone.

    Raises:
        ValueError: for other arguments, or a dimension that is not there or empty.

    As torch._higher_order_ops.associative_scan.
    """
    leaves, structure = _pytree.tree_flatten(xs)
    dim = canonical(leaves[0].ndim, dim) if leaves else dim
    _check(combine_fn, leaves, dim, reverse, combine_mode)
    mapped = combine_fn
    if combine_mode == "generic":
        zeros = _pytree.tree_unflatten([0] * len(leaves), structure)
        mapped = minitorch.vmap(combine_fn, in_dims=(zeros, zeros), out_dims=0)

    def combine(first: list[Tensor], second: list[Tensor]) -> list[Tensor]:
        pair = [_pytree.tree_unflatten(each, structure) for each in (first, second)]
        return _pytree.tree_leaves(mapped(*pair))

    moved = [movedim(x, dim, 0) for x in leaves]
    found = _scanned(combine, [flip(x, [0]) for x in moved] if reverse else moved)
    if reverse:
        found = [flip(x, [0]) for x in found]
    return _pytree.tree_unflatten([movedim(x, 0, dim) for x in found], structure)


def _scanned(combine: Callable[[Any, Any], list[Tensor]], xs: list[Tensor]) -> list[Tensor]:
    count = xs[0].shape[0]
    if count < 2:
        return xs
    pairs = combine([x[0 : count - 1 : 2] for x in xs], [x[1::2] for x in xs])
    odd = _scanned(combine, pairs)  # the results at places 1, 3, 5, ...
    if count == 2:
        even = [x[:1] for x in xs]
    else:
        before = [x[:-1] for x in odd] if count % 2 == 0 else odd
        later = combine(before, [x[2::2] for x in xs])
        even = [_joined([x[:1], y]) for x, y in zip(xs, later, strict=True)]
    return [_interleaved(x, y) for x, y in zip(even, odd, strict=True)]


def _joined(parts: list[Tensor]) -> Tensor:
    return cat(parts, dim=0)


def _interleaved(even: Tensor, odd: Tensor) -> Tensor:
    """even[0], odd[0], even[1], ...; `even` may be longer by one."""
    common = odd.shape[0]
    mixed = stack([even[:common], odd], dim=1).flatten(0, 1)
    return _joined([mixed, even[common:]]) if even.shape[0] > common else mixed


def _check(function: Any, leaves: list[Any], dim: Any, reverse: Any, mode: Any) -> None:
    if not callable(function):
        raise ValueError(f"Combine_fn must be a callable, but got {function}")
    if not isinstance(dim, int):
        raise ValueError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {mode}")
    if mode == "pointwise" and not all([x.device.type in ("cuda", "xpu") for x in leaves]):
        raise ValueError(
            "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"
        )
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if not all([isinstance(x, Tensor) for x in leaves]):
        raise ValueError("xs leaves must be a Tensor")
    if any([x.is_sparse for x in leaves]):
        raise ValueError("xs leaves must dense Tensors, consider using `to_dense()`")
    if any([x.ndim <= dim or x.shape[dim] == 0 for x in leaves]):
        raise ValueError(
            "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"
        )
