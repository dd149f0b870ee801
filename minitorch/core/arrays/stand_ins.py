"""Ones in place of missing numbers: how a function without a rule of shape gets a result of shapes.

A function of few elements runs on ones, and again on zeros: if the shapes differ, they depend on
numbers. A function of many elements runs three times on arrays that are smaller in the dimensions
that it passes on, with other small sizes in each run. A size of the result that is the same in all
runs is a constant; one that follows a size of the inputs is that size; otherwise there is no
answer, and the dimensions at the end are tried at their own sizes. Dimensions over which windows
slide always keep their sizes: their number is the function's attribute `slides`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy

from minitorch.core.arrays import layout, on_numpy
from minitorch.core.arrays.floating_point import Silence
from minitorch.core.arrays.hollow import Hollow, fresh, placed, pointer
from minitorch.core.arrays.missing import STANDING_IN, NoNumbers, unknown_shape

_FEW = 1 << 14  # elements: for so many, ones are made at once
_MOST = 1 << 21  # elements: more are never made
_SMALL = 4  # sizes up to this one stay what they are

Sizes = dict[int, int]


class NoAnswer(Exception):
    """The results for small arrays do not determine the result for the large ones."""


def ones_for(x: Any, other: bool = False) -> Any:
    """An ndarray of the geometry of `x`: a unit matrix in the last two dimensions, else ones.

    Integers are 0, so that they are valid indices. NoNumbers if there are too many elements. other:
    whether ones and zeros are exchanged.
    """
    if x.size > _MOST or any(s < 0 for s in x.strides):
        raise NoNumbers
    return _ones(x.shape, layout.strides_of(x), x.dtype, other)


def _ones(shape: Any, strides: Any, dtype: Any, other: bool) -> Any:
    made = on_numpy.empty_strided(shape, strides, dtype)
    if dtype.kind in "iub":
        made.fill(other or dtype.name == "int32")  # pivots of LAPACK begin at 1
    elif dtype.names:
        made[...] = numpy.zeros((), dtype)
    else:
        made[...] = numpy.eye(*shape[-2:]) if len(shape) > 1 and not other else 1 - other
    return made


class Stand:
    """The ones that stand for arrays in one call, so that views of them are recognised."""

    def __init__(self, other: bool = False) -> None:
        self.made: list[tuple[Any, Any]] = []
        self.other = other

    def ones(self, value: Hollow) -> Any:
        """The ones that stand for an array."""
        return ones_for(value, self.other)

    def number(self, value: int) -> int:
        """The number that stands for an argument."""
        return value

    def given(self, value: Any) -> Any:
        """`value` with ones in place of arrays without numbers."""
        if isinstance(value, Hollow):
            ones = self.ones(value)
            self.made.append((value, ones))
            return ones
        if type(value) is int:
            return self.number(value)
        if type(value) in (list, tuple):
            return type(value)([self.given(each) for each in value])
        if isinstance(value, dict):
            return {name: self.given(each) for name, each in value.items()}
        if getattr(value, "device_type", "") == "meta":
            return on_numpy
        return value

    def taken(self, value: Any) -> Any:
        """`value` without the numbers of its arrays."""
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            return self.emptied(numpy.asarray(value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self.taken, value))
        if type(value) in (list, tuple):
            return type(value)([self.taken(each) for each in value])
        return value

    def emptied(self, x: Any) -> Hollow:
        """An array without its numbers: a view of what `x` is a view of."""
        for hollow, ones in self.made:
            if x is ones:
                return hollow
            if x.size and numpy.may_share_memory(x, ones):
                offset = pointer(hollow) - hollow.memory.address
                offset += on_numpy.pointer(x) - on_numpy.pointer(ones)
                return placed(hollow.memory, x.shape, x.dtype, x.strides, offset)
        if any(s < 0 for s in x.strides):
            return fresh(x.shape, x.dtype)
        plain = x.flags.c_contiguous and layout.is_plain(x)
        return fresh(x.shape, x.dtype, None if plain else layout.strides_of(x))


def is_hollow(value: Any) -> bool:
    """Whether an array without numbers is among these arguments."""
    if type(value) in (list, tuple):
        return any(map(is_hollow, value))
    return isinstance(value, Hollow)


def arrays_in(value: Any) -> Iterator[Hollow]:
    """The arrays without numbers among these arguments."""
    if isinstance(value, Hollow):
        yield value
    elif type(value) in (list, tuple):
        for each in value:
            yield from arrays_in(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from arrays_in(each)


def of_ones(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any = None) -> Any:
    """The result of a function for ones in the place of missing numbers."""
    STANDING_IN.append(True)
    try:
        result = _without_rule(function, args, kwargs or {})
    finally:
        STANDING_IN.pop()
    others = [x for x in arrays_in((args, kwargs)) if type(x) is not Hollow]
    return others[0].derived((args, kwargs), result) if others else result


def _without_rule(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Any) -> Any:
    if any(x.size > _FEW for x in arrays_in((args, kwargs))):
        try:
            return of_fewer(function, args, kwargs)
        except NoAnswer:
            pass
    stand = Stand()
    try:
        given, named = stand.given(args), stand.given(kwargs)
    except NoNumbers:
        raise NotImplementedError(
            f"{_name(function)} has no rule of shape for large meta tensors"
        ) from None
    with Silence():
        result = function(*given, **named)
        try:
            again = Stand(True)
            second = function(*again.given(args), **again.given(kwargs))
        except Exception:  # 1 may index nothing, and matrices of ones have no inverse
            return stand.taken(result)
    if shapes_of(result) != shapes_of(second):
        if hasattr(function, "refusal"):
            raise NotImplementedError(function.refusal)
        raise unknown_shape(getattr(function, "__name__", "") or "an operator")
    return stand.taken(result)


def _name(function: Any) -> str:
    while hasattr(function, "func"):
        function = function.args[-1] if callable(function.args[-1]) else function.func
    return str(getattr(function, "__name__", function))


def shapes_of(value: Any) -> Any:
    """The shapes of the arrays in a function's result."""
    if isinstance(value, (list, tuple)):
        return [shapes_of(each) for each in value]
    return getattr(value, "shape", None)


# ---- smaller arrays


class Fewer(Stand):
    """Small arrays that stand for large ones: `sizes` has the small size for each large one.

    kept: how many dimensions at the end keep their sizes. numbers: whether integers among the
    arguments that equal one of the sizes are replaced as well.
    """

    def __init__(self, sizes: Sizes, kept: int, numbers: bool) -> None:
        super().__init__()
        self.sizes, self.kept, self.numbers = sizes, kept, numbers

    def ones(self, value: Hollow) -> Any:
        many = value.ndim - self.kept
        shape = tuple([self.sizes.get(n, n) if i < many else n for i, n in enumerate(value.shape)])
        if numpy.prod(shape) > _MOST or any(s < 0 for s in value.strides):
            raise NoAnswer
        return _ones(shape, _like_strides(value, shape), value.dtype, False)

    def number(self, value: int) -> int:
        return self.sizes.get(value, value) if self.numbers else value


def _like_strides(x: Hollow, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides for another shape, which order the dimensions and leave gaps as those of `x` do."""
    strides = layout.strides_of(x)
    order = _order(strides)
    if layout.is_dense(x.shape, strides):
        return layout.dense_strides(shape, order)
    gaps, step = [0] * len(shape), 1 if 1 in strides else 2
    for place, dim in enumerate(reversed(order)):
        if strides[dim]:
            gaps[dim] = step
            step *= max(shape[dim], 1) + (place == 0)
    return tuple(gaps)


def _order(strides: Any) -> tuple[int, ...]:
    """The dimensions from the slowest to the fastest."""
    return tuple(sorted(range(len(strides)), key=lambda i: -strides[i]))


def of_fewer(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of a function for large arrays, as runs on small ones predict it.

    NoAnswer if they do not.
    """
    arrays = list(arrays_in((args, kwargs)))
    large = sorted({n for x in arrays for n in x.shape if n > _SMALL})
    slides = getattr(function, "slides", None)
    if slides is not None:  # beside dimensions that stay, others have to be few
        progressions, places = ((1, 1), (2, 2)), (slides,)
    else:
        progressions, places = ((6, 2), (9, 3), (7, 2)), range(4)
        if len(large) > 5:
            progressions = ((3, 2), (5, 3), (4, 1))
        if len(large) > 7:
            progressions = ((3, 1), (4, 1), (3, 2))
    runs = [{n: first + step * i for i, n in enumerate(large)} for first, step in progressions]
    for kept in places:
        for numbers in (True, False):
            stands = [Fewer(sizes, kept, numbers) for sizes in runs]
            try:
                with Silence():
                    results = [
                        function(*stand.given(args), **stand.given(kwargs)) for stand in stands
                    ]
                return _grown(stands, results)
            except NotImplementedError:
                raise
            except Exception:  # whatever the small sizes break, others may not
                continue
    raise NoAnswer


def _grown(stands: list[Fewer], found: list[Any]) -> Any:
    """The result at the large sizes, from those at several sets of small ones."""
    one = found[0]
    if isinstance(one, (numpy.ndarray, numpy.generic)):
        return _grown_array(stands, [numpy.asarray(each) for each in found])
    if isinstance(one, (list, tuple)):
        parts = [_grown(stands, [*each]) for each in zip(*found, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
    if type(one) is int:
        return _grown_size(stands, found)
    if any(type(each) is not type(one) or each != one for each in found):
        raise NoAnswer
    return one


def _grown_size(stands: list[Fewer], found: list[int]) -> int:
    if all(each == found[0] for each in found):
        return found[0]
    for large in stands[0].sizes:
        if found == [stand.sizes[large] for stand in stands]:
            return large
    raise NoAnswer


def _grown_array(stands: list[Fewer], found: list[Any]) -> Hollow:
    one = found[0]
    for at, (hollow, ones) in enumerate(stands[0].made):
        if all(x is stand.made[at][1] for x, stand in zip(found, stands, strict=True)):
            return hollow
        if one.size and numpy.may_share_memory(one, ones):
            if one.shape != ones.shape or one.strides != ones.strides:
                raise NoAnswer
            return hollow.like(hollow.geometry)
    if not all(each.ndim == one.ndim and each.size for each in found):
        raise NoAnswer
    sizes = zip(*[each.shape for each in found], strict=True)
    shape = tuple([_grown_size(stands, [*each]) for each in sizes])
    if all(each.flags.c_contiguous for each in found):
        return fresh(shape, one.dtype)
    order = _order(layout.strides_of(one))
    moving = [i for i in order if one.strides[i]]
    for x in found:
        strides = layout.strides_of(x)
        sizes_of_moving = tuple([x.shape[i] for i in moving])
        dense = layout.is_dense(sizes_of_moving, tuple([strides[i] for i in moving]))
        if min(strides) < 0 or _order(strides) != order or not dense:
            raise NoAnswer
    steps = layout.dense_strides(tuple([shape[i] for i in moving]), tuple(range(len(moving))))
    grown = [0] * len(shape)
    for i, step in zip(moving, steps, strict=True):
        grown[i] = step
    return fresh(shape, one.dtype, grown)
