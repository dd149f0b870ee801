"""Looks at all the variables of a piece of code at once: what a person would print of each."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from conformance.oracle import record


def look(torch: ModuleType, variables: dict[str, Any]) -> dict[str, Any]:
    """Returns the outcome of the variables: property -> variable -> plain data."""
    tensors, others = _sorted_out(torch, variables)
    outcome: dict[str, Any] = {"value": others | _each(tensors, record.values)}
    if tensors:
        everything = list(tensors.values())
        outcome["dtype"] = _each(tensors, record.short_dtype)
        outcome["shape"] = _each(tensors, lambda tensor: tuple(tensor.shape))
        outcome["stride"] = _each(tensors, record.strides)
        outcome["view"] = _each(tensors, lambda t: _view(t, tensors))
        outcome["requires_grad"] = _each(tensors, _autograd_state)
        outcome["node"] = _each(tensors, record.node)
        outcome["graph"] = record.attempt(lambda: record.graph(everything, everything))
        outcome["saved"] = record.attempt(lambda: record.saved(torch, everything))
        outcome["grad"] = _each(tensors, lambda tensor: record.full(_grad(tensor)))
    return outcome


def _sorted_out(torch: ModuleType, variables: dict[str, Any]) -> tuple[dict, dict]:
    """Returns the tensors by name, those in lists and dicts too, and the rest as plain data."""
    tensors: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in variables.items():
        if isinstance(value, (ModuleType, FunctionType, type)) or name.startswith("_"):
            continue
        found, structure = record.flatten(torch, value)
        for number, tensor in enumerate(found):
            tensors[name if structure == "tensor" else f"{name}.{number}"] = tensor
        others[name] = structure
    return tensors, others


def _each(tensors: dict[str, Any], see: Callable) -> dict[str, Any]:
    return {name: record.attempt(lambda t=t: see(t)) for name, t in tensors.items()}


def _name(tensor: Any, tensors: dict[str, Any]) -> str | None:
    """Returns under which name a tensor is known, if it is known."""
    if tensor is None:
        return None
    known = (name for name, other in tensors.items() if other is tensor)
    return next(known, "a tensor of its own")


def _view(tensor: Any, tensors: dict[str, Any]) -> dict:
    key = record.storage_key(tensor)
    return {
        "is": _name(tensor, tensors),
        "base": _name(tensor._base, tensors),
        "shares memory with": [
            name
            for name, other in tensors.items()
            if key and other is not tensor and record.storage_key(other) == key
        ],
        "storage_offset": tensor.storage_offset() if key else 0,
        "version": tensor._version,
    }


def _autograd_state(tensor: Any) -> dict:
    return {**record.autograd_state(tensor), "retains_grad": tensor.retains_grad}


def _grad(tensor: Any) -> Any:
    """Returns `.grad` where torch gives it without a warning."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
