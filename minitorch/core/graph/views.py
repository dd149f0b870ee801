"""Views and in-place writes: versions, checks before a write, CopySlices, regenerated edges.

A view is described by geometry alone: where its elements lie in the memory of its base. After a
write, every other view of the same memory finds its edge out of date (the base's version has moved
on) and makes itself a new one, AsStridedBackward0, when somebody next asks for it.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import namespace
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import GradMode, recording
from minitorch.core.graph.node import Node, next_order
from minitorch.core.tensor.base import LEAF, NOWHERE, tensor, version_of

# Origins of views that must not be written in place while grad mode is on.
NO_GRAD, MULTIPLE, INFERENCE = "no_grad", "multiple", "inference"

_NO_GRAD_TEXT = (
    "{which} was created in no_grad mode and is being modified inplace with grad mode enabled. "
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the no_grad block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
_MULTIPLE_TEXT = (
    "{which} is a view and is being modified inplace. This view is the output of a function that "
    "returns multiple views. Such functions do not allow the output views to be modified inplace. "
    "You should replace the inplace operation by an out-of-place one."
)
_LEAF_TEXT = "a leaf Variable that requires grad is being used in an in-place operation."
_VIEW_OF_LEAF_TEXT = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation."
)
_OVERLAP_TEXT = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)


def view_of(self: Any, array: Any, edge: Any, origin: Any = None) -> Any:
    """A Tensor over `array`, memory of `self`'s, that counts as a view of it."""
    result = tensor(array, edge)
    above = self._view
    base, inherited = (self, None) if above is None or above[0] is None else (above[0], above[2])
    cell = base._cell
    if cell is None:
        cell = base._cell = [0]
    result._cell = cell
    if edge is None and self._edge is not None and not recording():
        result._edge = NOWHERE
        origin = NO_GRAD
    result._view = (base, cell[0], origin or inherited)
    return result


def is_view(self: Any) -> bool:
    """Whether `self` is a view of another tensor."""
    return self._view is not None and self._view[0] is not None


def edge_of(self: Any) -> Any:
    """The edge of `self`, made anew if it is a view of memory that was written since."""
    view = self._view
    if view is not None and view[0] is not None and view[1] != self._cell[0]:
        _regenerate(self)
    return self._edge


def irregular(self: Any) -> bool:
    """Whether `self`, whose `_view` is set, lies in memory otherwise than a fresh block on the CPU.

    Brings its edge up to date on the way.
    """
    view = self._view
    if view[0] is None:
        return True
    if view[1] != self._cell[0]:
        _regenerate(self)
    array = self._array
    return not (array.flags.c_contiguous and namespace(array).device_type == "cpu")


def recorded_edge(self: Any) -> Any:
    """What `node.edges` holds for the input `self`."""
    edge = self._edge if self._view is None else edge_of(self)
    return self if edge is LEAF else edge


def _regenerate(self: Any) -> None:
    base, _, origin = self._view
    self._view = (base, self._cell[0], origin)
    if base._edge is None:
        return
    with GradMode(True):
        x, whole = self._array, base._array
        if x.dtype is whole.dtype:
            strided = OPS.as_strided(base, self.shape, self.stride(), self.storage_offset())
            self._edge = strided._edge
        else:
            self._edge = edge_of(OPS.view_as_real(base))


def check_writable(self: Any, requires_grad: bool) -> None:
    """RuntimeError with torch's text if `self` must not be written in place now.

    requires_grad: whether the write is to be recorded: `self` or what is written wants grad.
    As check_inplace of torch/csrc/autograd/VariableTypeUtils.h.
    """
    if not requires_grad or not recording():
        return
    view = self._view
    base = None if view is None else view[0]
    if base is not None and view[2] is not None:
        raise RuntimeError(_forbidden(self, view[2]))
    if edge_of(self) is LEAF:
        raise RuntimeError(_LEAF_TEXT)
    if base is not None and base._edge is LEAF:
        raise RuntimeError(_VIEW_OF_LEAF_TEXT)


def check_no_overlap(x: Any) -> None:
    """RuntimeError with torch's text if elements of the array `x` share memory with one another."""
    if not x.flags.c_contiguous and x.size:
        for n, stride in zip(x.shape, x.strides, strict=True):
            if stride == 0 and n > 1:
                raise RuntimeError(_OVERLAP_TEXT)


def _forbidden(self: Any, origin: str) -> str:
    edge = self._edge
    which = "A view"
    if edge is not None and edge is not NOWHERE and edge is not LEAF:
        node, number = edge if type(edge) is tuple else (edge, 0)
        which = f"Output {number} of {type(node).__name__}"
    return (_MULTIPLE_TEXT if origin == MULTIPLE else _NO_GRAD_TEXT).format(which=which)


def written(self: Any, node: Node | None) -> None:
    """After a write into `self`: its version moves on, and `node` is now its history."""
    cell = version_of(self)
    cell[0] += 1
    if node is None:
        return
    view = self._view
    if view is None or view[0] is None:
        self._edge = node
        return
    base = view[0]
    base._edge = CopySlices(base, self, node)
    _regenerate(self)


class CopySlices(Node):
    """The history of a base one of whose views was written.

    The gradient of the written elements goes through `fn`, the writing operator's node; the rest
    passes. As torch/csrc/autograd/functions/tensor.cpp.
    """

    __slots__ = ("base_strides", "fn", "offset", "strides", "view_shape")

    def __init__(self, base: Any, view: Any, fn: Node) -> None:
        whole, part = base._array, view._array
        xp = namespace(whole)
        self.edges = (recorded_edge(base), *fn.edges[1:])
        self.order = next_order()
        self.shape, self.dtype = whole.shape, whole.dtype
        self.base_strides = whole.strides
        self.view_shape, self.strides = part.shape, part.strides
        self.offset = xp.pointer(part) - xp.pointer(whole)
        self.fn = fn

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    def apply(self, grad: Any, keep: bool) -> tuple[Any, ...]:
        xp = namespace(grad)
        itemsize = self.dtype.itemsize
        result = xp.empty_strided(
            self.shape, [stride // itemsize for stride in self.base_strides], grad.dtype
        )
        result[...] = grad
        part = self._part(xp, result)
        first, *rest = self.fn.apply(part.copy(), keep)
        part[...] = 0 if first is None else xp.as_array(first)
        return result, *rest

    def apply_graph(self, grad: Any, keep: bool) -> tuple[Any, ...]:
        itemsize = self.dtype.itemsize
        result = OPS.empty_strided(
            self.shape,
            [stride // itemsize for stride in self.base_strides],
            dtype=grad.dtype,
            device=grad.device,
        )
        result.copy_(grad)
        part = result.as_strided(
            self.view_shape,
            [stride // itemsize for stride in self.strides],
            self.offset // itemsize,
        )
        first, *rest = self.fn.apply_graph(part.clone(), keep)
        if first is None:
            part.zero_()
        else:
            part.copy_(first)
        return result, *rest

    def _part(self, xp: Any, x: Any) -> Any:
        return xp.strided(x, self.view_shape, self.strides, self.offset)
