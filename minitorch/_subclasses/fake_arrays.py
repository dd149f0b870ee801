"""The arrays of fake tensors: arrays without numbers that know which device they stand for.

Whatever is computed from one is one of the same device, so that operators, views and gradients of
fake tensors are fake without more ado. There is one class for each device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

import numpy

from minitorch.core.arrays import NAMESPACES, meta, on_meta
from minitorch.core.arrays.hollow import Hollow, fresh
from minitorch.core.arrays.missing import NUMBERLESS, MixedDevices
from minitorch.core.base.fields import CLASSES


class FakeArray(Hollow):
    """An array without numbers of a device. mode: the FakeTensorMode that it belongs to."""

    __slots__ = ("mode",)
    place: Any = None  # the device, of each class

    def like(self, geometry: Any) -> Any:
        return faked(Hollow(geometry, self.memory), type(self), self.mode)

    def derived(self, inputs: Any, value: Any) -> Any:
        """A result of the computation with these arguments, as fake as they are."""
        return as_inputs(inputs, value)

    def moved(self, place: Any) -> Any:
        """Another such array, in memory of its own, on another device."""
        copy = fresh(self.shape, self.dtype, on_meta.layout.strides_of(self))
        return faked(copy, array_class(place), self.mode)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return as_inputs(inputs, on_meta.apply_ufunc(ufunc, method, plain(inputs), named))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return as_inputs((args, kwargs), on_meta.apply_function(function, plain(args), kwargs))

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if not callable(value):
            return value
        return lambda *args, **kwargs: faked(value(*args, **kwargs), type(self), self.mode)


def _faking(name: str) -> Callable[..., Any]:
    method = getattr(Hollow, name)

    def faking(self: Any, *args: Any, **kwargs: Any) -> Any:
        return faked(method(self, *args, **kwargs), type(self), self.mode)

    return faking


for _name in ("__getitem__", "reshape", "ravel", "flatten", "copy", "astype", "view"):
    setattr(FakeArray, _name, _faking(_name))


def faked(value: Any, kind: Any, mode: Any) -> Any:
    """A result whose arrays without numbers are of a class, and belong to a mode."""
    if type(value) is Hollow:
        made = kind(value.geometry, value.memory)
        made.mode = _LAST[0] = mode
        return made
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[faked(each, kind, mode) for each in value])
    if type(value) in (list, tuple):
        return type(value)([faked(each, kind, mode) for each in value])
    return value


def fakes_in(value: Any) -> Iterator[FakeArray]:
    """The arrays of fake tensors among these arguments."""
    if isinstance(value, FakeArray):
        yield value
    elif type(value) in (list, tuple):
        for each in value:
            yield from fakes_in(each)
    elif isinstance(value, dict):
        yield from fakes_in(list(value.values()))


def plain(value: Any) -> Any:
    """Arguments of a function whose arrays with numbers have lost them."""
    if isinstance(value, numpy.ndarray) and value.ndim:
        return fresh(value.shape, value.dtype)
    if type(value) in (list, tuple):
        return type(value)([plain(each) for each in value])
    return value


def as_inputs(inputs: Any, value: Any) -> Any:
    """A result on the device of the arrays it comes from.

    MixedDevices if those of more than one element are not all on one.
    """
    fakes = list(fakes_in(inputs))
    if not fakes:
        return value
    large = [each for each in fakes if each.ndim] or fakes
    for each in large:
        if type(each) is not type(large[0]) and each.ndim:
            raise MixedDevices(large[0], each)
    return faked(value, type(large[0]), large[0].mode)


class OnFake:
    """The array language on one class of fake arrays: that of arrays without numbers."""

    device_type, device_index = "meta", None

    def __init__(self, kind: Any, target: Any) -> None:
        self.ndarray, self._target = kind, target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if name == "elementary":
            value = OnFake(self.ndarray, value)
        elif isinstance(value, FunctionType):  # NumPy's own ask the arrays
            value = self._faking(value)
        self.__dict__[name] = value
        return value

    def _faking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def faking(*args: Any, **kwargs: Any) -> Any:
            result = as_inputs((args, kwargs), function(*args, **kwargs))
            return faked(result, self.ndarray, _LAST[0])

        return faking


# The function that makes a tensor with such an array a FakeTensor: set by fake_tensor.py.
BECOME: list[Callable[[Any], None]] = []
_LAST: list[Any] = [None]  # the mode of the last array, used where nothing else determines a mode


@cache
def array_class(place: Any) -> Any:
    """The class of the fake arrays of a device."""
    meta()  # so that the plain ones come first
    kind = type("FakeArray", (FakeArray,), {"__slots__": (), "place": place})
    NUMBERLESS.append(kind)
    NAMESPACES[kind] = OnFake(kind, on_meta)
    CLASSES[kind] = BECOME[0]
    return kind
