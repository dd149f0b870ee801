"""Nodes of tensors on a device, whose arrays have operators that lay out results row by row.

NumPy's operators keep the order of axes of their operands, as torch's do, and formulas rely on it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from minitorch.core.arrays.layout import lies_by_rows
from minitorch.core.arrays.scalars import NUMBERS_ON_DEVICE
from minitorch.core.base.fields import edge_on_device
from minitorch.core.graph.node import apply_mixed, apply_on_tensors


@cache
def device_class(kind: Any) -> Any:
    """The node class `kind` for tensors on a device, where operators lay out results row by row:
    its formulas run on Tensors if a gradient or a saved array has another order.

    A single formula for all inputs is a kernel, which chooses the strides of its results itself.
    """
    run = kind.apply
    run_on_tensors = apply_mixed if kind.elementwise else apply_on_tensors

    names = [f"saved_{name}" for name in kind.tensors]
    slots = [name for name in kind.__slots__ if name in names or name.endswith("_sym_strides")]

    values: dict[str, Any] = {"numbers": NUMBERS_ON_DEVICE}

    def apply(node: Any, grad: Any, retain: bool) -> Any:
        by_rows = all([_lies_by_rows(getattr(node, name)) for name in slots])
        if by_rows and all([_lies_by_rows(x) for x in (grad if type(grad) is list else [grad])]):
            return run(node, grad, retain)
        return run_on_tensors(node, grad, retain)

    if kind.elementwise or not any([name.endswith("_d_inputs") for name in run.__code__.co_names]):
        values["apply"] = apply
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": "builtins", **values})


def _lies_by_rows(value: Any) -> bool:
    """Whether a gradient, or a saved value of a node, is or was an array in row-major order."""
    if type(value) is tuple and value:  # a tensor with its version, an output, or strides
        value = value[0]
        if type(value) is tuple:
            return lies_by_rows((2,) * len(value), value)
    value = getattr(value, "_array", value)
    return not hasattr(value, "strides") or lies_by_rows(value.shape, value.strides)


def _come_to_device(edge: Any) -> None:
    """Gives the node of an edge the class of a device, if a row made it and it has none yet."""
    node = edge[0] if type(edge) is tuple else edge
    kind: Any = type(node)
    there = _class_there(kind)
    if there is not None:
        node.__class__ = there


@cache
def _class_there(kind: Any) -> Any:
    """The class on a device for a class that the assembler wrote; None for other classes."""
    code = getattr(vars(kind).get("apply"), "__code__", None)
    written = code is not None and code.co_filename.startswith("<minitorch ")
    return device_class(kind) if written else None


edge_on_device.append(_come_to_device)
