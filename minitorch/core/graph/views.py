"""Views and in-place writes: versions, checks before a write, CopySlices, regenerated edges.

A view is described by geometry alone: the places of its elements in the memory of its base. After
a write the base's version has changed, so the edge of every other view of the memory is out of
date. Such a view makes a new edge, AsStridedBackward0, when its edge is next needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, layout, namespace, offset_of
from minitorch.core.arrays.lazy import bits_of, lazy, raw_of
from minitorch.core.arrays.overlap import check_itself
from minitorch.core.base import fields
from minitorch.core.base.fields import (
    LEAF,
    NOWHERE,
    STRIDED,
    UNTRACKED,
    Disowned,
    TensorBase,
    Unguarded,
    Untracked,
    is_leaf,
    laid_out,
    version_of,
)
from minitorch.core.base.formulas import OPS
from minitorch.core.base.latches import Latch
from minitorch.core.base.modes import (
    FormulaMode,
    GradMode,
    inference_mode,
    recording,
    view_tracking,
    watch,
)
from minitorch.core.graph.fit import SHAPES_CHANGED
from minitorch.core.graph.hooks import ANY_HOOKS, retain_at
from minitorch.core.graph.node import (
    FREED_TEXT,
    Node,
    check_kept,
    next_order,
    node_of,
    nodes_with_edge_to,
)
from minitorch.core.graph.retyped_leaves import replace_accumulator
from minitorch.core.graph.wording import title_of
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import contiguous_format

_new, _ndarray = object.__new__, numpy.ndarray

# Origins of views that must not be written in place while grad mode is on.
NO_GRAD, MULTIPLE, INFERENCE, CUSTOM = "no_grad", "multiple", "inference", "custom"

_MADE_WITHOUT_GRAD = "{view} created in no_grad mode and {what} with grad mode enabled."
_MADE_IN_INFERENCE = "{view} created in inference mode and {what} in normal mode."
_WRITTEN = "is being modified inplace"
_WRITTEN_ELSEWHERE = "its base or another view of its base has been modified inplace"
_AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {mode} block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
_ADVICE = {
    NO_GRAD: _AMBIGUOUS.format(mode="no_grad"),
    INFERENCE: _AMBIGUOUS.format(mode="inference_mode"),
    MULTIPLE: (
        " This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. You should replace the inplace operation "
        "by an out-of-place one."
    ),
    CUSTOM: (
        " This view was created inside a custom Function (or because an input was returned as-is) "
        "and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden. You can fix this by cloning the output of the custom Function."
    ),
}
_NODE_IS_MISSING = (  # an assertion of torch's, which names its place in torch's source
    'new_fn INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":198, '
    "please report a bug to PyTorch. "
)
_LEAF_TEXT = "a leaf Variable that requires grad is being used in an in-place operation."
_VIEW_OF_LEAF_TEXT = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation."
)


class IntegerHistories(Latch):
    """The nodes that became the history of integers by a write, though integers have no gradient.
    While such a node exists, calls are watched, so that no other integers inherit its history.

    watching: whether this object is counted among the watchers.
    """

    __slots__ = ("watching",)

    def __init__(self) -> None:
        super().__init__()
        self.watching = False

    def note(self, written: Any) -> None:
        """Watches all calls from now on, because a tensor has got such a history."""
        self.hold(node_of(written._edge))
        if not self.watching:
            self.watching = True
            watch(+1)

    def end(self) -> None:
        """Stops watching if the last of the nodes has died."""
        if self.watching and not self:
            self.watching = False
            watch(-1)


INTEGER_HISTORY = IntegerHistories()


def view_of(self: Any, array: Any, edge: Any, origin: Any = None) -> Any:
    """A Tensor over `array`, memory of `self`'s, that counts as a view of it."""
    result = _new(fields._class)
    result._array = array
    result._edge = edge
    result._grad = None
    above = self._view
    if above is None or above[0] is None:
        root, inherited = self, None
    else:
        root, inherited = above[0], above[2]
    cell = root._cell
    if cell is None:
        cell = root._cell = [0]
    result._cell = cell
    if above is not None and type(array) in fields.CLASSES:
        fields.CLASSES[type(array)](result)
    if type(cell) is not list and isinstance(cell, Untracked) and type(cell) is not Disowned:
        result._cell, result._view = UNTRACKED, STRIDED
        return result
    if edge is None and not recording():
        origin = INFERENCE if inference_mode.get() else NO_GRAD
    if inherited is not None and (origin is None or inherited is INFERENCE):
        origin = inherited
    if above is not None and len(above) > 3:
        result._view = (root, cell[0], origin, (*above[3], _placed(array)))
    else:
        result._view = (root, cell[0], origin)
    return result


def unrecorded_views_of(self: Any, arrays: Any) -> tuple[Any, ...]:
    """Tensors over several parts of the array of `self`, made by one call, without a history."""
    if self._view is not None:
        return tuple([view_of(self, each, None, MULTIPLE) for each in arrays])
    cell = self._cell
    if cell is None:
        cell = self._cell = [0]
    view = (self, cell[0], MULTIPLE if recording() else unrecorded_origin())
    results = []
    for each in arrays:
        result = _new(fields._class)
        result._array = each
        result._edge = result._grad = None
        result._cell = cell
        result._view = view
        results.append(result)
    return tuple(results)


def unrecorded_origin() -> str:
    """The origin of a view that is made where nothing is recorded."""
    return INFERENCE if inference_mode.get() else NO_GRAD


def is_view(self: Any) -> bool:
    """Whether `self` is a view of another tensor."""
    return self._view is not None and self._view[0] is not None


def edge_of(self: Any) -> Any:
    """The edge of `self`, made anew if it is a view of memory that was written since."""
    view = self._view
    if view is not None and view[0] is not None:
        if view[1] != self._cell[0]:
            _regenerate(self)
        if self._edge is None or self._edge is NOWHERE:  # it requires grad while its base does
            self._edge = None if view[0]._edge is None else NOWHERE
    return self._edge


def input_edge(self: Any) -> Any:
    """The edge of `self`, an operator's input; it is made anew only if calls are recorded."""
    if self._edge is None:
        view = self._view
        if view is None or view[0] is None or (view[0]._edge is None and len(view) == 3):
            return None  # neither it nor its base has a history
    return edge_of(self) if recording() else self._edge


def requires_grad(self: Any) -> bool:
    """Whether `self` requires grad: a view without an edge does while its base does.

    Does not bring its edge up to date.
    """
    view, edge = self._view, self._edge
    if edge is not None and edge is not NOWHERE:
        return True
    return view is not None and view[0] is not None and view[0]._edge is not None


def irregular(self: Any) -> bool:
    """Whether `self`, whose `_view` is set, is not laid out as a fresh block on the CPU, or
    requires grad without an edge for the gradient.

    Brings its edge up to date on the way, if it is about to be recorded.
    """
    view = self._view
    base = view[0]
    if base is None:
        return True
    without_history = self._edge is None is base._edge and len(view) == 3
    if not without_history and input_edge(self) is NOWHERE:
        return True
    array = self._array
    shape = array.shape
    return (
        not array.flags.c_contiguous
        or ((1 in shape or 0 in shape) and not layout.is_plain(array))
        or type(array) is not _ndarray
    )


def irregular_on_device(self: Any) -> bool:
    """`irregular` for a tensor that may be on a device, where `_view` is always set."""
    view = self._view
    if view is None or (view[0] is not None and input_edge(self) is NOWHERE):
        return True
    is_plain = DEVICE_ARRAYS.get(type(self._array))
    return is_plain is None or not is_plain(self._array)


def recorded_edge(self: Any) -> Any:
    """The entry of `node.edges` for the input `self`."""
    edge = self._edge if self._view is None else edge_of(self)
    return self if edge is LEAF else edge


def _regenerate(self: Any) -> None:
    base, _, origin = self._view[:3]
    if base._edge is None and is_leaf(self):
        if (error := sys.exception()) and getattr(error, "view", None) is self:
            raise error  # an operator that failed is called again
        return  # until the base requires grad
    if origin is not None:
        raise RuntimeError(_forbidden(self, origin, _WRITTEN_ELSEWHERE))
    before = base._edge
    if before is None:
        if len(self._view) > 3:  # torch replays the view, and its node is missing
            self._edge = None
            error = RuntimeError(_NODE_IS_MISSING)
            vars(error)["view"] = self
            raise error
        base._edge = NOWHERE  # so that a node is made
    try:
        with GradMode(True), FormulaMode(True):  # not a call of the program, which might raise
            old, self._edge = self._edge, replay_view(self, base)._edge
        if ANY_HOOKS:
            retain_at(self._edge, old)
    finally:
        if before is None:
            base._edge = None
    self._view = (base, self._cell[0], *self._view[2:])


def replay_view(self: Any, base: Any) -> Any:
    """The view `self` of `base`: by its place in memory, or by the steps that made it."""
    for step in view_steps(self):
        base = step(base)
    return base


def view_steps(self: Any) -> tuple[Any, ...]:
    """The functions that lead from the base of `self` to it, if it is a view."""
    view = self._view
    if len(view) > 3:
        return view[3]
    return (_placed(self._array),)


def geometry_of(x: Any) -> tuple[Any, Any, int]:
    """Shape, strides and storage offset of an array, in elements."""
    return x.shape, layout.strides_of(x), offset_of(x) // x.itemsize


def _placed(x: Any) -> Any:
    """A function that returns, for a base, the view of it that has the place of the array `x`."""
    return lambda base: OPS.as_strided(base, *geometry_of(x))


def note_view_step(self: Any, result: Any, take: Any) -> None:
    """Notes how the view `result` is made of `self`, if its place in memory does not describe that.

    take: the operator that made the view, if its numbers differ from those in the base's memory:
        real or imaginary parts, pairs read as complex numbers, conjugates and negatives.
    As ViewInfo::chain of torch/csrc/autograd/variable.cpp.
    """
    if is_view(result):
        way = view_steps(self) if is_view(self) else ()
        result._view = (*result._view[:3], (*way, take))


def tracking(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an operator, changed so that its views note which operator made them: see
    WATCHERS."""
    if not view_tracking.get():
        return compute

    def tracked(*args: Any, **kwargs: Any) -> Any:
        result = compute(*args, **kwargs)
        if isinstance(result, TensorBase) and is_view(result) and result is not args[0]:
            note_view_step(args[0], result, lambda base: compute(base, *args[1:], **kwargs))
        return result

    return tracked


def check_writable(self: Any, recorded: bool) -> None:
    """RuntimeError with torch's text if `self` must not be written in place now.

    recorded: whether the write is to be recorded: `self` or the written value requires grad.
    As check_inplace of torch/csrc/autograd/VariableTypeUtils.h.
    """
    if not recorded or not recording():
        return
    view = self._view
    base = None if view is None else view[0]
    if base is not None:
        if view[2] is not None:
            raise RuntimeError(_forbidden(self, view[2], _WRITTEN))
        if is_leaf(base) and requires_grad(self):
            raise RuntimeError(_VIEW_OF_LEAF_TEXT)
    if is_leaf(self) and requires_grad(self):
        raise RuntimeError(_LEAF_TEXT)


def holds_leaf(self: Any) -> bool:
    """Whether a tensor requires grad, and is a leaf or a view of one, which no write may change."""
    base = None if self._view is None else self._view[0]
    return requires_grad(self) and (is_leaf(self) or (base is not None and is_leaf(base)))


def _forbidden(self: Any, origin: str, what: str) -> str:
    """Why a view of this origin must not be written."""
    made, view = f"{{view}} and {what}.", "A view was"
    if origin is INFERENCE:
        made = _MADE_IN_INFERENCE
    elif origin is NO_GRAD or is_leaf(self):
        made = _MADE_WITHOUT_GRAD
    if not is_leaf(self):
        node, number = self._edge if type(self._edge) is tuple else (self._edge, 0)
        view = f"Output {number} of {title_of(node)} is a view"
        if origin in (NO_GRAD, INFERENCE):
            view += " of a view which was"
    return made.format(view=view, what=what) + _ADVICE[origin]


def _move_on(cell: Any) -> None:
    """Counts a write. Raises torch's RuntimeError for inference tensors; as in torch, too late."""
    if type(cell) is list or not isinstance(cell, Untracked):
        cell[0] += 1
    elif inference_mode.get():
        return
    elif isinstance(cell, Unguarded):
        cell.count()
    else:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make "
            "a clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def note_write(self: Any, node: Node | None) -> None:
    """Records a write into `self`: its version grows, and `node` becomes its history."""
    cell = self._cell
    if cell is None:
        self._cell = [1]
    elif type(cell) is list:  # written out, as for most: 0.1 us less
        cell[0] += 1
    else:
        _move_on(cell)
    if node is not None:
        rebase(self, node)
        if self._array.dtype.kind in "biu":
            for each in (self, self._view and self._view[0]):
                if each is not None:
                    INTEGER_HISTORY.note(each)


def refuse_history(self: Any) -> None:
    """Raises torch's RuntimeError if a tensor whose dtype has no gradient is to get a history."""
    if self._array.dtype.kind in "biu":
        raise RuntimeError(f"Autograd not support dtype: {dtypes.of(self._array).scalar_name}")


def rebase(self: Any, node: Node) -> None:
    """Makes `node`, which writes `self`, the history of `self`."""
    view, edge = self._view, self._edge
    if view is None or view[0] is None:
        self._edge = node
    else:
        base = view[0]
        before = base._edge
        base._edge = CopySlices(base, self, node)
        _regenerate(self)
        if ANY_HOOKS:
            retain_at(base._edge, before)
    if ANY_HOOKS:
        retain_at(self._edge, edge)


def reshape(self: Any, array: Any) -> None:
    """Prepares for `self` to hold another array: notes it in SHAPES_CHANGED if its history expects
    another shape.

    The AccumulateGrad of a leaf keeps its old shape as long as a graph holds it; a leaf that gets
    another dtype gets another AccumulateGrad.
    """
    edge, same_shape = self._edge, self._array.shape == array.shape
    if edge is LEAF:
        if not same_shape:
            SHAPES_CHANGED.hold(self)
        if self._array.dtype != array.dtype:
            replace_accumulator(self)
        elif not same_shape:
            for each in nodes_with_edge_to(self):
                each.next_functions  # noqa: B018
    elif edge is not None and edge is not NOWHERE and not same_shape:
        SHAPES_CHANGED.hold(node_of(edge))


def replace_memory(self: Any, array: Any, node: Node | None) -> None:
    """Gives `self` another shape, strides or place in memory, and `node` as its history.

    The base of a view keeps its own history: none of its numbers were written. Without a `node`,
    the edge of a view is out of date after this.
    """
    cell = version_of(self)
    if node is None:
        reshape(self, array)
    self._array = array
    _move_on(cell)
    if self._view is None or self._view[0] is None:
        if not isinstance(cell, Untracked):
            self._view = laid_out(array)._view
    elif node is not None:
        self._view = (self._view[0], cell[0], *self._view[2:])
    if node is not None:
        refuse_history(self)
        self._edge = node  # a retained gradient is still that of the old history


class CopySlices(Node):
    """The history of a base after a write into one of its views.

    The gradient of the written elements goes through `fn`, the writing operator's node; the rest
    passes. As torch/csrc/autograd/functions/tensor.cpp.
    """

    __module__ = "builtins"
    __slots__ = (
        "base_strides",
        "bits",
        "fn",
        "offset",
        "part_dtype",
        "part_strides",
        "view_shape",
        "way",
    )

    fn: Node | None

    def __init__(self, base: Any, view: Any, fn: Node) -> None:
        whole, part = base._array, view._array
        xp = namespace(whole)
        self.edges = (recorded_edge(base), *fn.edges[1:])
        self.order = next_order()
        self.shape, self.dtype = whole.shape, whole.dtype
        self.base_strides = layout.strides_of(whole)
        self.view_shape, self.part_strides, self.part_dtype = part.shape, part.strides, part.dtype
        self.offset = xp.pointer(raw_of(part)) - xp.pointer(whole)
        self.bits = bits_of(part)
        self.way = view_steps(view)
        self.fn = fn
        if fn.complex_only:
            self.complex_only = True

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    @property
    def skips_unwanted(self) -> bool:  # type: ignore[override]
        return self.fn is not None and self.fn.skips_unwanted

    def release(self) -> None:
        self.fn = None

    def _writers_part(self, method: str, grad: Any, retain: bool) -> Any:
        """The gradients from the writing operator's node. Releases that node unless `retain`."""
        if self.fn is None:
            raise RuntimeError(FREED_TEXT)
        grads = getattr(self.fn, method)(grad, retain)
        if not retain:
            self.fn = None
        return grads

    def pass_over(self, retain: bool) -> tuple[Any, ...]:
        if self.fn is not None:
            check_kept(self.fn)
        return super().pass_over(retain)

    def freed(self, retain: bool) -> tuple[Any, ...]:
        if not retain:
            self.fn = None
        return super().freed(retain)

    def apply(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        xp = namespace(grad)
        result = xp.empty_strided(self.shape, self.base_strides, grad.dtype)
        result[...] = grad
        memory = layout.memory_of(xp.storage(result), self.part_dtype)
        part = lazy(xp.strided(memory, self.view_shape, self.part_strides, self.offset), *self.bits)
        first, *rest = self._writers_part("apply", part.copy(), retain)
        if first is None:
            return None, *rest
        check_itself(part)
        part[...] = first
        return result, *rest

    def apply_graph(self, grad: Any, retain: bool) -> tuple[Any, ...]:
        result = OPS.new_empty_strided(grad, self.shape, self.base_strides)
        result.copy_(grad)
        part = result
        for step in self.way:
            part = step(part)
        grad = OPS.clone(part, memory_format=contiguous_format)
        first, *rest = self._writers_part("apply_graph", grad, retain)
        if first is None:
            return None, *rest
        part.copy_(first)
        return result, *rest
