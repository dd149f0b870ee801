"""Looks at all the variables of a piece of code at once: what a person would print of each."""

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from conformance.oracle import record

NOT_LOOKED_AT = (ModuleType, FunctionType, BuiltinFunctionType, type)


def look(torch: ModuleType, variables: dict[str, Any]) -> dict[str, Any]:
    """Returns the outcome of the variables: property -> variable -> plain data."""
    tensors, others = _sorted_out(torch, variables)
    outcome: dict[str, Any] = {"value": others}
    if tensors:
        everything = list(tensors.values())
        seen = state(tensors)
        outcome = {**seen, "value": others | seen["value"]}
        parts = _parameters(torch, variables)
        outcome["grad"] = seen["grad"] | _each(parts, lambda part: record.full(part.grad))
        known = [*everything, *parts.values()]
        outcome["graph"] = record.attempt(lambda: record.graph(everything, known))
        outcome["saved"] = record.attempt(lambda: record.saved(torch, everything))
    return outcome


def state(tensors: dict[str, Any]) -> dict[str, Any]:
    """Returns what the tensors themselves show, without their graph: property -> name -> data."""
    homes: dict[Any, list[str]] = {}  # where memory begins -> who lies there
    for name, tensor in tensors.items():
        homes.setdefault(_home(tensor) or name, []).append(name)
    neighbours = {name: names for names in homes.values() for name in names}
    names = {id(tensor): name for name, tensor in reversed(tensors.items())}
    return {
        "value": _each(tensors, record.values),
        "dtype": _each(tensors, record.short_dtype),
        "shape": _each(tensors, lambda tensor: tuple(tensor.shape)),
        "stride": _each(tensors, record.strides),
        "view": {name: _view(name, t, names, neighbours[name]) for name, t in tensors.items()},
        "requires_grad": _each(tensors, _autograd_state),
        "node": _each(tensors, record.node),
        "grad": _each(tensors, lambda tensor: record.full(_grad(tensor))),
    }


def _sorted_out(torch: ModuleType, variables: dict[str, Any]) -> tuple[dict, dict]:
    """Returns the tensors by name, those in lists and dicts too, and the rest as plain data."""
    tensors: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in variables.items():
        if isinstance(value, NOT_LOOKED_AT) or name.startswith("_"):
            continue
        if isinstance(value, torch.nn.Module):
            others[name] = type(value).__name__
            continue
        found, structure = record.flatten(torch, value)
        for number, tensor in enumerate(found):
            tensors[name if structure == "tensor" else f"{name}.{number}"] = tensor
        others[name] = structure
    return tensors, others


def _parameters(torch: ModuleType, variables: dict[str, Any]) -> dict[str, Any]:
    """Returns the parameters of all modules by name."""
    modules = {n: value for n, value in variables.items() if isinstance(value, torch.nn.Module)}
    return {
        f"{name}.{part}": parameter
        for name, module in modules.items()
        for part, parameter in module.named_parameters()
    }


def _each(tensors: dict[str, Any], see: Callable) -> dict[str, Any]:
    return {name: record.attempt(lambda t=t: see(t)) for name, t in tensors.items()}


def _home(tensor: Any) -> int:
    """Returns the address of a tensor's memory; 0 for torch's zeros without memory."""
    try:
        return record.storage_key(tensor)
    except RuntimeError:
        return 0


def _view(name: str, tensor: Any, names: dict[int, str], neighbours: list[str]) -> dict:
    base = tensor._base
    return {
        "is": names[id(tensor)],
        "base": None if base is None else names.get(id(base), "a tensor of its own"),
        "shares memory with": [other for other in neighbours if other != name],
        "storage_offset": tensor.storage_offset(),
        "version": record.attempt(lambda: tensor._version),
    }


def _autograd_state(tensor: Any) -> dict:
    return {**record.autograd_state(tensor), "retains_grad": tensor.retains_grad}


def _grad(tensor: Any) -> Any:
    """Returns `.grad` where torch gives it without a warning."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
