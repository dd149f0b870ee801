"""Results written into existing tensors: out= of general operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy

from minitorch.core.arrays import layout
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.missing import of_two_devices
from minitorch.core.base.fields import TensorBase, tensor, tensor_class
from minitorch.core.base.modes import GradMode, recording
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
from minitorch.core.declare.out import (
    BEFORE_ARGUMENTS,
    BEFORE_DTYPE,
    BEFORE_MEMORY,
    BY_ELEMENT,
    BY_ELEMENT_AFTER_DTYPE,
    NEVER,
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
    check_dtype,
    check_iterated,
    check_out_dtype,
    check_overlap,
    error_name_of,
    gradients_error,
    resizes_in_silence,
    resizes_twice,
    said_error_name,
    unbroadcast,
)
from minitorch.core.declare.wording.return_types import RETURN_TYPES, written_type
from minitorch.core.graph.forward import LEVELS, level_of
from minitorch.core.graph.node import NotImplementedNode
from minitorch.core.graph.views import (
    holds_leaf,
    note_write,
    requires_grad,
)
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import result_type
from minitorch.core.numbers.scalars import as_number, is_number

ELEMENT_WISE = (BY_ELEMENT, BY_ELEMENT_AFTER_DTYPE)


def into(row: Row, out: Any, call: Any) -> Any:
    """Calls a row's function and puts its results into `out`, a tensor or a tuple of them."""
    if (
        isinstance(out, (tuple, list))
        and len(row.schema.outputs) == 1
        and not row.schema.returns_list
    ):
        raise TypeError("out is a list")  # the parser raises a better error
    if row.schema.returns_list and isinstance(out, TensorBase):
        raise TypeError(f"{row.name}(): argument 'out' must be tuple of Tensors, not Tensor")
    error_name = f"aten::{row.name}" if row.node == "NotImplemented" else ""
    place = with_dim(row, call) if out_of(row.name).with_dim is not None else None
    delivered = deliver(row.name, function_of_row(row), out, call, error_name, place)
    warn_of_casts(row, out, call[0])
    return None if row.schema.returns.endswith("[]") else delivered


def error_name_of_row(row: Row) -> str:
    """The name in a row's error for an out= that should be differentiated."""
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

    error_name: the name in the error for gradients, if its declaration has none.
    place: the function that writes a result into its tensor, if not `put`.
    said: the Out of this call, if not the one that is declared under the name.

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
    task = Delivery(name, function, said, out, outs, call, tensors_of(call))
    error_name = error_name or said_error_name(said, name)
    wanted = _check_before(task, error_name)
    if results is refusal is None:
        with GradMode(False):
            try:
                results = function(*args, **kwargs)
            except Exception as error:
                refusal = error
    if len(outs) == 1 and (refusal is None or not said_before_memory(said, str(refusal))):
        check_iterated(said, outs[0], task.given)
    if refusal is None or is_by_kernel(refusal):
        check_read_and_written(said, outs, task.given, results)
    if refusal is not None:
        _refuse(task, refusal)
    found = results if isinstance(results, tuple) else (results,)
    check_outs(f"{name}(): ", out, len(found), said.list_name)
    if said.resize == NEVER:
        with GradMode(False):
            for each, result in zip(outs, found, strict=True):
                each.copy_(result)
        return out
    for each, result in _checked_pairs(task, found):
        _make_fit(task, each, result)
        node = NotImplementedNode(error_name, [*task.given, each], result) if wanted else None
        (place or put)(each, result, node)
    if not isinstance(results, tuple):
        return out
    return written_type(type(results))(outs)


class Delivery(NamedTuple):
    """A call with out=.

    function: the operator that makes new tensors.
    said: its Out.
    outs: the tensors of `out`, which is one or a sequence of them.
    call: (args, kwargs), without `out`.
    given: the tensors in `call`.
    """

    name: str
    function: Callable[..., Any]
    said: Out
    out: Any
    outs: Any
    call: Any
    given: list[Any]


def _check_before(task: Delivery, error_name: str) -> bool:
    """Does torch's checks before an operator runs. Returns whether a gradient is wanted."""
    name, function, said, out, outs, call, given = task
    args, kwargs = call
    for each in outs:
        if not isinstance(each, TensorBase) and hasattr(function, "signatures"):
            function(*args, **kwargs, out=out)  # its error lists the signatures
        check_out(name, each)
    fields = getattr(RETURN_TYPES.get(name), "n_fields", len(outs))
    if isinstance(out, (tuple, list)) and fields != len(outs):
        raise TypeError(f"expected tuple of {fields} elements but got {len(outs)}")
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
    return wanted


def _refuse(task: Delivery, refusal: Exception) -> NoReturn:
    """Raises the operator's own error, after all checks and writes that torch does before it."""
    name, function, said, _, outs, call, given = task
    args, kwargs = call
    if str(refusal).startswith(f"Could not run 'aten::{name}' with arguments from the 'CPU'"):
        raise no_kernel(f"{name}.out")
    # A kernel of this name checks the dtype before out= is resized.
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


def _checked_pairs(task: Delivery, found: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Each tensor of out= with its result, in the order of writing.

    RuntimeError if a dtype does not fit, or if a tensor shares memory with an input.
    """
    said, outs, given = task.said, task.outs, task.given
    pairs = list(zip(outs, found, strict=True))
    for i in said.order or range(len(pairs)):
        each, result = pairs[i]
        if said.shaped == BEFORE_DTYPE:
            fit(each, result._array.shape)
        check_dtype(said, task.name, dtypes.of(result._array), each.dtype, given, i)
    if said.order:
        pairs = [pairs[i] for i in said.order]
    if said.reversed:
        pairs.reverse()
    if len(outs) == 1:
        if said.shaped == BEFORE_MEMORY:
            looked_at = said.looked_at or list
            x = found[0]._array
            fit_apart(outs[0], x.shape, looked_at(given), layout.strides_of(x))
        check_overlap(said, outs[0], given)
    return pairs


def _make_fit(task: Delivery, each: Any, result: Any) -> None:
    """Gives a tensor of out= the shape of its result, and the strides if torch does so."""
    said = task.said
    misfits = each._array.shape != result._array.shape
    if misfits and resizes_in_silence(said, task.given):
        resize(each, result._array.shape)
    if said.strides and (each._array.size or said.strides == ROWS):
        fit(each, result._array.shape)
    elif said.strides and (
        said.strides != ROWS_OR_KEPT or each._array.shape != result._array.shape
    ):
        resize(each, result._array.shape, layout.strides_of(result._array))
    elif misfits and resizes_twice(said, task.call[0], result.dtype, each.dtype):
        warn_of_misfit(each, result._array.shape)


def lies_apart(self: Any, given: list[Any]) -> bool:
    """Whether a tensor and others are plain, without a history, and share no memory with it. This
    takes a third of the time of the check for any tensors."""
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
    """Writes a result into `out` if `out` has its dtype and shape and shares no memory with the
    arguments, so that no check can fail.

    Returns:
        (result, refusal, done): the function's result or error, if it was called, and whether the
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
    """Raises torch's RuntimeError if the result of an element-wise operator has another shape than
    out=, and out= is one of the inputs, which is then not resized.

    Args:
        result: None if a kernel refused to compute it; its shape then follows from the inputs.
    """
    if len(outs) != 1 or said.overlap not in ELEMENT_WISE:
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
    """Raises the errors of a composite function for its arguments: they come before the check of
    gradients in the function that writes into out=."""
    with GradMode(False):
        try:
            function(*call[0], **call[1])
        except Exception as error:
            if not is_by_kernel(error):
                raise


def written_of(function: Any, outs: Any) -> Any:
    """The tensors of out= through which gradients could flow."""
    row = getattr(function, "row", None)
    if row is None or row.differentiable is None or len(outs) != len(row.differentiable):
        return outs
    return [outs[i] for i in row.differentiable_outputs]


def differentiated(function: Any, call: Any, given: list[Any]) -> list[Any]:
    """The tensors among `given` by which the operator may have a derivative."""
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
    """Prepares out= as torch does before the kernel of an element-wise operator raises for the
    dtype: checks the dtype of out=, and gives it the shape of the result."""
    row = getattr(function, "row", None)
    prepares = row is not None and row.family in ("unary", "binary")
    said = out_of(name)
    if not (prepares or said.as_element_wise or said.overlap in ELEMENT_WISE):
        return
    args, kwargs = call
    numbers = []  # with one tensor, numbers do not affect the dtype
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
    for each in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(each, TensorBase):
            given.append(each)
        elif isinstance(each, (list, tuple)):
            given += [t for t in each if isinstance(t, TensorBase)]
    return given


def check_gradients(said: Out, error_name: str, outs: Any, given: list[Any]) -> bool:
    """Whether results that go into out= get a node, which cannot be differentiated.

    said: the operator's Out.
    error_name: the name in the error for gradients.

    RuntimeError with torch's text if autograd supports the operator, and something requires grad.
    If it does not, RuntimeError only for leaves: other tensors lose their history.
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
    """Raises torch's TypeError if `out` is not a tensor."""
    if not isinstance(out, TensorBase):
        wanted = "tuple of Tensors" if name in RETURN_TYPES else "Tensor"
        raise TypeError(f"{name}(): argument 'out' must be {wanted}, not {type(out).__name__}")


def check_place(out: Any, result: Any) -> None:
    """Raises torch's RuntimeError if one of them is on the CPU and the other on a device."""
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
    """A function that writes a reduction's result into out=, after out= was resized, as in torch,
    to the result with `dim`."""
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


def is_by_kernel(error: Exception) -> bool:
    """Whether an error is a kernel's, which torch raises after all checks."""
    unknown = isinstance(error, NotImplementedError) and " not implemented for '" in str(error)
    return unknown or str(error) == "ZeroDivisionError"
