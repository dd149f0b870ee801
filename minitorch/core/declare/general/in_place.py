"""In-place variants of general operators: torch's checks of a write, and the write itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy

from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.arrays.overlap import (
    check_apart,
    check_itself,
    check_same_or_apart,
    overlaps_itself,
)
from minitorch.core.base.fields import TensorBase, Untracked, laid_out
from minitorch.core.base.modes import GradMode, recording, transforms
from minitorch.core.declare.general.fitting import resize
from minitorch.core.declare.general.recording import check_histories, record, wants_grad
from minitorch.core.declare.general.tangents import move_tangents, pushed_write
from minitorch.core.declare.general.writing import (
    ELEMENT_WISE,
    is_by_kernel,
    lies_apart,
    tensors_of,
)
from minitorch.core.declare.out import (
    ITSELF,
    NOTHING,
    NOTHING_AFTER_SHAPES,
    InPlace,
    check_castable,
    out_of,
)
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.out_rules import (
    BEFORE_APART,
    BEFORE_OVERLAP,
    check_clamped,
    check_iterated,
    in_place_of,
    may_overlap,
    shape_error,
)
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.node import save_output, source_of
from minitorch.core.graph.saved_hooks import HOOKS, pack_kept
from minitorch.core.graph.views import check_writable, note_write, requires_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import result_type
from minitorch.core.warning import warn

_BY_SCALAR_NAME = {each.scalar_name: each for each in dtypes.DTYPES}


def store(name: str, function: Callable[..., Any], self: Any, call: Any) -> Any:
    """The in-place variant of a general operator: its result, and its node, become those of `self`.

    RuntimeError with torch's texts for leaves, views that must not be written, dtypes and shapes.
    """
    args, kwargs = call
    levels = transforms.get()
    if levels:
        return levels[-1].call(name, None, None, (self, *args), kwargs)
    given = tensors_of(call)
    recorded = recording() and any(
        map(requires_grad, (self, *weighed_of(name, function, call, given)))
    )
    result: Any = None
    refusal: Exception | None = None
    by_kernel = False
    # An inference tensor must not be saved: it is the written one, which torch never saves.
    untracked = recorded and isinstance(self._cell, Untracked)
    source = laid_out(self._array) if untracked else self
    try:
        result = function(source, *args, **kwargs)
    except TypeError:
        raise
    except Exception as error:  # torch checks more before this error
        by_kernel = is_by_kernel(error)
        refusal = _cast_first(name, error, self, [*args, *kwargs.values()])
    said = in_place_of(name)
    plain = refusal is None and not recorded and said.given is None
    if plain and _stored_plainly(said, self, given, result):
        return self
    check_writable(self, recorded)
    if said.given is not None:
        said.given(self, *args)
    if said.fills and str(refusal).startswith(
        (f"{name} only", f"{name}(): Expected dtype", "Inference tensors")
    ):
        raise refusal  # type: ignore[misc]
    if recorded:
        check_histories(self, *given)
    if said.clamps and result is not None and not given:
        check_clamped(name, result.dtype, self.dtype)
    if said.fills and said.check is not None:
        said.check(*[each._array for each in given])
    _check_memory(name, said, self, given, refusal)
    if refusal is not None:
        _refuse(name, said, self, call, refusal, by_kernel)
    if said.reads == NOTHING_AFTER_SHAPES:
        for each in given:
            check_apart(self._array, each._array, each is self)
    if not may_overlap(said, self):
        check_itself(self._array)
    x = result._array
    if x.shape != self._array.shape and not said.reshapes:
        raise shape_error(name, self._array.shape, x.shape)
    said.dtype(name, dtypes.of(x), self.dtype)
    chosen: Any = True
    if (said.fills or said.triangle) and not layout.is_dense(self.shape, self.stride()):
        chosen = _written_elements(function, said, self, call)
    become_result(self, result, source, chosen)
    if result._tangents is not None:
        move_tangents(self, result)
    return self


def _check_memory(
    name: str, said: InPlace, self: Any, given: list[Any], refusal: Exception | None
) -> None:
    """Raises RuntimeError if the operator may not write into memory that it reads.

    given: the other tensors among the arguments.
    refusal: the error of the operator; torch raises some errors before it checks memory.
    """
    text = "" if refusal is None else str(refusal)
    if said.fills and overlaps_itself(self._array) and may_overlap(said, self):
        warn_of_expanded(name, said.fills)
    if said.itself_first:
        check_itself(self._array)
    if said.reads == NOTHING:
        if refusal is not None and text.startswith((*BEFORE_APART, *said.refused_first)):
            raise refusal
        for each in given:
            check_apart(self._array, each._array, each is self)
    elif said.reads == ITSELF:
        read = [t._array for t in given]
        for each in read:
            check_same_or_apart(self._array, each)
        if len(read) == 1 or not read[-1].ndim:
            layout.broadcast(self._array.shape, read[0].shape)  # torch names `self` first
    elif refusal is not None and text.startswith((*BEFORE_OVERLAP, *said.refused_first)):
        raise refusal
    elif not may_overlap(said, self):
        check_iterated(out_of(name.removesuffix("_")), self, given)


def _refuse(
    name: str, said: InPlace, self: Any, call: Any, refusal: Exception, by_kernel: bool
) -> NoReturn:
    """Raises the operator's own error, after all checks and writes that torch does before it."""
    if by_kernel and out_of(name.removesuffix("_")).overlap in ELEMENT_WISE:
        try:
            shape = layout.broadcast(*[each._array.shape for each in (self, *tensors_of(call))])
        except RuntimeError:  # of matrices
            raise refusal from None
        if shape != self._array.shape:
            raise shape_error(name, self._array.shape, shape)
    if said.reached is not None:
        said.reached(name, self, *call, refusal)
    raise refusal


def _written_elements(function: Callable[..., Any], said: InPlace, self: Any, call: Any) -> Any:
    """A mask of the elements that are written, for memory that has gaps or is shared by several.

    Elements that the operator leaves unchanged are not written there.
    """
    args, kwargs = call
    with GradMode(False):
        if said.fills:
            chosen = self.new_zeros(self._array.shape, dtype=dtypes.bool)
            return function(chosen, *args[:-1], True)._array
        left = function(self.new_ones(self._array.shape, dtype=dtypes.bool), *args, **kwargs)
        return ~left._array


def _stored_plainly(said: InPlace, self: Any, given: list[Any], result: Any) -> bool:
    """Whether a result was written into `self` at once. It is if it has the dtype and shape of
    `self`, a plain block apart from the tensors `given`, so that no check can fail. If not, nothing
    was written.
    """
    if given and not lies_apart(self, given):
        return False
    if said.check is not None:
        said.check(*[each._array for each in given])
    own, x = self._array, result._array
    if (
        type(own) is not numpy.ndarray
        or type(x) is not numpy.ndarray
        or x.dtype is not own.dtype
        or x.shape != own.shape
        or not own.flags.c_contiguous
        or result._tangents is not None
    ):
        return False
    own[...] = x
    note_write(self, None)
    return True


def _cast_first(name: str, error: Exception, self: Any, operands: list[Any]) -> Exception:
    """The error of a cast into `self`, if torch raises that first; else `error`, which is about a
    dtype without a kernel, a division by zero, or bounds that are too large."""
    text, own = str(error), self.dtype
    # Bounds do not promote floating-point numbers, and a single one may not be complex at all.
    said = in_place_of(name)
    refused = ("value cannot be", *(said.refused_first if said.clamps == 2 else ()))
    promotes = said.clamps and own.number_kind < dtypes.Kind.FLOATING and text.startswith(refused)
    if isinstance(error, NotImplementedError) and not promotes:
        kind = "ComplexHalf" if "torch.complex32" in text else text.rpartition(" for '")[2][:-1]
        result = _BY_SCALAR_NAME.get(kind, own)
    elif text == "ZeroDivisionError" or promotes:
        given = [x for x in operands if isinstance(x, (TensorBase, int, float, complex))]
        result = result_type(
            *[
                (dtypes.of(x._array), x._array.ndim) if isinstance(x, TensorBase) else x
                for x in (self, *given)
            ]
        )
    else:
        return error
    try:
        if promotes:
            check_clamped(name, result, own)
        check_castable(name, result, own)
    except RuntimeError as first:
        return first
    return error


def weighed_of(name: str, function: Any, call: Any, given: list[Any]) -> list[Any]:
    """The tensors among `given` in a call that have gradients: no masks, no indices."""
    args, kwargs = call
    if in_place_of(name).fills:
        value = kwargs.get("value", args[-1] if args else None)
        return [t for t in given if t is value]
    row = getattr(function, "row", None)
    if row is None or row.node == "NotImplemented":
        return given
    names = [a.name for a in row.schema.arguments[1:]]
    bound = {**dict(zip(names, args, strict=False)), **kwargs}
    return [t for t in given if any([bound.get(name) is t for name in row.inputs])]


def become_result(self: Any, result: Any, source: Any, chosen: Any = True) -> None:
    """Writes `result`, whose history becomes that of `self`.

    source: the tensor it was computed from in place of `self`.  chosen: the written elements.
    """
    node = result.grad_fn
    if node is not None:
        keep_originals(node, source)
        node.dtype = self._array.dtype if node.outputs == 1 else node.dtype
    if self._array.shape != result._array.shape:
        resize(self, result._array.shape)
    x = result._array
    x = x if x.dtype == self._array.dtype else cast(x, self._array.dtype)
    namespace(self._array).copyto(self._array, x, where=chosen)
    note_write(self, node)
    if node is not None:
        keep_written(node, self, result)


def warn_of_expanded(name: str, example: str) -> None:
    """Warns of a write into memory that several elements share."""
    warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before "
        f"performing this operation. This also applies to advanced indexing e.g. {example}"
    )


def rewrite(row: Row, bound: dict[str, Any], write: Callable[[Any, Any], None]) -> Any:
    """Lets `write(xp, x)` write into the array of `bound["self"]`, recorded as a call of `row`.

    bound: the arguments by the names of the schema. `write` must raise for bad input before it
    writes. No formula of the row may need the overwritten value.
    """
    if LEVELS:
        return pushed_write(row, partial(_rewritten, row, write), (), bound)
    return _rewritten(row, write, **bound)


def _rewritten(row: Row, write: Callable[[Any, Any], None], **bound: Any) -> Any:
    self = bound["self"]
    recorded = wants_grad(row, [bound[a.name] for a in row.schema.tensors])
    check_writable(self, recorded)
    node = record(row, bound, self, written=True) if recorded else None
    if type(self._array) is Lazy:
        check_itself(self._array)
    write(namespace(self._array), self._array)
    note_write(self, node)
    if node is not None and HOOKS.get():
        pack_kept(node, [self])
    return self


def keep_originals(node: Any, self: Any) -> None:
    """Replaces the first input that `node` saved by a copy of the value before the write.

    The same tensor as another argument stays: a backward that reads it finds that it was written.
    """
    for name in {"self", "input"}.intersection(node.saved):
        slot = "saved_" + name
        saved = getattr(node, slot)
        held = saved[0] if type(saved) is tuple and len(saved) == 2 else saved
        if held is self:
            setattr(node, slot, self.clone())


def keep_written(node: Any, self: Any, result: Any) -> None:
    """Replaces the output that `node` saved by the memory and version of the written tensor."""
    for name in node.saved:
        slot = "saved_" + name
        saved = getattr(node, slot)
        if type(saved) is tuple and len(saved) == 4 and saved[1] is result._cell:
            setattr(node, slot, save_output(self, source_of(self, saved[3])))
