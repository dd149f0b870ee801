"""Size: the shape of a tensor, a tuple of ints that prints as torch.Size([2, 3])."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import prod
from operator import index
from typing import Any

import numpy as np

from minitorch.core.numbers.closed import Closed, FullyNamed, refuse_subclasses


class Size(tuple[int, ...], metaclass=FullyNamed):
    """A shape: a tuple of ints whose slices, sums and multiples are shapes again.

    Takes any iterable of ints, or of objects with `__index__`; TypeError otherwise.
    As torch/csrc/Size.cpp.
    """

    __module__ = "torch"
    __slots__ = ()
    __getattr__ = Closed.__getattr__
    __init_subclass__ = refuse_subclasses

    def __new__(cls, *iterable: Iterable[Any]) -> Size:
        sizes = tuple(*iterable)
        for position, size in enumerate(sizes):
            if type(size) is not int:
                return tuple.__new__(cls, _as_ints(sizes, position))
        return tuple.__new__(cls, sizes)

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return prod(self)

    def __getitem__(self, position: Any, get: Any = tuple.__getitem__) -> Any:
        if type(position) is slice:
            return size_of(get(self, position))
        return get(self, position)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, tuple):
            raise TypeError(
                f"can only concatenate tuple (not {type(other).__name__}) to torch.Size"
            )
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        if isinstance(times, np.ndarray):
            return NotImplemented
        if not hasattr(times, "__index__"):
            name = "torch.Size" if isinstance(times, Size) else type(times).__name__
            raise TypeError(f"can't multiply sequence by non-int of type '{name}'")
        return size_of(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __reduce__(self) -> tuple[Any, tuple[tuple[int, ...]]]:
        return _restored, (tuple(self),)


# The unchecked way in, for shapes that came from an array: 90 ns less than Size(...).
size_of = partial(tuple.__new__, Size)


def _restored(sizes: tuple[int, ...]) -> Size:
    return size_of(sizes)


def _as_ints(sizes: tuple[Any, ...], start: int) -> tuple[int, ...]:
    """`sizes` as plain ints; torch's TypeError for the first that is not an integer."""
    converted = list(sizes[:start])
    for position, size in enumerate(sizes[start:], start):
        try:
            converted.append(index(size))
        except TypeError:
            raise TypeError(
                f"torch.Size() takes an iterable of 'int' (item {position} is "
                f"'{type(size).__name__}')"
            ) from None
    return tuple(converted)
