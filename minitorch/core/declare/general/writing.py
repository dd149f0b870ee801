"""Results that go into a tensor that exists: out= and in-place variants of general operators."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from minitorch.core.arrays import layout, namespace
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.lazy import Lazy
from minitorch.core.arrays.missing import of_two_devices
from minitorch.core.arrays.overlap import (
    check_apart,
    check_itself,
    check_same_or_apart,
    overlaps_itself,
)
from minitorch.core.base.fields import TensorBase, Untracked, laid_out, tensor, tensor_class
from minitorch.core.base.modes import GradMode, recording, transforms
from minitorch.core.declare.calls import takes_numbers
from minitorch.core.declare.general.elementwise import warn_of_casts
from minitorch.core.declare.general.fitting import (
    check_known,
    fit,
    fit_apart,
    prepare_before_arguments,
    resize,
    said_before_memory,
    warn_of_misfit,
    warn_of_resize,
)
from minitorch.core.declare.general.recording import check_histories, record, wants_grad
from minitorch.core.declare.general.tangents import move_tangents, pushed_write
from minitorch.core.declare.out import (
    BEFORE_ARGUMENTS,
    BEFORE_DTYPE,
    BEFORE_MEMORY,
    BY_ELEMENT,
    BY_ELEMENT_AFTER_DTYPE,
    ITSELF,
    NEVER,
    NOTHING,
    NOTHING_AFTER_SHAPES,
    ROWS,
    ROWS_OR_KEPT,
    Out,
    check_castable,
    out_of,
)
from minitorch.core.declare.registry import function_of_row
from minitorch.core.declare.row import Row
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.declare.wording.out_rules import (
    BEFORE_APART,
    BEFORE_OVERLAP,
    check_clamped,
    check_dtype,
    check_iterated,
    check_out_dtype,
    check_overlap,
    error_name_of,
    gradients_error,
    in_place_of,
    may_overlap,
    resizes_in_silence,
    resizes_twice,
    said_error_name,
    shape_error,
    unbroadcast,
)
from minitorch.core.declare.wording.return_types import RETURN_TYPES, written_type
from minitorch.core.graph.forward import LEVELS, level_of
from minitorch.core.graph.node import NotImplementedNode, save_output, source_of
from minitorch.core.graph.saved_hooks import HOOKS, pack_kept
from minitorch.core.graph.views import (
    check_writable,
    holds_leaf,
    note_write,
    requires_grad,
)
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import result_type
from minitorch.core.numbers.scalars import as_number, is_number
from minitorch.core.warning import warn

_BY_SCALAR_NAME = {each.scalar_name: each for each in dtypes.DTYPES}


def into(row: Row, out: Any, call: Any) -> Any:
    """Calls a row's function and puts its results into `out`, a tensor or a tuple of them."""
    if (
        isinstance(out, (tuple, list))
        and len(row.schema.outputs) == 1
        and not row.schema.returns_list
    ):
        raise TypeError("out is a list")  # which the parser says better
    if row.schema.returns_list and isinstance(out, TensorBase):
        raise TypeError(f"{row.name}(): argument 'out' must be tuple of Tensors, not Tensor")
    error_name = f"aten::{row.name}" if row.node == "NotImplemented" else ""
    place = with_dim(row, call) if out_of(row.name).with_dim is not None else None
    delivered = deliver(row.name, function_of_row(row), out, call, error_name, place)
    warn_of_casts(row, out, call[0])
    return None if row.schema.returns.endswith("[]") else delivered


def error_name_of_row(row: Row) -> str:
    """Under whose name a row refuses to be differentiated into out=."""
    return f"aten::{row.name}" if row.node == "NotImplemented" else error_name_of(row.name)


def check_outs(name: str, out: Any, count: int, list_name: str = "") -> None:
    """Raises torch's error unless `out` holds a tensor for each of several results."""
    several = isinstance(out, (tuple, list))
    if list_name and len(out) != count:
        raise RuntimeError(
            f"{list_name} expected an out= argument of size {count}, got size {len(out)}"
        )
    if count > 1 and not several:
        raise TypeError(f"{name}argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if several and len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")


def deliver(
    name: str,
    function: Callable[..., Any],
    out: Any,
    call: Any,
    error_name: str = "",
    place: Callable[[Any, Any, Any], None] | None = None,
    said: Out | None = None,
) -> Any:
    """Calls `function` without recording and puts its results into `out`.

    error_name: the name in the error for gradients, if its declaration says none.
    place: how a result goes into its tensor, if not by `put`.
    said: what is true of this call's out=, if not what is declared under the name.

    RuntimeError with torch's texts if gradients are wanted or the dtype does not fit; a tensor of
    another shape is resized, with a warning unless it is empty. A number becomes a tensor first,
    where torch takes one in the place of each tensor.
    """
    args, kwargs = call
    results = refusal = None
    said = said or out_of(name)
    if type(out) is tensor_class():
        results, refusal, done = _delivered_plainly(said, name, function, out, call)
        if done:
            return out
    if not isinstance(out, TensorBase) and takes_numbers(name) and is_number(out):
        out = tensor(numpy.asarray(as_number(out)))
    outs = out if isinstance(out, (tuple, list)) else (out,)
    for each in outs:
        if not isinstance(each, TensorBase) and hasattr(function, "signatures"):
            function(*args, **kwargs, out=out)  # which says what fits
        check_out(name, each)
    fields = getattr(RETURN_TYPES.get(name), "n_fields", len(outs))
    if isinstance(out, (tuple, list)) and fields != len(outs):
        raise TypeError(f"expected tuple of {fields} elements but got {len(outs)}")
    given = tensors_of(call)
    error_name = error_name or said_error_name(said, name)
    if said.arguments_first and gradients_wanted(given, outs):
        check_arguments(function, call)
    wanted = check_gradients(
        said, error_name, written_of(function, outs), differentiated(function, call, given)
    )
    if level_of(given + list(outs)) >= 0:
        raise NotImplementedError(
            f"Trying to use forward AD with {name}_out that does not support it because it is an "
            "out= function"
        )
    if said.given is not None:
        said.given(out, *args, **kwargs)
    if said.known is not None:
        check_known(said, name, outs, given, call)
    if said.shaped == BEFORE_ARGUMENTS:
        fit(out, ())
        check_dtype(said, name, given[0].dtype, out.dtype, given)
    if results is refusal is None:
        with GradMode(False):
            try:
                results = function(*args, **kwargs)
            except Exception as error:
                refusal = error
    if len(outs) == 1 and (refusal is None or not said_before_memory(said, str(refusal))):
        check_iterated(said, outs[0], given)
    if refusal is None or is_by_kernel(refusal):
        check_read_and_written(said, outs, given, results)
    if refusal is not None:
        if str(refusal).startswith(f"Could not run 'aten::{name}' with arguments from the 'CPU'"):
            raise no_kernel(f"{name}.out")
        # A kernel of this name looks at the dtype before out= is made fit.
        late = '_check" not implemented' not in str(refusal)
        if type(refusal) is NotImplementedError and is_by_kernel(refusal) and late:
            prepare(name, function, outs[0], given, call)
        if len(outs) > 1 and said.sized is not None and said.known is None:
            for i, (each, shape) in enumerate(zip(outs, said.sized(*args, **kwargs), strict=False)):
                check_dtype(said, name, given[0].dtype, each.dtype, given, i)
                fit(each, tuple(shape))
        if len(outs) == 1:
            prepare_before_arguments(said, name, str(refusal), outs[0], given, call)
        raise refusal
    found = results if isinstance(results, tuple) else (results,)
    check_outs(f"{name}(): ", out, len(found), said.list_name)
    if said.resize == NEVER:
        with GradMode(False):
            for each, result in zip(outs, found, strict=True):
                each.copy_(result)
        return out
    pairs = list(enumerate(zip(outs, found, strict=True)))
    if said.order:
        pairs = [pairs[i] for i in said.order]
    for i, (each, result) in pairs:
        if said.shaped == BEFORE_DTYPE:
            fit(each, result._array.shape)
        check_dtype(said, name, dtypes.of(result._array), each.dtype, given, i)
    if said.reversed:
        pairs.reverse()
    if len(outs) == 1:
        if said.shaped == BEFORE_MEMORY:
            looked_at = said.looked_at or list
            x = found[0]._array
            fit_apart(outs[0], x.shape, looked_at(given), layout.strides_of(x))
        check_overlap(said, outs[0], given)
    for _, (each, result) in pairs:
        misfits = each._array.shape != result._array.shape
        if misfits and resizes_in_silence(said, given):
            resize(each, result._array.shape)
        if said.strides and (each._array.size or said.strides == ROWS):
            fit(each, result._array.shape)
        elif said.strides and (
            said.strides != ROWS_OR_KEPT or each._array.shape != result._array.shape
        ):
            resize(each, result._array.shape, layout.strides_of(result._array))
        elif misfits and resizes_twice(said, args, result.dtype, each.dtype):
            warn_of_misfit(each, result._array.shape)
        node = NotImplementedNode(error_name, [*given, each], result) if wanted else None
        (place or put)(each, result, node)
    if not isinstance(results, tuple):
        return out
    return written_type(type(results))(outs)


def lies_apart(self: Any, given: list[Any]) -> bool:
    """Whether a tensor and others are plain ones without a history, and none shares its memory: a
    third of the time in which that can be found out of all tensors."""
    own = self._array
    if not (self._edge is self._view is None) or own.base is not None or LEVELS:
        return False
    for each in given:
        x = each._array
        if not (each._edge is each._view is None) or x is own or x.base is own:
            return False
    return True


def _delivered_plainly(
    said: Out, name: str, function: Callable[..., Any], out: Any, call: Any
) -> tuple[Any, Exception | None, bool]:
    """Puts a result of its own dtype and shape into `out` if that lies apart from the arguments, so
    that there is nothing to refuse.

    Returns:
        (result, refusal, done): what the function gave or raised, if it was called, and whether the
        result is in `out`.
    """
    own, given = out._array, tensors_of(call)
    if said.known is not None or said.shaped == BEFORE_ARGUMENTS or not own.size:
        return None, None, False
    if not lies_apart(out, given):
        return None, None, False
    try:
        result = function(*call[0], **call[1])
    except Exception as error:
        return None, error, False
    x = getattr(result, "_array", None)
    if x is None or x.dtype != own.dtype or x.shape != own.shape:
        return result, None, False
    check_dtype(said, name, dtypes.of(x), out.dtype, given)
    if type(own) is not type(x):
        check_place(out, result)
    own[...] = x
    note_write(out, None)
    return result, None, True


def check_read_and_written(said: Out, outs: Any, given: list[Any], result: Any) -> None:
    """RuntimeError with torch's text if the result of an element-wise operator has another shape
    than out=, one of its inputs, which is not resized then.

    Args:
        result: None if a kernel refused to compute it; inputs say its shape then.
    """
    if len(outs) != 1 or said.overlap not in _ELEMENT_WISE:
        return
    out = outs[0]
    if any([each is out for each in given]):
        computed = getattr(result, "_array", None)
        if computed is None:
            shape = layout.broadcast(*[each._array.shape for each in given])
        else:
            shape = computed.shape
        if shape != out._array.shape:
            raise unbroadcast(out._array.shape, shape)


def gradients_wanted(given: Any, outs: Any) -> bool:
    """Whether calls are recorded, and any of these tensors requires grad."""
    return recording() and any(map(requires_grad, (*given, *outs)))


def check_arguments(function: Any, call: Any) -> None:
    """Raises what a function that is made of others has against its arguments, which it says before
    the one that writes into out= looks at gradients."""
    with GradMode(False):
        try:
            function(*call[0], **call[1])
        except Exception as error:
            if not is_by_kernel(error):
                raise


def written_of(function: Any, outs: Any) -> Any:
    """Those of out= that gradients could flow through."""
    row = getattr(function, "row", None)
    if row is None or row.differentiable is None or len(outs) != len(row.differentiable):
        return outs
    return [outs[i] for i in row.differentiable_outputs]


def differentiated(function: Any, call: Any, given: list[Any]) -> list[Any]:
    """Those of the tensors `given` that the operator may have a derivative by."""
    row = getattr(function, "row", None)
    if row is None or not row.node or not any([each.requires_grad for each in given]):
        return given
    args, kwargs = call
    names = [each.name for each in row.schema.arguments]
    fixed = [each for each in row.schema.tensors if each.name not in row.inputs]
    ignored = [each.name for each in fixed if each.name not in row.constant]
    bound = {**dict(zip(names, args)), **kwargs}
    return [x for x in given if not any(bound.get(name) is x for name in ignored)]


def prepare(name: str, function: Any, out: Any, given: list[Any], call: Any) -> None:
    """Does with out= what torch does before the kernel of an element-wise operator, which is about
    to refuse the dtype: looks at its dtype, and gives it the shape of the result."""
    row = getattr(function, "row", None)
    prepares = row is not None and row.family in ("unary", "binary")
    said = out_of(name)
    if not (prepares or said.as_element_wise or said.overlap in _ELEMENT_WISE):
        return
    args, kwargs = call
    numbers = []  # those of an operator of one tensor say nothing of the dtype
    if row is None or row.family != "unary":
        numbers += [each for each in args if type(each) in (int, float, complex)]
        numbers += [kwargs[each] for each in ("other", "self") if each in kwargs]
    common = result_type(
        *[(dtypes.of(each._array), each._array.ndim) for each in given],
        *[each for each in numbers if type(each) in (int, float, complex)],
    )
    if row is None or (row.dtype != "bool" and not (row.dtype == "real" and common.is_complex)):
        check_out_dtype(name, common, out.dtype, given)
    fit(out, layout.broadcast(*[each._array.shape for each in given]))


def tensors_of(call: Any) -> list[Any]:
    """The tensors among the arguments of a call."""
    args, kwargs = call
    given = []
    for each in (*args, *kwargs.values()):
        flat = each if isinstance(each, (list, tuple)) else (each,)
        given += [t for t in flat if isinstance(t, TensorBase)]
    return given


def check_gradients(said: Out, error_name: str, outs: Any, given: list[Any]) -> bool:
    """Whether results that go into out= get a node, which cannot be differentiated.

    said: what is true of the operator's out=.
    error_name: the name in the error for gradients.

    RuntimeError with torch's text if autograd knows the operator, and something requires grad; if
    it does not, for leaves alone: others forget what they were.
    """
    known = not error_name.startswith("aten::")
    unseen = said.takes_grad
    if not known:
        if recording() and not unseen and any(map(holds_leaf, outs)):
            raise gradients_error(error_name)
        return recording() and any(map(requires_grad, (*given, *outs)))
    asked = outs if said.takes_history else (*given, *outs)
    if recording() and not unseen and any(map(requires_grad, asked)):
        raise gradients_error(error_name)
    return False


def check_out(name: str, out: Any) -> None:
    """TypeError with torch's text if `out` is no tensor."""
    if not isinstance(out, TensorBase):
        wanted = "tuple of Tensors" if name in RETURN_TYPES else "Tensor"
        raise TypeError(f"{name}(): argument 'out' must be {wanted}, not {type(out).__name__}")


def check_place(out: Any, result: Any) -> None:
    """RuntimeError with torch's text if one of them is on the CPU and the other on a device."""
    if out.device != result.device and "meta" not in (out.device.type, result.device.type):
        raise RuntimeError(of_two_devices("cuda:0", "cpu"))


def put(out: Any, result: Any, node: Any = None) -> None:
    """Copies `result`, whose history `node` is, into `out`, resized if need be."""
    x = result._array
    check_castable("", dtypes.of(x), out.dtype)
    if type(x) is not type(out._array):
        check_place(out, result)
    fit(out, x.shape, layout.strides_of(x))
    own = out._array
    own[...] = x if x.dtype == own.dtype else cast(x, own.dtype)
    note_write(out, node)


def with_dim(row: Row, call: Any) -> Any:
    """How results of a reduction get into out=: torch first makes it fit what has `dim` still."""
    args, kwargs = call
    bound = {**dict(zip([a.name for a in row.schema.arguments], args, strict=False)), **kwargs}
    rank, dim = bound["self"]._array.ndim, bound.get("dim", -1)
    fits_before: Any = out_of(row.name).with_dim

    def place(out: Any, result: Any, node: Any) -> None:
        own, wanted = list(out._array.shape), list(result._array.shape)
        if own != wanted and len(wanted) < rank:
            wanted.insert(dim % rank, 1)
            if fits_before(len(own), rank, dim % rank):
                own.insert(dim % rank, 1)
            if own != wanted and out._array.size:
                warn_of_resize(own, wanted)
            resize(out, result._array.shape)
        put(out, result, node)

    return place


def store(name: str, function: Callable[..., Any], self: Any, call: Any) -> Any:
    """The in-place variant of a general operator: its result, and its node, become those of `self`.

    RuntimeError with torch's texts for leaves, views that must not be written, dtypes and shapes.
    """
    args, kwargs = call
    levels = transforms.get()
    if levels:
        return levels[-1].call(name, None, None, (self, *args), kwargs)
    flat = [t for each in args for t in (each if isinstance(each, (list, tuple)) else [each])]
    given = [t for t in (*flat, *kwargs.values()) if isinstance(t, TensorBase)]
    recorded = recording() and any(
        map(requires_grad, (self, *weighed_of(name, function, call, given)))
    )
    result: Any = None
    refusal: Exception | None = None
    by_kernel = False
    # One made in inference mode must not be saved: it is the written one, which torch never saves.
    untracked = recorded and isinstance(self._cell, Untracked)
    source = laid_out(self._array) if untracked else self
    try:
        result = function(source, *args, **kwargs)
    except TypeError:
        raise
    except Exception as error:  # torch has checked more before it comes to this
        by_kernel = is_by_kernel(error)
        refusal = _cast_first(name, error, self, [*args, *kwargs.values()])
    said = in_place_of(name)
    plain = refusal is None and not recorded and said.given is None
    if plain and (not given or lies_apart(self, given)):
        if said.check is not None:
            said.check(*[each._array for each in given])
        if _stored_plainly(self, result):
            return self
    check_writable(self, recorded)
    if said.given is not None:
        said.given(self, *args)
    if said.fills:
        early = f"{name} only", f"{name}(): Expected dtype", "Inference tensors"
        if str(refusal).startswith(early):
            raise refusal  # type: ignore[misc]
    if recorded:
        check_histories(self, *given)
    if said.clamps and result is not None and not given:
        check_clamped(name, result.dtype, self.dtype)
    if said.fills:
        if said.check is not None:
            said.check(*[each._array for each in given])
        if overlaps_itself(self._array) and may_overlap(said, self):
            warn_of_expanded(name, said.fills)
    if said.itself_first:
        check_itself(self._array)
    if said.reads == NOTHING:
        if refusal is not None and str(refusal).startswith((*BEFORE_APART, *said.refused_first)):
            raise refusal
        for each in given:
            check_apart(self._array, each._array, each is self)
    elif said.reads == ITSELF:
        read = [t._array for t in given]
        for each in read:
            check_same_or_apart(self._array, each)
        if len(read) == 1 or not read[-1].ndim:
            layout.broadcast(self._array.shape, read[0].shape)  # torch names `self` first
    elif refusal is not None and str(refusal).startswith((*BEFORE_OVERLAP, *said.refused_first)):
        raise refusal
    elif not may_overlap(said, self):
        check_iterated(out_of(name.removesuffix("_")), self, given)
    if refusal is not None:
        if by_kernel and out_of(name.removesuffix("_")).overlap in _ELEMENT_WISE:
            shape = layout.broadcast(*[each._array.shape for each in (self, *given)])
            if shape != self._array.shape:
                raise shape_error(name, self._array.shape, shape)
        if said.reached is not None:
            said.reached(name, self, args, kwargs, refusal)
        raise refusal
    if said.reads == NOTHING_AFTER_SHAPES:
        for each in given:
            check_apart(self._array, each._array, each is self)
    if not may_overlap(said, self):
        check_itself(self._array)
    x = result._array
    reshaped = x.shape != self._array.shape
    if reshaped and not said.reshapes:
        raise shape_error(name, self._array.shape, x.shape)
    said.dtype(name, dtypes.of(x), self.dtype)
    chosen: Any = True
    if said.fills and not layout.is_dense(self.shape, self.stride()):
        chosen = self.new_zeros(x.shape, dtype=dtypes.bool)
        with GradMode(False):
            chosen = function(chosen, *args[:-1], True)._array
    elif said.triangle and not layout.is_dense(self.shape, self.stride()):
        with GradMode(False):
            chosen = ~function(self.new_ones(x.shape, dtype=dtypes.bool), *args, **kwargs)._array
    become_result(self, result, source, chosen)
    if result._tangents is not None:
        move_tangents(self, result)
    return self


_ELEMENT_WISE = (BY_ELEMENT, BY_ELEMENT_AFTER_DTYPE)


def is_by_kernel(error: Exception) -> bool:
    """Whether it is a kernel that refuses, to which torch comes after all checks."""
    unknown = isinstance(error, NotImplementedError) and " not implemented for '" in str(error)
    return unknown or str(error) == "ZeroDivisionError"


def _stored_plainly(self: Any, result: Any) -> bool:
    """Whether a result was written into `self` at once: its own dtype and shape, in a plain block,
    so that there is nothing to refuse. If not, nothing was written."""
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
    """What torch says instead of that no kernel knows a dtype, of a division by zero, or of bounds
    that are too large, where the result cannot be written into `self`: it looks at that first."""
    text, own = str(error), self.dtype
    # Bounds do not promote floating-point numbers, and a single one may not be complex at all.
    said = in_place_of(name)
    refused = ("value cannot be", *(said.refused_first if said.clamps == 2 else ()))
    promotes = said.clamps and own.kind < dtypes.Kind.FLOATING and text.startswith(refused)
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
    """Those of the tensors `given` in a call that have gradients: no masks, no indices."""
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

    source: what it was computed from in the place of `self`.  chosen: which elements are written.
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

    bound: the arguments by the names of the schema. `write` must refuse bad input before it writes.
    No formula of the row may ask for the value that is written over.
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
    """What `node` saved as its first input becomes a copy of the value before the write.

    The same tensor as another argument stays: a backward that reads it is told that it was written.
    """
    for name in {"self", "input"}.intersection(node.saved):
        slot = "saved_" + name
        saved = getattr(node, slot)
        held = saved[0] if type(saved) is tuple and len(saved) == 2 else saved
        if held is self:
            setattr(node, slot, self.clone())


def keep_written(node: Any, self: Any, result: Any) -> None:
    """What `node` saved of its output becomes the written tensor's memory and version."""
    for name in node.saved:
        slot = "saved_" + name
        saved = getattr(node, slot)
        if type(saved) is tuple and len(saved) == 4 and saved[1] is result._cell:
            setattr(node, slot, save_output(self, source_of(self, saved[3])))
