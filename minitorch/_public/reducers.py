"""How dtypes, devices, sizes, layouts and generators are taken apart for torch's pickles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.base.above import from_above
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.size import Size
from minitorch.core.tensor.generator import Generator


def _reduce_dtype(self: Any) -> str:
    return str(self.name)


def _reduce_device(self: Any) -> tuple[Any, ...]:
    return devices.device, (self.type,) if self.index is None else (self.type, self.index)


def _reduce_size(self: Any) -> tuple[Any, ...]:
    return Size, (tuple(self),)


def _reduce_layout(self: Any) -> tuple[Any, ...]:
    return from_above("serialization:_get_layout"), (str(self),)


def _reduce_generator(self: Any) -> tuple[Any, ...]:
    return type(self), *self.__reduce__()[1:]


# The functions that take things apart, by class: in plain pickles, and in those of torch.save.
REDUCERS: dict[type, Callable[[Any], Any]] = {
    dtypes.dtype: _reduce_dtype,
    devices.device: _reduce_device,
    Size: _reduce_size,
    devices.layout: _reduce_layout,
    Generator: _reduce_generator,
}
