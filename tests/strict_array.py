"""A stand-in for a CUDA array where there is no CUDA: an array that NumPy cannot take by accident.

`StrictArray` holds an ndarray and refuses every implicit conversion to NumPy, and to be mixed with
bare ndarrays, as CuPy's arrays do. `strict` is its namespace: the functions of on_numpy, taking and
returning StrictArrays. Inside `registered()` tensors may hold StrictArrays; they say device cuda:0.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy

from minitorch.core import arrays
from minitorch.core.arrays import NAMESPACES, on_numpy

# Ways from an array to memory of the host, or around it, that CuPy's arrays do not have.
MISSING = frozenset(
    ("ctypes", "data", "tobytes", "tofile", "dump", "dumps", "flat", "newbyteorder")
)


class StrictArray:
    """An array of another library than NumPy, as far as anybody can tell."""

    __slots__ = ("__weakref__", "_held")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: numpy.ndarray) -> None:
        self._held = held

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("implicit conversion to a NumPy array")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in MISSING:
            raise AttributeError(f"a StrictArray has no {name}")
        value = getattr(self._held, name)
        return delegated(value) if callable(value) and name != "flags" else wrapped(value)

    def __getitem__(self, index: Any) -> Any:
        return wrapped(self._held[unwrapped(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._held[unwrapped(index)] = unwrapped(value)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        return iter([wrapped(each) for each in self._held])

    def __bool__(self) -> bool:
        return bool(self._held)

    def __int__(self) -> int:
        return int(self._held)

    def __index__(self) -> int:
        return operator.index(self._held)

    def __float__(self) -> float:
        return float(self._held)

    def __complex__(self) -> complex:
        return complex(self._held)

    def __repr__(self) -> str:
        return f"StrictArray({self._held!r})"


def unwrapped(value: Any) -> Any:
    """What a function of NumPy is given for `value`. TypeError for a bare ndarray."""
    if isinstance(value, StrictArray):
        return value._held
    if isinstance(value, numpy.ndarray):
        raise TypeError("a NumPy array among arrays of another device")
    if type(value) in (list, tuple):
        return type(value)([unwrapped(each) for each in value])
    return value


def wrapped(value: Any) -> Any:
    """What NumPy returned, with StrictArrays for its arrays and for its scalars."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return StrictArray(numpy.asarray(value))
    if type(value) in (list, tuple):
        return type(value)([wrapped(each) for each in value])
    return value


def delegated(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy arrays as one of StrictArrays."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {name: unwrapped(value) for name, value in kwargs.items()}
        return wrapped(function(*unwrapped(args), **given))

    return call


def add_operator(name: str) -> None:
    """Gives StrictArray the operator `name` of ndarray."""

    def apply(self: StrictArray, *others: Any) -> Any:
        if any(isinstance(each, (list, tuple)) for each in others):
            return NotImplemented
        result = getattr(self._held, name)(*unwrapped(others))
        return self if result is self._held else wrapped(result)

    setattr(StrictArray, name, apply)


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
for _name in (
    *[f"__{kind}{name}__" for name in _BINARY for kind in ("", "r", "i")],
    *[f"__{name}__" for name in "lt le gt ge eq ne neg pos abs invert".split()],
):
    add_operator(_name)


class StrictUfunc:
    """A ufunc of StrictArrays, with its methods."""

    def __init__(self, ufunc: numpy.ufunc) -> None:
        self._ufunc = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(each, (list, tuple)) for each in args):
            raise TypeError("a list is no array")
        return delegated(self._ufunc)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._ufunc, name)
        return delegated(value) if callable(value) else value


class StrictNamespace:
    """A module of functions on NumPy arrays as one of functions on StrictArrays."""

    def __init__(self, module: ModuleType, **own: Any) -> None:
        self._module = module
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, numpy.ufunc):
            value = StrictUfunc(value)
        elif isinstance(value, ModuleType):
            value = StrictNamespace(value)
        elif callable(value) and not isinstance(value, type):
            value = delegated(value)
        self.__dict__[name] = value
        return value


def to_device(x: Any, dtype: Any = None, **options: Any) -> StrictArray:
    """A StrictArray of a number, a list, or an array of either side."""
    return StrictArray(numpy.asarray(getattr(x, "_held", x), dtype, **options))


strict = StrictNamespace(
    on_numpy,
    ndarray=StrictArray,
    device_type="cuda",
    device_index=0,
    asarray=to_device,
    as_array=to_device,
    array=lambda x, dtype=None, **options: to_device(x, dtype, copy=True, **options),
    to_numpy=lambda x: x._held,
)


@contextlib.contextmanager
def registered() -> Iterator[None]:
    """While it lasts, `strict` is the namespace of StrictArrays and of the device cuda."""
    NAMESPACES[StrictArray] = strict
    cuda, arrays.cuda = arrays.cuda, lambda: strict
    try:
        yield
    finally:
        arrays.cuda = cuda
        del NAMESPACES[StrictArray]
