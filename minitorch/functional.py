"""torch.functional: composites, and shapes; imported when first asked for."""

from __future__ import annotations

import itertools
import math
from typing import Any

import minitorch
from minitorch.core.declare.calls import CALLS, IN_PYTHON
from minitorch.core.declare.expose import refusing, watchable
from minitorch.core.declare.protocols.torch_function import asked_for
from minitorch.core.declare.wording.signatures import takes_over
from minitorch.core.numbers.size import Size
from minitorch.overrides import handle_torch_function

_LISTED = (
    "atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors cartesian_prod block_diag "
    "cdist chain_matmul einsum istft lu norm meshgrid pca_lowrank split stft svd_lowrank tensordot "
    "unique unique_consecutive unravel_index"
)
__all__ = _LISTED.split()


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(minitorch, name)
    raise AttributeError(f"torch.functional.{name} is not implemented by minitorch")


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes have together. RuntimeError if they do not fit.

    As https://docs.pytorch.org/docs/stable/generated/torch.broadcast_shapes.html.
    """
    shapes = tuple([each for each in shapes if each is not None])
    for each in shapes:
        if not isinstance(each, (int, tuple, list)):
            raise RuntimeError(
                "Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                f"{each}"
            )
    known = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    result = [1] * max(map(len, known), default=0)
    for i, shape in enumerate(known):
        for dim in range(-1, -1 - len(shape), -1):
            size = shape[dim]
            if type(same := size == result[dim]) is not bool:  # of a number of NumPy
                raise AssertionError(f"Expected bool, got {type(same)}")
            if size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if size in (1, result[dim]):
                continue
            if result[dim] != 1:
                given = shape if isinstance(shapes[i], int) else shapes[i]
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {dim}! Mismatching "
                    f"argument at index {i} had {given}; but expected shape should be "
                    f"broadcastable to {result}"
                )
            result[dim] = size
    return Size(result)


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """The choices of `r` elements of a vector, a row each.

    As https://docs.pytorch.org/docs/stable/generated/torch.combinations.html.
    """
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return minitorch.empty(0, dtype=input.dtype, device=input.device)
    chosen = minitorch.meshgrid(*[input] * r, indexing="ij")
    options = {"layout": minitorch.strided, "device": input.device}
    places = minitorch.arange(len(input), dtype=minitorch.int64, **options)
    grids = minitorch.meshgrid(*[places] * r, indexing="ij")
    kept = minitorch.full([len(input)] * r, True, dtype=minitorch.bool, **options)
    for a, b in itertools.pairwise(grids):
        kept.mul_(a <= b if with_replacement else a < b)
    return minitorch.stack([column.masked_select(kept) for column in chosen], dim=1)


combinations = watchable("combinations", refusing("torch.combinations", combinations))
asked_for("torch", {"combinations": combinations})


def unravel_index(indices: Any, shape: Any) -> Any:
    """The coordinates, a tensor per dimension, of places counted through an array of `shape`.

    As https://docs.pytorch.org/docs/stable/generated/torch.unravel_index.html.
    """
    if indices.is_complex() or indices.is_floating_point() or indices.dtype is minitorch.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, tuple, list)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps = [math.prod(sizes[i + 1 :]) for i in range(max(len(sizes), 1))]
    where = indices.unsqueeze(-1).floor_divide(_longs(steps, indices)) % _longs(sizes, indices)
    return where.unbind(-1)


unravel_index.shown_by_name = ("shape",)  # type: ignore[attr-defined]
CALLS["unravel_index"] = IN_PYTHON
asked_for("torch", {"unravel_index": unravel_index})


def _longs(numbers: Any, like: Any) -> Any:
    return minitorch.tensor(numbers, device=like.device, dtype=minitorch.int64)


# ---- numbers that elsewhere may be symbols


def sym_int(a: Any) -> Any:
    """`a` without its fraction, as an int."""
    if takes_over(a):
        return handle_torch_function(sym_int, (a,), a)
    return int(a)


def sym_float(a: Any) -> Any:
    """`a` as a float."""
    if takes_over(a):
        return handle_torch_function(sym_float, (a,), a)
    return float(a)


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if one of them is."""
    if takes_over(a) or takes_over(b):
        return handle_torch_function(sym_max, (a, b), a, b)
    return _together(max, a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if one of them is."""
    if takes_over(a) or takes_over(b):
        return handle_torch_function(sym_min, (a, b), a, b)
    return _together(min, a, b)


def _together(choose: Any, a: Any, b: Any) -> Any:
    chosen = choose(a, b)
    return float(chosen) if isinstance(a, float) or isinstance(b, float) else chosen


def sym_not(a: Any) -> Any:
    """Whether `a` does not hold."""
    if takes_over(a):
        return handle_torch_function(sym_not, (a,), a)
    return not a


def sym_sqrt(a: Any) -> Any:
    """The square root of a number."""
    if takes_over(a):
        return handle_torch_function(sym_sqrt, (a,), a)
    return math.sqrt(a)


_sym_sqrt = sym_sqrt  # the name by which graphs call it
sym_sqrt.__module__, sym_sqrt.__name__, sym_sqrt.__qualname__ = (
    "minitorch",
    "_sym_sqrt",
    "_sym_sqrt",
)


def sym_sum(*args: Any) -> Any:
    """The sum of some numbers, or of a list of them."""
    numbers = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    if any([takes_over(each) for each in numbers]):
        return handle_torch_function(sym_sum, numbers, numbers)
    return sum(numbers)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """`t` where `b` holds, else `f`."""
    if takes_over(b) or takes_over(t) or takes_over(f):
        return handle_torch_function(sym_ite, (b, t, f), b, t, f)
    return t if b else f
