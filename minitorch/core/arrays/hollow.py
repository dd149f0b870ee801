"""Arrays without numbers: shape, dtype, strides, and a place in memory that does not exist.

A `Hollow` is the array of a meta tensor. NumPy does its stride arithmetic: `geometry` is an ndarray
over an address without memory, which nothing reads or writes. Memories get addresses one after the
other, so that views of one memory are recognised by their addresses, as views of real memory are.
An operation that would read a number raises NoNumbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import prod
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy
from numpy.lib.mixins import NDArrayOperatorsMixin

from minitorch.core.arrays import layout, too_large
from minitorch.core.arrays.missing import NONZERO, NoNumbers

# The functions of core/arrays/on_meta.py, which sets them, that NumPy's protocols call.
ON_META = SimpleNamespace(apply_ufunc=None, apply_function=None, method=None)


class Memory:
    """A memory of this many bytes, at an address of its own."""

    __slots__ = ("__weakref__", "address", "nbytes")

    _next = 1 << 62  # where no processor has memory

    def __init__(self, nbytes: int) -> None:
        self.address = Memory._next
        self.nbytes = nbytes
        Memory._next += max(nbytes, 1) + 63 & ~63
        if Memory._next >= 1 << 63:
            Memory._next = 1 << 62


class _Nowhere:
    """An array interface for NumPy of an address at which there is no memory."""

    def __init__(self, address: int, shape: Any, strides: Any, itemsize: int) -> None:
        self.__array_interface__ = {
            "data": (address, False), "shape": tuple(shape), "strides": tuple(strides),
            "typestr": f"|V{itemsize}", "version": 3,
        }  # fmt: skip


def placed(memory: Memory, shape: Any, dtype: Any, strides: Any, offset: int = 0) -> Hollow:
    """The Hollow of this geometry in a memory; strides and offset in bytes."""
    dtype = numpy.dtype(dtype)
    nowhere = _Nowhere(memory.address + offset, shape, strides, dtype.itemsize)
    geometry = numpy.asarray(nowhere).view(dtype)
    if geometry.strides != tuple(strides):  # NumPy forgets them where there are no elements
        geometry = numpy.lib.stride_tricks.as_strided(geometry, shape, strides)
    return Hollow(geometry, memory)


def fresh(shape: Any, dtype: Any, strides: Any = None) -> Hollow:
    """A Hollow in memory of its own; strides in elements, row-major if None."""
    shape = tuple([int(n) for n in (shape if hasattr(shape, "__iter__") else (shape,))])
    dtype = numpy.dtype(dtype)
    steps = layout.contiguous_strides(shape) if strides is None else tuple(strides)
    size = prod(shape) if strides is None else layout.reach_of(shape, steps)
    if not size and strides is None:
        steps = (0,) * len(shape)
    places = [s * dtype.itemsize for s in steps]
    try:
        if not size and strides is not None:
            return placed(Memory(0), shape, dtype, layout.repeated(places))
        return placed(Memory(size * dtype.itemsize), shape, dtype, places)
    except (ValueError, OverflowError) as error:
        raise too_large.fresh_error(error, shape, dtype) from None


class Hollow(NDArrayOperatorsMixin):
    """An array without numbers. Its methods give the results of NumPy's arrays as far as they are
    known."""

    __slots__ = ("__weakref__", "geometry", "memory")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, geometry: Any, memory: Memory) -> None:
        self.geometry = geometry
        self.memory = memory

    def like(self, geometry: Any) -> Hollow:
        """Another geometry in the same memory."""
        return Hollow(geometry, self.memory)

    # ---- NumPy's ways in

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise NoNumbers

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return ON_META.apply_ufunc(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return ON_META.apply_function(function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in _GEOMETRY:
            return getattr(self.geometry, name)
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _VIEWS:
            move = getattr(self.geometry, name)
            return lambda *args, **kwargs: self.like(move(*args, **kwargs))
        return ON_META.method(self, name)

    # ---- elements

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if all(map(_is_basic, keys)):
            if not isinstance(key, str) and not any(each is ... for each in keys):
                keys = (*keys, ...)  # else NumPy reads an element where one is left
            return self.like(self.geometry[key if isinstance(key, str) else keys])
        view, places, shape = _gathered(self, keys)
        return fresh(_joined(view.shape, places, shape), self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        keys = key if isinstance(key, tuple) else (key,)
        if all(map(_is_basic, keys)):
            shape = self[key].shape
        else:
            if any([getattr(each, "dtype", None) == "bool" for each in keys]):
                return  # as many numbers as are True, whatever they are
            view, places, broadcast = _gathered(self, keys)
            shape = _joined(view.shape, places, broadcast)
        given = tuple(getattr(value, "shape", None) or numpy.shape(value))
        while len(given) > len(shape) and given[0] == 1:
            given = given[1:]
        if numpy.broadcast_shapes(shape, given) != tuple(shape):
            raise ValueError(
                f"could not broadcast input array from shape {given} into shape {tuple(shape)}"
            )

    def __len__(self) -> int:
        return len(self.geometry)

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def _read(self, *args: Any) -> NoReturn:
        raise NoNumbers

    __bool__ = __int__ = __index__ = __float__ = __complex__ = _read
    item = tolist = tobytes = nonzero = _read

    def fill(self, value: Any) -> None:
        """Writes `value` nowhere."""

    # ---- other geometries

    @property
    def T(self) -> Hollow:
        return self.like(self.geometry.T)

    @property
    def base(self) -> Any:
        """None if no other array can share this memory, as far as that is known."""
        return None if self.nbytes == self.memory.nbytes else self.memory

    @property
    def real(self) -> Hollow:
        return self.like(self.geometry.real)

    @property
    def imag(self) -> Hollow:
        if self.dtype.kind == "c":
            return self.like(self.geometry.imag)
        return fresh(self.shape, self.dtype)

    @property
    def flat(self) -> Hollow:
        return self.reshape(-1)

    def reshape(self, *shape: Any, order: str = "C", copy: Any = None) -> Hollow:
        """As ndarray.reshape: a view if strides allow one."""
        if len(shape) == 1 and hasattr(shape[0], "__iter__"):
            shape = tuple(shape[0])
        shape = tuple([int(n) for n in shape])
        if order == "F":
            return self.T.reshape(tuple(reversed(shape))).T
        unknown = [n for n in shape if n < 0]
        known = prod([n for n in shape if n >= 0])
        if unknown and known and not self.size % known:
            shape = tuple([self.size // known if n < 0 else n for n in shape])
        if prod(shape) != self.size or len(unknown) > 1:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {shape}")
        steps = layout.strides_of(self)
        if any(s < 0 for s in self.strides):
            return fresh(shape, self.dtype)
        strides = layout.view_strides(self.shape, steps, shape)
        if strides is None:
            return fresh(shape, self.dtype)
        if not self.size:
            return fresh(shape, self.dtype)
        offset = pointer(self) - self.memory.address
        inside = [s * self.itemsize for s in strides]
        return placed(self.memory, shape, self.dtype, inside, offset)

    def ravel(self, order: str = "C") -> Hollow:
        return self.reshape(-1)

    def flatten(self, order: str = "C") -> Hollow:
        return fresh((self.size,), self.dtype)

    def copy(self, order: str = "C") -> Hollow:
        """Other memory of the same shape."""
        return fresh(self.shape, self.dtype, ordered(self, order))

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> Hollow:  # fmt: skip
        """Other memory of the same shape and another dtype."""
        dtype = numpy.dtype(dtype)
        if not copy and dtype == self.dtype:
            return self
        return fresh(self.shape, dtype, ordered(self, order))

    def view(self, dtype: Any = None, type: Any = None) -> Hollow:
        """An array over this memory of another dtype."""
        if dtype is None or dtype is numpy.ndarray:
            return self.like(self.geometry)
        return self.like(self.geometry.view(dtype))


_GEOMETRY = frozenset(("shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes", "flags"))
_VIEWS = frozenset(("transpose", "swapaxes", "squeeze", "diagonal"))


def pointer(x: Hollow) -> int:
    """The address of the first element, where there is nothing."""
    return int(x.geometry.__array_interface__["data"][0])


def ordered(x: Hollow, order: str) -> Any:
    """The strides, in elements, of a copy of `x` in one of NumPy's orders; None for row-major."""
    if order == "F" or (order == "A" and x.flags.f_contiguous and not x.flags.c_contiguous):
        return tuple(reversed(layout.contiguous_strides(tuple(reversed(x.shape)))))
    if order in "CA" or not x.ndim or any(s < 0 for s in x.strides):
        return None
    if not x.size and not any(x.strides):
        return None
    return layout.preserved_strides(x.shape, layout.strides_of(x))


def _is_basic(key: Any) -> bool:
    """Whether an index gives a view."""
    if isinstance(key, (bool, numpy.bool_)):
        return False
    return key is None or key is ... or isinstance(key, (slice, int, numpy.integer, str))


def _gathered(x: Hollow, keys: tuple[Any, ...]) -> tuple[Hollow, list[int], tuple[int, ...]]:
    """The view that the slices among `keys` take of `x`, the dimensions of it that arrays index,
    and the shape that these arrays broadcast to."""
    arrays = [_index_array(each) for each in keys]
    spread: list[Any] = []
    for key, array in zip(keys, arrays, strict=True):
        if array is not None and array.dtype == bool:
            if isinstance(array, Hollow):
                raise NoNumbers(NONZERO)
            spread.extend(array.nonzero())
        else:
            spread.append(key if array is None else array)
    given = sum([each is not None and each is not ... for each in spread])
    full = [slice(None)] * (x.ndim - given)
    if not any(each is ... for each in spread):
        spread.append(...)
    at = next(i for i, each in enumerate(spread) if each is ...)
    spread[at : at + 1] = full
    indexed = [i for i, each in enumerate(spread) if not (each is None or isinstance(each, slice))]
    kept = tuple([slice(None) if i in indexed else each for i, each in enumerate(spread)])
    view = x.like(x.geometry[(*kept, ...)])
    shape = numpy.broadcast_shapes(*[numpy.shape(_shaped(spread[i])) for i in indexed])
    return view, indexed, shape


def _shaped(index: Any) -> Any:
    return index.geometry if isinstance(index, Hollow) else index


def _index_array(key: Any) -> Any:
    if isinstance(key, Hollow):
        return key
    if _is_basic(key):
        return None
    return numpy.asarray(key)


def _joined(sizes: Any, places: list[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the elements that index arrays of `shape`, in these places, select from an array
    of these sizes."""
    together = places == list(range(places[0], places[-1] + 1))
    rest = [n for i, n in enumerate(sizes) if i not in places]
    at = places[0] if together else 0
    return tuple(chain(rest[:at], shape, rest[at:]))
