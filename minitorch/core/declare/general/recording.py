"""Recording a call in general: making the node of a row from its arguments by name.

The assembled functions contain this code themselves; the functions here serve the rarer ways.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy

from minitorch.core.arrays import DEVICE_ARRAYS, namespace
from minitorch.core.arrays.missing import of_two_devices
from minitorch.core.base.fields import NOWHERE, TensorBase
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, recording
from minitorch.core.declare.codegen.assemble import node_class
from minitorch.core.declare.row import EMPTY, SCALARS, Row, derived
from minitorch.core.declare.wording.errors import constant_argument, raise_no_memory
from minitorch.core.graph.node import idle_class, mixed_class, next_order, save_input, save_output
from minitorch.core.graph.on_device import device_class
from minitorch.core.graph.views import geometry_of, input_edge, recorded_edge, requires_grad
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.float8 import is_complex_half
from minitorch.core.tensor.conversion import entry_of
from minitorch.core.tensor.tensor import Tensor


def options_of(x: Any) -> tuple[Any, Any]:
    """dtype and device of an array."""
    xp = namespace(x)
    return dtypes.of(x), devices.located(xp.device_type, xp.device_index)


# The functions behind the expressions of core/declare/row.py.
DERIVING: dict[str, Callable[[Any], Any]] = {
    "_sym_sizes": lambda x: x.shape,
    "_sym_sizes_opt": lambda x: (0,) if x is None else x.shape,
    "_sym_strides": lambda x: (x.strides, x.itemsize),
    "_sym_numel": lambda x: x.size,
    "_geometry": geometry_of,
    "_options": options_of,
    "_info": lambda x: x.shape,
    "_args_sizes": lambda arrays: [x.shape for x in arrays],
    "_sym_argsize_0": lambda x: x.shape[0],
    "_sym_argsize_1": lambda x: x.shape[1],
    "_sym_argsize_2": lambda x: x.shape[2],
    "_sym_argsize_minus_1": lambda x: x.shape[-1],
    "_sym_argsize_minus_2": lambda x: x.shape[-2],
    "_sym_argsize_minus_3": lambda x: x.shape[-3],
    "_dim": lambda x: x.ndim,
    "_self_sym_blocksize_opt": lambda x: getattr(x, "blocksize", None),
    "_layout": lambda x: getattr(x, "layout", None),
}


def are_plain(*tensors: Any) -> bool:
    """Whether tensors are rows of NumPy's, nothing watches calls on them, and none is recorded: a
    function that is made of many operators may compute their arrays at once."""
    if ASSEMBLED_GLOBALS["WATCHED"] or not all([type(each) is Tensor for each in tensors]):
        return False
    arrays = [each._view is None and type(each._array) is numpy.ndarray for each in tensors]
    return all(arrays) and (not recording() or all([each._edge is None for each in tensors]))


def wants_grad(row: Row, operands: Any) -> bool:
    """Whether a call on `operands` is to be recorded; does not bring their edges up to date."""
    if row.node is None or not recording():
        return False
    for each, leads in zip(operands, row.leads, strict=True):
        if leads and isinstance(each, TensorBase) and requires_grad(each):
            return True
    return False


def check_histories(*operands: Any) -> None:
    """Brings the edges of operands up to date if calls are recorded; torch does so before all other
    checks."""
    for each in operands:
        if isinstance(each, TensorBase):
            if each._view is not None:
                input_edge(each)
        elif isinstance(each, (list, tuple)):
            check_histories(*each)


def check_inputs(row: Row, operands: Any) -> None:
    """Raises torch's errors for the inputs of a failed call, which torch checks before it computes:
    unusable views, tensors that must not be saved, and tensors on another device."""
    if isinstance(sys.exception(), MemoryError):
        raise_no_memory(sys.exception())
    kept_inputs(row, operands)
    if row.kernel and _is_of_the_kernel(sys.exception()):
        first = operands[0]
        x = cast(Any, first[0] if isinstance(first, (list, tuple)) else first)._array
        check_dtype(row, x, x)
    if isinstance(sys.exception(), (KeyError, TypeError)):
        check_devices(row, operands)
    if _is_of_arrays(sys.exception()):
        given = [t for each in operands for t in (each if isinstance(each, list) else [each])]
        for each in given:
            if isinstance(each, TensorBase) and each._array.dtype.names:
                if is_complex_half(each._array.dtype):
                    raise NotImplementedError(f"torch.{row.name} of torch.complex32")
                raise dtypes.unknown_to(row.kernel_name or row.name, each._array)


def _is_of_arrays(error: Any) -> bool:
    """Whether an error says that NumPy or CuPy does not compute with numbers that it keeps as
    structures. CuPy makes a kernel for them, which does not compile."""
    if isinstance(error, (KeyError, TypeError)) or type(error).__name__ == "CompileException":
        return True
    return isinstance(error, (ValueError, NotImplementedError)) and str(error).startswith(
        ("data type must provide an itemsize", "Unsupported dtype", "Sorting arrays with dtype")
    )


def _is_of_the_kernel(error: Any) -> bool:
    """Whether a forward failed where torch's kernel would run, which checks dtypes first. These are
    NumPy's errors, and the errors of a kernel that reads tensors of several dtypes as one."""
    words = str(error)
    return (
        not isinstance(error, (RuntimeError, IndexError))
        or (isinstance(error, NotImplementedError) and words.startswith("torch."))
        or words.startswith(("expected scalar type", "value cannot be converted to type"))
    )


def check_dtype(row: Row, x: Any, result: Any) -> None:
    """Raises torch's NotImplementedError unless the kernel of a row knows the dtype of an array, or
    is not called for such a result. On the device meta there are no kernels."""
    empty = not (x.size and result.size)
    if (empty and EMPTY in row.spares) or (not x.ndim and SCALARS in row.spares):
        return
    if dtypes.of(x) not in row.knows and namespace(x).device_type != "meta":
        raise dtypes.unknown_to(row.kernel_name, x)


def check_devices(row: Row, operands: Any) -> None:
    """Raises RuntimeError for inputs on the CPU and on a CUDA device in a call that failed.

    As c10::impl::check_and_update_common_device, and TensorIterator if the call has one.
    """
    first: Any = None
    for argument, operand in zip(row.schema.tensors, operands, strict=True):
        for each in operand if isinstance(operand, (list, tuple)) else [operand]:
            if not isinstance(each, TensorBase):
                continue
            place = cast(Any, each).device
            first = first or place
            if place == first or "meta" in (place.type, first.type):
                continue
            if row.elementwise:
                raise RuntimeError(of_two_devices("cuda:0", "cpu"))
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but got {argument.name} is on "
                f"{place}, different from other tensors on {first} (when checking argument in "
                f"method wrapper_CUDA_{row.name})"
            )


def kept_inputs(row: Row, operands: Any) -> list[Any]:
    """The inputs that a call saves before it computes, in saved form, with checked histories."""
    check_histories(*operands)
    given = dict(zip([a.name for a in row.schema.tensors], operands, strict=True))
    edges = [leads(given[name]) or None for name in row.inputs]
    if not (recording() and any(edges)):
        return []
    for name in row.saved:  # a size that a tensor does not have
        part = derived(row, name)
        if part is not None and part[0] in given and "_sym_argsize_" in part[1]:
            which = part[1].rpartition("_sym_argsize_")[2].replace("minus_", "-")
            entry_of(given[part[0]]._array.shape, int(which))
    return [saved_value(row, name, given, edges, None) for name in row.saved if name in given]


def leads(self: Any) -> bool:
    """Whether a tensor, or one of a list, requires grad."""
    if isinstance(self, (list, tuple)):
        return any(map(leads, self))
    return isinstance(self, TensorBase) and requires_grad(self)


def refuse_complex(row: Row) -> None:
    """Raises RuntimeError for a complex result that requires grad but has no derivative.

    As throw_error_for_complex_autograd of torch/csrc/autograd/VariableTypeUtils.h.
    """
    raise RuntimeError(
        f"{row.name} does not support automatic differentiation for outputs with complex dtype."
    )


def refuse_integers(x: Any) -> None:
    """Raises RuntimeError for an array of integers that is to get a history."""
    raise RuntimeError(f"Autograd not support dtype: {dtypes.of(x).scalar_name}")


def record(
    row: Row,
    bound: dict[str, Any],
    result: Any,
    mixed: bool = False,
    edges_of: Any = None,
    written: bool = False,
) -> Any:
    """The node of one call, made the history of `result`.

    bound: the arguments by the names of the schema; those that the formulas need are saved.
    mixed: operands' dtypes differ, so the formulas must run on Tensors, whose promotion is torch's.
    edges_of: the tensors whose edges the node gets, if not those in `bound`.
    written: `result` is the first operand, written in place; its history is set by the caller.
    """
    kind = mixed_class(node_class(row)) if mixed else node_class(row)
    if not mixed and type(result._array) in DEVICE_ARRAYS:
        kind = device_class(kind)
    sources = dict(zip(row.operands, edges_of, strict=True)) if edges_of is not None else bound
    computes = row.node != "NotImplemented"  # else its formulas raise, whatever its edges are
    taken: list[Any] = []
    idle = computes
    for name in row.inputs:
        x = sources[name]
        edge = recorded_edge(x) if isinstance(x, TensorBase) else None
        if edge is NOWHERE and computes:  # no gradient is computed for NOWHERE
            edge = None
        if edge is not None:
            idle = False
        taken.append(edge)
    edges = tuple(taken)
    if idle:
        kind = idle_class(kind)
    node = kind()
    node.edges = edges
    node.order = next_order()
    node.shape, node.dtype = result._array.shape, result._array.dtype
    if not written:
        result._edge = node
    for name in row.saved:
        setattr(node, row.savings[name].slot, saved_value(row, name, bound, edges, result))
    return node


def record_outputs(row: Row, bound: dict[str, Any], outputs: list[Any]) -> None:
    """Makes the node of one call, if it is to be recorded, the history of its outputs.

    outputs: all outputs, None for an absent one.
    """
    if row.node is None or not recording():
        return
    for name in row.constants:
        if bound[name] is not None and bound[name]._edge is not None:
            raise constant_argument(row.name, name)
    edges = _input_edges(row, bound)
    several = row.schema.returns_list or len(row.differentiable_outputs) > 1
    chosen = range(len(outputs)) if row.schema.returns_list else row.differentiable_outputs
    known = [outputs[i] for i in chosen if outputs[i] is not None]
    if not any([e is not None for e in edges]) or known[0]._array.dtype.kind in "iub":
        return
    tensors = [x for x in bound.values() if isinstance(x, TensorBase)]
    kind = node_class(row)
    node: Any = (mixed_class(kind) if len({dtypes.of(x._array) for x in tensors}) > 1 else kind)()
    node.edges, node.order = tuple(edges), next_order()
    forms = [getattr(outputs[i], "_array", None) for i in chosen]
    shapes = tuple([getattr(x, "shape", None) for x in forms])
    kinds = tuple([getattr(x, "dtype", None) for x in forms])
    node.shape, node.dtype = (shapes, kinds) if several else (shapes[0], kinds[0])
    if row.schema.returns_list:
        node.outputs = len(outputs)
    for number, i in enumerate(chosen):
        if outputs[i] is not None:
            outputs[i]._edge = (node, number) if several else node
    _save_values(row, node, bound, outputs, chosen)


def _input_edges(row: Row, bound: dict[str, Any]) -> list[Any]:
    """The edges of a row's inputs: one for each tensor, also in a list."""
    edges: list[Any] = []
    for name in row.inputs:
        listed = isinstance(bound[name], (list, tuple))
        given = [x for x in (bound[name] if listed else [bound[name]]) if isinstance(x, TensorBase)]
        edges += [recorded_edge(x) for x in given] if listed or given else [None]
    return edges


def _save_values(
    row: Row, node: Any, bound: dict[str, Any], outputs: list[Any], chosen: Sequence[int]
) -> None:
    """Gives a node the values that its formulas read.

    chosen: the places of the outputs that have gradients.
    """
    places = {n: i for i, n in enumerate(row.schema.outputs)}
    sources = bound | {name: outputs[i] for name, i in places.items()}  # of derived values
    for name in row.saved:
        if name not in places:
            saved = saved_value(row, name, sources, node.edges, None)
        else:
            i = places[name]
            saved = save_output(outputs[i], list(chosen).index(i) if i in chosen else None)
        setattr(node, f"saved_{name}", saved)


def saved_value(row: Row, name: str, bound: dict[str, Any], edges: Any, result: Any) -> Any:
    """The value that the node saves under `name`."""
    saving = row.savings[name]
    if saving.of_output:
        return save_output(result)
    part = saving.part
    if part is not None:
        given = bound[part[0]]
        listed = isinstance(given, (list, tuple))
        x = [each._array for each in given] if listed else getattr(given, "_array", None)
        return DERIVING[part[1]](x)
    value = bound[name]
    if not saving.is_tensor and not isinstance(value, TensorBase):
        return value
    if isinstance(value, (list, tuple)):
        return [save_input(each) for each in value]
    if saving.always:
        return save_input(value)
    for i in saving.kept_for:
        if edges[i] is not None and edges[i] is not NOWHERE:
            return save_input(value)
    return None
