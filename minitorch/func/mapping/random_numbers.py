"""Random operators under vmap: errors, the same numbers for each example, or different ones.

As aten/src/ATen/functorch/BatchRulesRandomness.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.declare.vmap import NOTHING_SAID, VMAP_OF_COMPOSITES, VMAP_OF_ROWS, VMap
from minitorch.func.levels.base import mapped, tensors_of

_ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)
_SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an "
    "issue with functorch"
)
_IN_PLACE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear "
    "like same randomness. If this is necessary for your usage, please file an issue with "
    "functorch."
)


def example(level: Any, x: Any) -> Any:
    """The first example of `x`; to be called below."""
    return OPS.select(x._value, x._bdim, 0) if level.is_batched(x) else x


def sized(level: Any, spread: bool, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a factory with the number of examples in front of the size.

    spread: whether the size may be written out.
    """
    n = level.size
    if "size" in kwargs:
        return args, {**kwargs, "size": (n, *kwargs["size"])}
    if spread:
        return ((n, *(args if isinstance(args[0], int) else args[0])),), kwargs
    return (*args[:-1], (n, *args[-1])), kwargs


def drawn(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """The result of a random operator under vmap."""
    tensors = tensors_of((args, kwargs))
    batched = any(map(level.is_batched, tensors))
    if level.randomness == "error":
        raise RuntimeError(_ERROR)
    writes = name.endswith("_")
    said = said_of(name, function)
    with level.below():
        if level.randomness == "same":
            if writes and level.is_batched(args[0]):
                batched = any(map(level.is_batched, tensors[1:]))
            if batched and not name.endswith("_like"):
                raise RuntimeError(_SAME)
            if writes and level.is_batched(args[0]):
                draws = function(OPS.empty_like(example(level, args[0])), *args[1:], **kwargs)
                level.front(args[0]).copy_(draws)
                return args[0]
            args, kwargs = mapped(lambda x: example(level, x), (args, kwargs))
            return function(*args, **kwargs)
        if writes:
            if not level.is_batched(args[0]):
                raise RuntimeError(_IN_PLACE)
            given = mapped(level.front, (args, kwargs))
        elif said.rows and tensors[0]._array.ndim == 2:
            whole = level.full(args[0])
            drawn = function(whole.flatten(0, 1), *args[1:], **kwargs)
            return level.outputs(drawn.unflatten(0, whole.shape[:2]))
        elif tensors:
            given = mapped(level.full, (args, kwargs))
        elif said.apart:
            draws = [function(*args, **kwargs) for _ in range(level.size)]
            return level.outputs(OPS.stack(draws, 0))
        else:
            given = sized(level, said.shaped == "spread", args, kwargs)
        result = function(*given[0], **given[1])
        return args[0] if writes else level.outputs(result)


def dropped(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Dropout of batched tensors."""
    x, *rest = args
    if level.randomness == "error":
        raise RuntimeError(_ERROR)
    with level.below():
        if level.randomness == "same":
            mask = function(OPS.ones_like(example(level, x)), *rest, **kwargs)
        else:
            whole = level.full(x)
            features = said_of(name, function).features
            dropped = function(whole.flatten(0, 1) if features else whole, *rest, **kwargs)
            return level.outputs(dropped.view(whole.shape) if features else dropped)
    return x * mask


def alike(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Makes a batched tensor in the form of a batched one, as randn_like does."""
    x, *rest = args
    if not level.is_batched(x):
        with level.below():
            return function(*args, **kwargs)
    with level.below():
        return level.outputs(function(x._value, *rest, **kwargs), x._bdim)


def renewed(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """Makes a batched tensor of a given size from a batched one, as new_zeros does."""
    x, *rest = args
    if not level.is_batched(x):
        with level.below():
            return function(*args, **kwargs)
    with level.below():
        value = x._value
        if "size" in kwargs:
            kwargs = {**kwargs, "size": (level.size, *kwargs["size"])}
            return level.outputs(function(value, *rest, **kwargs))
        sizes, *others = [rest] if rest and isinstance(rest[0], int) else rest or [()]
        return level.outputs(function(value, (level.size, *sizes), *others, **kwargs))


def renewed_strided(level: Any, name: str, function: Any, args: Any, kwargs: Any) -> Any:
    """As `renewed`, with strides; examples follow each other in memory without overlap."""
    x, *rest = args
    if not level.is_batched(x):
        with level.below():
            return function(*args, **kwargs)
    size, strides = rest
    steps = [(n - 1) * s for n, s in zip(size, strides, strict=True)]
    reach = sum(steps) + 1 if all(size) else 0
    with level.below():
        return level.outputs(function(x._value, (level.size, *size), (reach, *strides), **kwargs))


# The rules by the names that rows and composites declare.
DRAWING: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (drawn, dropped, alike, renewed, renewed_strided)
}


def said_of(name: str, function: Any) -> VMap:
    """The VMap of a composite that makes tensors, else the VMap of its row."""
    row = getattr(function, "row", None)
    said = VMAP_OF_COMPOSITES.get(name)
    if said is None and row is not None:
        said = VMAP_OF_COMPOSITES.get(row.name) or VMAP_OF_ROWS.get(row.key)
    return said or NOTHING_SAID
