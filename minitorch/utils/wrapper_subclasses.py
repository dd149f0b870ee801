"""Tensors of classes that have a geometry and no numbers of their own: torch's wrapper subclasses.

Such a class computes by its __torch_dispatch__, on tensors that its instances hold. The array of an
instance is a `Wrapper`: shape, dtype and strides, and from which instance it comes, so that what a
node saved and what the engine hands on becomes an instance of that class again.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy

from minitorch.core.arrays import NAMESPACES
from minitorch.core.arrays.layout import contiguous_strides
from minitorch.core.graph.modes import GRADIENT_KINDS, watch
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.base import CLASSES, LEAF, STRIDED, TensorBase
from minitorch.utils import wrapper_gradients
from minitorch.utils._python_dispatch import WRAPPERS


class NoArray(NotImplementedError, AttributeError):
    """Something asked for the numbers of a tensor that has none of its own."""


class Flags(NamedTuple):
    """What an array says of its memory."""

    c_contiguous: bool
    writeable: bool = True
    owndata: bool = True


class Wrapper:
    """The geometry of a wrapper subclass's instance.

    kind, attributes: its class and its __dict__. strides in bytes, as NumPy's.
    """

    __slots__ = ("attributes", "dtype", "kind", "layout", "shape", "strides")
    __array_ufunc__ = None
    base = None

    def __init__(
        self, kind: Any, attributes: Any, shape: Any, dtype: Any, strides: Any, layout: Any
    ) -> None:
        self.kind, self.attributes, self.layout = kind, attributes, layout
        self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
        steps = contiguous_strides(self.shape) if strides is None else strides
        self.strides = tuple([step * self.dtype.itemsize for step in steps])

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)

    @property
    def flags(self) -> Flags:
        steps = [step * self.itemsize for step in contiguous_strides(self.shape)]
        return Flags(
            not self.size
            or all(n == 1 or a == b for n, a, b in zip(self.shape, self.strides, steps))
        )

    def __getattr__(self, name: str) -> NoReturn:
        raise NoArray(f"{name} of the numbers of a {self.kind.__name__}, a wrapper subclass")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise NoArray(f"the numbers of a {self.kind.__name__}, a wrapper subclass")


class _Functions:
    """The functions on such arrays: there are none."""

    device_type, device_index = "cpu", None

    def __getattr__(self, name: str) -> NoReturn:
        raise NoArray(f"{name} of the numbers of a wrapper subclass")


# What belongs to one tensor, and not to those that stand for it.
_OWN = frozenset(name for name, value in vars(TensorBase).items() if name[0] == "_") | {
    "_shown",
    "_pushed",
}


def become(self: Any) -> None:
    """Makes a tensor that was given a Wrapper an instance of its class, with what that holds."""
    array = self._array
    self.__class__ = array.kind
    for name, value in array.attributes.items():
        if name not in _OWN:
            self.__dict__[name] = value


def make_wrapper_subclass(
    cls: Any,
    size: Any,
    strides: Any = None,
    storage_offset: Any = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = devices.strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    **unknown: Any,
) -> Any:
    """An instance of `cls` with this geometry: torch.Tensor._make_wrapper_subclass.

    TypeError if `cls` is no class or has no __torch_dispatch__; NotImplementedError for options of
    which nothing is known, and for devices of other kinds than "cpu".
    """
    if not isinstance(cls, type):
        raise TypeError(
            "_make_wrapper_subclass(): argument 'cls' (position 1) must be type, not "
            f"{type(cls).__name__}"
        )
    if getattr(cls, "__torch_dispatch__", None) is None:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if device is not None and devices.device(device).type != "cpu":
        raise NotImplementedError(f"torch.Tensor._make_wrapper_subclass on {device}")
    if unknown or pin_memory:
        wanted = ", ".join([*unknown, *(["pin_memory"] if pin_memory else [])])
        raise NotImplementedError(f"torch.Tensor._make_wrapper_subclass with {wanted}")
    kind = (dtype or dtypes.get_default_dtype()).numpy
    self = TensorBase.__new__(cls)
    self._grad = self._cell = self._edge = None
    self._view = STRIDED
    self._array = Wrapper(cls, self.__dict__, size, kind, strides, layout)
    if requires_grad:
        self.check_can_require_grad()
        self._edge = LEAF
    return self


# From here on operators ask for classes that compute, as does each backward.
NAMESPACES[Wrapper] = _Functions()
CLASSES[Wrapper] = become
GRADIENT_KINDS.append(wrapper_gradients)
WRAPPERS.append(Wrapper)
watch(+1)
