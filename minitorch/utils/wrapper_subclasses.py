"""Tensors of classes that have a geometry and no numbers of their own: torch's wrapper subclasses.

Such a class computes by its __torch_dispatch__, on tensors that its instances hold. The array of an
instance is a `Wrapper`: shape, dtype and strides, and from which instance it comes, so that what a
node saved and what the engine hands on becomes an instance of that class again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from importlib import import_module
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy

from minitorch._ops import ops
from minitorch._public.utils_rebuilding import _rebuild_wrapper_subclass
from minitorch.core.arrays import NAMESPACES
from minitorch.core.arrays.layout import contiguous_strides
from minitorch.core.base.fields import CLASSES, LEAF, STRIDED, TensorBase, is_wrapper
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import GRADIENT_KINDS, WRAPPERS, GradMode, watch
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils import wrapper_gradients
from minitorch.utils._python_dispatch import by_class  # which lets operators ask the classes


class NoArray(NotImplementedError, AttributeError):
    """Something asked for the numbers of a tensor that has none of its own."""


class Flags(NamedTuple):
    """The flags of an array's memory."""

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

    def __new__(cls, *args: Any) -> Any:
        watch(+1)  # operators ask for classes that compute while there is an instance
        return object.__new__(cls)

    def __init__(
        self, kind: Any, attributes: Any, shape: Any, dtype: Any, strides: Any, layout: Any
    ) -> None:
        self.kind, self.attributes, self.layout = kind, attributes, layout
        self.shape, self.dtype = tuple(shape), numpy.dtype(dtype)
        steps = contiguous_strides(self.shape) if strides is None else strides
        self.strides = tuple([step * self.dtype.itemsize for step in steps])

    def __del__(self) -> None:
        watch(-1)

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

    def pointer(self, x: Any) -> int:
        """An address that is none, as torch's is 0."""
        return 0

    def storage(self, x: Any) -> Any:
        return x

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


_ASKED: set[Any] = set()


def ask(cls: Any) -> None:
    """Lets operators ask for a class that sees them, from its first instance on.

    Classes of this library say `watched=False`, since programs import some of which they never make
    an instance, and would pay for each call.
    """
    if cls not in _ASKED:
        _ASKED.add(cls)
        watch(+1)
    if not cls._watched:
        cls._watched = True
        cls._subclassed()


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
    if getattr(cls, "__torch_dispatch__", None) in (None, Tensor.__torch_dispatch__):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if device is not None and devices.device(device).type != "cpu":
        raise NotImplementedError(f"torch.Tensor._make_wrapper_subclass on {device}")
    if unknown or pin_memory:
        wanted = ", ".join([*unknown, *(["pin_memory"] if pin_memory else [])])
        raise NotImplementedError(f"torch.Tensor._make_wrapper_subclass with {wanted}")
    kind = (dtype or dtypes.get_default_dtype()).numpy
    ask(cls)
    self: Any = TensorBase.__new__(cls)
    self._grad = self._cell = self._edge = None
    self._view = STRIDED
    self._array = Wrapper(cls, self.__dict__, size, kind, strides, layout)
    if requires_grad:
        self._check_can_require_grad()
        self._edge = LEAF
    return self


# ---- methods that would touch the numbers


def _tolist(self: Any) -> NoReturn:
    raise RuntimeError(
        f".tolist() is not supported for tensor subclasses, got {type(self).__name__}"
    )


def _numpy(self: Any, *, force: bool = False) -> NoReturn:
    raise RuntimeError(".numpy() is not supported for tensor subclasses.")


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    with GradMode(False):
        copied = self.clone()
    if type(copied) is not type(self):
        raise RuntimeError(
            "The default implementation of __deepcopy__() for wrapper subclasses only works for "
            "subclass types that implement clone() and for which cloning returns another instance "
            "of the same subclass. You should either properly implement clone() for your subclass "
            "or override __deepcopy__() if it is intended behavior for clone() to return an "
            "instance of a different type."
        )
    memo[id(self)] = copied
    if self.requires_grad:
        copied.requires_grad_()
    if self.grad is not None:
        copied.grad = copy.deepcopy(self.grad, memo)
    copied.__dict__.update(copy.deepcopy(_state(self), memo))
    return copied


def _state(self: Any) -> dict[str, Any]:
    return {name: value for name, value in self.__dict__.items() if name not in _OWN}


def _reduce(self: Any, protocol: Any) -> Any:
    x = self._array
    strides = tuple([step // x.itemsize for step in x.strides])
    arguments: Any = (self.dtype, tuple(x.shape), strides, 0, x.layout, self.device)
    kind: Any = type(self)
    if kind.__module__.startswith("torch."):  # ours, under torch's name, where pickle looks for it
        kind = (kind.__module__.replace("torch", "minitorch", 1), kind.__qualname__)
    arguments = (kind, *arguments, self.requires_grad)
    return _rebuilt, (arguments, _state(self))


def _rebuilt(arguments: Any, state: dict[str, Any]) -> Any:
    kind, *others = arguments
    if isinstance(kind, tuple):
        kind = getattr(import_module(kind[0]), kind[1])
    made = _rebuild_wrapper_subclass(kind, *others)
    made.__dict__.update(state)
    return made


def _set_item(self: Any, index: Any, value: Any) -> None:
    places = index if isinstance(index, tuple) else (index,)
    if any(isinstance(each, (TensorBase, list)) for each in places):
        raise NotImplementedError(f"{type(self).__name__}[tensor or list] = value")
    view = self[index]
    if isinstance(value, TensorBase):
        view.copy_(value)
    else:
        view.fill_(OPS.scalar_tensor(value, dtype=self.dtype))


def _to_sparse(self: Any, *args: Any, **kwargs: Any) -> Any:
    if args or any(value is not None for value in kwargs.values()):
        raise NotImplementedError(f"{type(self).__name__}.to_sparse with arguments")
    return by_class(ops.aten._to_sparse.default, self)


def _to_dense(self: Any, *args: Any, **kwargs: Any) -> Any:
    return self if self.layout == devices.strided else by_class(ops.aten._to_dense.default, self)


def _as_subclass(self: Any, cls: Any) -> Any:
    alias = by_class(ops.aten.alias.default, self)
    if not isinstance(alias, cls):
        raise NotImplementedError(f"{type(alias).__name__}.as_subclass({cls.__name__})")
    return alias


_METHODS = {
    "__array__": lambda self, dtype=None: _numpy(self),
    "as_subclass": _as_subclass,
    "to_dense": _to_dense,
    "to_sparse": _to_sparse,
    "__deepcopy__": _deepcopy,
    "__reduce_ex__": _reduce,
    "__setitem__": _set_item,
    "numpy": _numpy,
    "tolist": _tolist,
}


def by_methods(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """A wrapper of a method that needs numbers, for instances that have none: see WATCHERS."""
    method = _METHODS.get(name)
    if method is None:
        return compute

    def seen(self: Any, *args: Any, **kwargs: Any) -> Any:
        return (method if is_wrapper(self) else compute)(self, *args, **kwargs)

    return seen


WATCHERS.append(by_methods)
for _name in _METHODS:
    watchable(_name, vars(Tensor)[_name])
# From here on each backward asks for classes that compute.
NAMESPACES[Wrapper] = _Functions()
CLASSES[Wrapper] = become
GRADIENT_KINDS.append(wrapper_gradients)
WRAPPERS.append(Wrapper)
