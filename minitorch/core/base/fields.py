"""TensorBase: the fields of a tensor, and the function by which the library makes tensors.

The public constructor `torch.Tensor(2, 3)` has another meaning, so the library makes tensors with
`tensor(array, edge)`. The code of operators contains its body (core/declare/codegen/assemble.py),
to save the call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS
from minitorch.core.arrays.layout import is_plain
from minitorch.core.base.modes import ACTIVE_CONTEXTS, WRAPPERS, inference_mode, transforms


class Sentinel:
    """A value that is compared by identity alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name


# An edge says where the gradient of a tensor goes. It is one of:
#   None            nowhere: the tensor does not require grad
#   LEAF            into the tensor's own .grad
#   a Node          the node's only output is this tensor
#   (Node, number)  this tensor is output `number` of a node with several outputs
#   NOWHERE         nowhere, yet it requires grad: a view taken under no_grad
#   a Tensor        into that leaf's .grad: a hook unpacked this one in the leaf's place
# In `node.edges` a leaf stands for itself, in place of the AccumulateGrad that users see.
LEAF = Sentinel("LEAF")
NOWHERE = Sentinel("NOWHERE")

# `_view` describes a special tensor. It is None in the plain case, a C-contiguous NumPy array that
# is not a view. Otherwise it is (base, version, origin):
#   base     the tensor this one is a view of, or None if only the layout or device is special
#   version  the base's version that this view's edge belongs to
#   origin   None, or why the view must not be written in place (a word of graph/views.py)
STRIDED = (None, 0, None)


class TensorBase:
    """The fields of a tensor."""

    __module__ = "torch._C"
    __slots__ = ("__dict__", "__weakref__", "_array", "_cell", "_edge", "_grad", "_view")

    _array: Any  # the numbers
    _edge: Any  # where its gradient goes; see above
    _grad: Any  # .grad: a Tensor or None
    _cell: Any  # [int], shared with views and detached copies; None until needed
    _view: Any  # see STRIDED

    # Rare, and therefore in the instance's dict only if it is set:
    _hooks: Any = None  # gradient hooks of a leaf
    _post_hooks: Any = None  # post-accumulate hooks of a leaf
    _accumulator: Any = None  # a weak reference to the AccumulateGrad of a leaf
    _tangents: Any = None  # forward mode: see core/graph/forward.py
    _zero = False  # whether these are zeros that forward mode's formulas made
    _level: Any = None  # the function transform that it belongs to (minitorch/func/levels/base.py)
    _number: Any = None  # the Python number it stands for in a formula, if it promotes as one
    _retains = False  # whether it is a non-leaf that retains its gradient
    _detached: Any = None  # when detach_ was called: the order that a node made then would have


class Untracked(list[int]):
    """The version cell of tensors made in inference mode: it counts nothing. A node that saves such
    a tensor reads the version here, which raises RuntimeError outside of inference mode."""

    def __getitem__(self, index: Any) -> Any:
        if inference_mode.get():
            return 0
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd. To work around this, you can make "
            "a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` "
            "instead of `torch.inference_mode()`."
        )

    def __setitem__(self, index: Any, value: Any) -> None:
        pass


class Unguarded(Untracked):
    """The version cell of an inference tensor's .data and detach(): it counts, but is not saved."""

    @property
    def version(self) -> Any:
        return list.__getitem__(self, 0)

    def count(self) -> None:  # type: ignore[override]
        """Counts a write."""
        list.__setitem__(self, 0, self.version + 1)


class Disowned(Untracked):
    """The version cell of an inference tensor that got other data by x.data = y: it is no longer
    an inference tensor, but still counts nothing."""

    def __getitem__(self, index: Any) -> Any:
        raise RuntimeError("Inference tensors do not track version counter.")


UNTRACKED = Untracked([0])


def untrack(self: Any, cell: Untracked = UNTRACKED) -> None:
    """Makes a fresh tensor an inference tensor; no fast path takes it for a plain one."""
    self._cell = cell
    if self._view is None:
        self._view = STRIDED


def marked(self: Any) -> Any:
    """A tensor just made, marked as inference mode or the running function transforms require."""
    if inference_mode.get():
        untrack(self)
    for level in transforms.get():
        self = level.lifted(self)
    return self


def is_leaf(self: Any) -> bool:
    """Whether no operator made `self`, according to its edge, which may be out of date."""
    return self._edge is None or isinstance(self._edge, (Sentinel, TensorBase))


def is_wrapper(self: Any) -> bool:
    """Whether an object is an instance of a wrapper subclass, which computes by itself."""
    return isinstance(self, TensorBase) and type(self._array) in WRAPPERS


def sees_operators(x: Any) -> bool:
    """Whether the class of a tensor sees the operators that are called with it."""
    kind = type(x)
    if kind is _class:  # the ordinary case
        return type(x._array) in WRAPPERS
    return is_wrapper(x) or getattr(kind, "_dispatches", False)


# Functions that give a tensor the class for its kind of array, by the type of the array: for sparse
# ones, and classes that compute by themselves (minitorch/utils/wrapper_subclasses.py).
CLASSES: dict[type, Callable[[Any], None]] = {}

# Functions to call with a new edge of a tensor on a device (core/graph/node.py).
edge_on_device: list[Callable[[Any], None]] = []

_new = object.__new__
_class: type[TensorBase] = TensorBase


def register(cls: type[TensorBase]) -> type[TensorBase]:
    """Sets the class whose instances `tensor` makes. Used once, as the decorator of Tensor."""
    global _class
    _class = cls
    return cls


def tensor_class() -> type[TensorBase]:
    """The class Tensor."""
    return _class


def tensor(array: Any, edge: Any = None) -> Any:
    """A Tensor that holds `array`."""
    self = _new(_class)
    self._array = array
    self._edge = edge
    self._grad = self._cell = None
    plain = array.flags.c_contiguous and (array.size or is_plain(array))
    if plain and type(array) is numpy.ndarray:
        self._view = None
    else:
        self._view = strided_view(self, array)
    return marked(self) if ACTIVE_CONTEXTS else self


def strided_view(self: Any, array: Any) -> Any:
    """The `_view` of a fresh tensor over an array that is not plain; sets the tensor's class."""
    if type(array) in CLASSES:
        CLASSES[type(array)](self)
    elif edge_on_device and type(array) in DEVICE_ARRAYS and self._edge is not None:
        edge_on_device[0](self._edge)
    return STRIDED


def laid_out(array: Any, edge: Any = None) -> Any:
    """A Tensor that holds `array`, and keeps the array's strides along dimensions of size 1."""
    self = tensor(array, edge)
    if not is_plain(array):
        self._view = STRIDED
    return self


def plain(array: Any, edge: Any = None) -> Any:
    """A Tensor that holds `array`, known to be a fresh C-contiguous NumPy array."""
    self = _new(_class)
    self._array = array
    self._edge = edge
    self._grad = self._cell = self._view = None
    return marked(self) if ACTIVE_CONTEXTS else self


def version_of(self: TensorBase) -> list[int]:
    """The version cell of a tensor, made on first need."""
    cell = self._cell
    if cell is None:
        cell = self._cell = [0]
    return cell
