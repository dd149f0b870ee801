"""Structures of trees as JSON, and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import Any, NamedTuple

from minitorch.utils._pytree_nodes import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    SUPPORTED_SERIALIZED_TYPES,
)
from minitorch.utils._pytree_spec import TreeSpec, treespec_leaf

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


class EnumEncoder(json.JSONEncoder):
    """Writes members of enumerations by class and name."""

    def default(self, o: object) -> Any:
        """The JSON form of an object that JSON does not know."""
        if isinstance(o, Enum):
            path = f"{type(o).__module__}:{type(o).__qualname__}"
            return {"__enum__": True, "fqn": path, "name": o.name}
        return super().default(o)


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """The member of an enumeration that `EnumEncoder` wrote; other dictionaries as they are."""
    if "__enum__" not in obj:
        return obj
    module, _, path = obj["fqn"].partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found[obj["name"]]


@dataclasses.dataclass
class _TreeSpecSchema:
    """A structure as JSON has it: all None for a leaf."""

    type: str | None
    context: Any
    children_spec: list[_TreeSpecSchema]


class _ProtocolFn(NamedTuple):
    treespec_to_json: Callable[[Any], Any]
    json_to_treespec: Callable[[Any], Any]


def _treespec_to_json(treespec: Any) -> _TreeSpecSchema:
    if treespec.is_leaf():
        return _TreeSpecSchema(None, None, [])
    if treespec.type not in SUPPORTED_SERIALIZED_TYPES:
        raise NotImplementedError(f"Serializing {treespec.type} in pytree is not registered.")
    how = SUPPORTED_SERIALIZED_TYPES[treespec.type]
    if how.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {treespec.type} found. Please update your "
            "_register_pytree_node call with a `serialized_type_name` kwarg."
        )
    if how.to_dumpable_context is not None:
        context = how.to_dumpable_context(treespec.context)
    else:
        try:
            context = json.dumps(treespec.context, cls=EnumEncoder)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register "
                "a custom serializer using _register_pytree_node."
            ) from error
    children = [_treespec_to_json(child) for child in treespec.children()]
    return _TreeSpecSchema(how.serialized_type_name, context, children)


def _json_to_treespec(json_schema: Any) -> Any:
    name, context = json_schema["type"], json_schema["context"]
    if name is None and context is None and not json_schema["children_spec"]:
        return treespec_leaf()
    if name not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(f"Deserializing {name} in pytree is not registered.")
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE[name]
    how = SUPPORTED_SERIALIZED_TYPES[kind]
    if how.from_dumpable_context is not None:
        context = how.from_dumpable_context(context)
    else:
        try:
            context = json.loads(context, object_hook=enum_object_hook)
        except TypeError as error:
            raise TypeError(
                "Unable to deserialize context. Please make the context json load-able, or "
                "register a custom serializer using _register_pytree_node."
            ) from error
    children = [_json_to_treespec(each) for each in json_schema["children_spec"]]
    return TreeSpec(kind, context, children)


_SUPPORTED_PROTOCOLS = {1: _ProtocolFn(_treespec_to_json, _json_to_treespec)}


def _protocol(number: int) -> _ProtocolFn:
    if number not in _SUPPORTED_PROTOCOLS:
        raise ValueError(
            f"Unknown protocol {number}. Available protocols: {list(_SUPPORTED_PROTOCOLS)}"
        )
    return _SUPPORTED_PROTOCOLS[number]


def treespec_dumps(treespec: Any, protocol: int | None = None) -> str:
    """A structure as JSON."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "Expected `treespec` to be an instance of "
            f"PyTreeSpec but got item of type {type(treespec)}."
        )
    number = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL if protocol is None else protocol
    schema = _protocol(number).treespec_to_json(treespec)
    return json.dumps((number, dataclasses.asdict(schema)), cls=EnumEncoder)


def treespec_loads(serialized: str) -> Any:
    """The structure that `treespec_dumps` wrote."""
    number, schema = json.loads(serialized)
    return _protocol(number).json_to_treespec(schema)
