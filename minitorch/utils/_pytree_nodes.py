"""The classes that are containers in a tree, and how each is taken apart and made anew."""

from __future__ import annotations

import dataclasses
import threading
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

from minitorch.core.declare.wording.return_types import ReturnType
from minitorch.core.numbers.size import Size

NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"

Context = Any
Flatten = Callable[[Any], tuple[list[Any], Context]]
Unflatten = Callable[[Iterable[Any], Context], Any]
FlattenWithKeys = Callable[[Any], tuple[list[tuple[Any, Any]], Context]]


class NodeDef(NamedTuple):
    """The functions that take a class of containers apart and put it together."""

    type: type[Any]
    flatten_fn: Flatten
    unflatten_fn: Unflatten
    flatten_with_keys_fn: FlattenWithKeys | None


class _SerializeNodeDef(NamedTuple):
    """The name of a class of containers in JSON, and the functions for its context there."""

    typ: type[Any]
    serialized_type_name: str
    to_dumpable_context: Callable[[Context], Any] | None
    from_dumpable_context: Callable[[Any], Context] | None


SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[Any, _SerializeNodeDef] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[type] = set()
_registering = threading.RLock()


# ---- keys: one step from a container to a child


@dataclasses.dataclass(frozen=True, slots=True)
class SequenceKey:
    """The child at an index."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The child of `sequence` at this index."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True, slots=True)
class MappingKey:
    """The child under a key."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The child of `mapping` under this key."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True, slots=True)
class GetAttrKey:
    """The child that is an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The child of `obj` in this attribute."""
        return getattr(obj, self.name)


@dataclasses.dataclass(frozen=True, slots=True)
class ConstantNode:
    """The context of a container without children: the container itself."""

    value: Any


# ---- registration


def register_pytree_node(
    cls: type[Any],
    flatten_fn: Flatten,
    unflatten_fn: Unflatten,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Context], Any] | None = None,
    from_dumpable_context: Callable[[Any], Context] | None = None,
    flatten_with_keys_fn: FlattenWithKeys | None = None,
) -> None:
    """Makes the instances of a class containers in all trees.

    Args:
        cls: the class; instances of its subclasses stay leaves.
        flatten_fn: gives the children of an instance, and a context for the second function.
        unflatten_fn: makes an instance of children and context.
        serialized_type_name: its name in JSON; without one its structures cannot be written.
        to_dumpable_context: gives what JSON is to hold of a context.
        from_dumpable_context: gives the context back.
        flatten_with_keys_fn: as `flatten_fn`, with a key before each child.

    Raises:
        ValueError: if the class is registered, or one of the two functions for contexts is missing.

    As torch.utils._pytree.register_pytree_node.
    """
    with _registering:
        if cls in SUPPORTED_NODES:
            raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(
        cls,
        flatten_fn,
        unflatten_fn,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=to_dumpable_context,
        from_dumpable_context=from_dumpable_context,
        flatten_with_keys_fn=flatten_with_keys_fn,
    )


def _private_register_pytree_node(
    cls: Any,
    flatten_fn: Flatten,
    unflatten_fn: Unflatten,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Context], Any] | None = None,
    from_dumpable_context: Callable[[Any], Context] | None = None,
    flatten_with_keys_fn: FlattenWithKeys | None = None,
) -> None:
    """Registers a class, also in place of an earlier registration, with a warning."""
    with _registering:
        if cls in SUPPORTED_NODES:
            warnings.warn(
                f"{cls} is already registered as pytree node. "
                "Overwriting the previous registration.",
                stacklevel=2,
            )
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        if (to_dumpable_context is None) is not (from_dumpable_context is None):
            raise ValueError(
                f"Both to_dumpable_context and from_dumpable_context for {cls} must "
                "be None or registered."
            )
        name = serialized_type_name or NO_SERIALIZED_TYPE_NAME_FOUND
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(
            cls, name, to_dumpable_context, from_dumpable_context
        )
        SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


def _deregister_pytree_node(cls: type[Any]) -> None:
    """Makes the instances of a class leaves again."""
    with _registering:
        del SUPPORTED_NODES[cls]
        written = SUPPORTED_SERIALIZED_TYPES.pop(cls)
        del SERIALIZED_TYPE_TO_PYTHON_TYPE[written.serialized_type_name]
        CONSTANT_NODES.discard(cls)


def register_dataclass(
    cls: type[Any],
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Makes the instances of a dataclass containers, whose children are the fields.

    Args:
        cls: the class, whose constructor takes the fields by name.
        field_names: the fields; must be given if `cls` is no dataclass.
        drop_field_names: fields of a dataclass that are no children.
        serialized_type_name: its name in JSON.

    Raises:
        ValueError: if the names are missing, or are not those of the fields.

    As torch.utils._pytree.register_dataclass.
    """
    names = _field_names(cls, field_names, set(drop_field_names or ()))

    def flatten(each: Any) -> tuple[list[Any], Context]:
        values = {name: getattr(each, name) for name in names}
        given = [name for name in names if values[name] is not None]
        return [values[name] for name in given], [given, [n for n in names if n not in given]]

    def unflatten(values: Iterable[Any], context: Context) -> Any:
        given, missing = context
        return cls(**dict(zip(given, values, strict=True)), **dict.fromkeys(missing))

    def flatten_with_keys(each: Any) -> tuple[list[tuple[Any, Any]], Context]:
        values, (given, _) = flatten(each)
        return list(zip(map(GetAttrKey, given), values, strict=True)), given

    _private_register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


def _field_names(cls: Any, given: list[str] | None, dropped: set[str]) -> list[str]:
    if not dataclasses.is_dataclass(cls):
        if given is None:
            raise ValueError(
                "field_names must be specified with a list of all fields used to "
                f"initialize {cls}, as it is not a dataclass."
            )
        return given
    fields = [field.name for field in dataclasses.fields(cls) if field.init]
    if given is None:
        return fields
    expected = {name for name in fields if name not in dropped}
    text = ""
    if missing := expected - set(given):
        text += (
            f"Missing fields in `field_names`: {missing}. If you want "
            "to include these fields in the pytree, please add them "
            "to `field_names`, otherwise please add them to `drop_field_names`.\n"
        )
    if unexpected := set(given) - expected:
        text += (
            f"Unexpected fields in `field_names`: {unexpected}. "
            "Please remove these fields, or add them to `drop_field_names`.\n"
        )
    if text:
        raise ValueError("field_names does not include all dataclass fields.\n" + text)
    return given


def register_constant(cls: type[Any]) -> None:
    """Makes the instances of a class containers without children.

    TypeError if the class cannot be compared or hashed by value.
    """
    for name in ("__eq__", "__hash__"):
        if getattr(cls, name) in (object.__eq__, None):
            raise TypeError(
                "register_constant(cls) expects `cls` to have a non-default "
                f"`{name}` implementation."
            )

    def flatten(each: Any) -> tuple[list[Any], Context]:
        return [], ConstantNode(each)

    with _registering:
        _private_register_pytree_node(
            cls, flatten, lambda _, context: context.value, flatten_with_keys_fn=flatten
        )
        CONSTANT_NODES.add(cls)


def is_constant_class(cls: type[Any]) -> bool:
    """Whether a class was given to `register_constant`."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def _register_namedtuple(cls: type[Any], *, serialized_type_name: str) -> None:
    """Gives a class of named tuples, which are containers anyway, its name in JSON."""
    _private_register_pytree_node(
        cls,
        _namedtuple_flatten,
        _namedtuple_unflatten,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=_namedtuple_serialize,
        from_dumpable_context=_namedtuple_deserialize,
        flatten_with_keys_fn=_namedtuple_flatten_with_keys,
    )


# ---- named tuples and structures of C


def is_namedtuple_class(cls: type) -> bool:
    """Whether a class is one of named tuples."""
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(getattr(cls, "_fields", None), tuple)
        and all([type(field) is str for field in cls._fields])  # type: ignore[attr-defined]
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Whether a thing is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: object) -> bool:
    """Whether a thing is a named tuple or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


_CAN_BE_SUBCLASSED = 1 << 10  # Py_TPFLAGS_BASETYPE of CPython's Include/object.h


def is_structseq_class(cls: type) -> bool:
    """Whether a class is one of C's named tuples, or of torch.return_types."""
    if not isinstance(cls, type) or not issubclass(cls, tuple):
        return False
    if issubclass(cls, ReturnType):
        return cls is not ReturnType
    counts = ("n_fields", "n_sequence_fields", "n_unnamed_fields")
    return (
        cls.__bases__ == (tuple,)
        and all([isinstance(getattr(cls, each, None), int) for each in counts])
        and not cls.__flags__ & _CAN_BE_SUBCLASSED
    )


def is_structseq_instance(obj: object) -> bool:
    """Whether a thing is one of C's named tuples."""
    return is_structseq_class(type(obj))


def is_structseq(obj: object) -> bool:
    """Whether a thing is one of C's named tuples or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


# ---- the containers of Python


def _tuple_flatten(d: Any) -> tuple[list[Any], Context]:
    return list(d), None


def _tuple_unflatten(values: Iterable[Any], context: Context) -> Any:
    return tuple(values)


def _list_flatten(d: Any) -> tuple[list[Any], Context]:
    return d, None


def _list_unflatten(values: Iterable[Any], context: Context) -> Any:
    return list(values)


def _dict_flatten(d: Any) -> tuple[list[Any], Context]:
    return list(d.values()), list(d)


def _dict_unflatten(values: Iterable[Any], context: Context) -> Any:
    return dict(zip(context, values, strict=True))


def _ordereddict_unflatten(values: Iterable[Any], context: Context) -> Any:
    return OrderedDict(zip(context, values, strict=True))


def _defaultdict_flatten(d: Any) -> tuple[list[Any], Context]:
    return list(d.values()), [d.default_factory, list(d)]


def _defaultdict_unflatten(values: Iterable[Any], context: Context) -> Any:
    factory, keys = context
    return defaultdict(factory, zip(keys, values, strict=True))


def _deque_flatten(d: Any) -> tuple[list[Any], Context]:
    return list(d), d.maxlen


def _deque_unflatten(values: Iterable[Any], context: Context) -> Any:
    return deque(values, maxlen=context)


def _namedtuple_flatten(d: Any) -> tuple[list[Any], Context]:
    return list(d), type(d)


def _namedtuple_unflatten(values: Iterable[Any], context: Context) -> Any:
    return context(*values)


def _numbered(flatten: Flatten) -> FlattenWithKeys:
    def flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Context]:
        values, context = flatten(d)
        return [(SequenceKey(i), value) for i, value in enumerate(values)], context

    return flatten_with_keys


def _keyed(flatten: Flatten) -> FlattenWithKeys:
    def flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Context]:
        return [(MappingKey(key), value) for key, value in d.items()], flatten(d)[1]

    return flatten_with_keys


def _namedtuple_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Context]:
    return [(GetAttrKey(name), getattr(d, name)) for name in d._fields], type(d)


_tuple_flatten_with_keys = _numbered(_tuple_flatten)
_list_flatten_with_keys = _numbered(_list_flatten)
_deque_flatten_with_keys = _numbered(_deque_flatten)
_dict_flatten_with_keys = _keyed(_dict_flatten)
_ordereddict_flatten = _odict_flatten = _dict_flatten
_ordereddict_flatten_with_keys = _dict_flatten_with_keys
_odict_unflatten = _ordereddict_unflatten
_defaultdict_flatten_with_keys = _keyed(_defaultdict_flatten)


def _namedtuple_serialize(context: Context) -> Any:
    found = SUPPORTED_SERIALIZED_TYPES.get(context)
    if found is not None and found.serialized_type_name != NO_SERIALIZED_TYPE_NAME_FOUND:
        return found.serialized_type_name
    reason = "didn't register" if found is None else "couldn't find"
    raise NotImplementedError(
        f"Can't serialize TreeSpec of namedtuple class {context} because we {reason} a "
        "serializated_type_name. Please register using `_register_namedtuple`."
    )


def _namedtuple_deserialize(dumpable_context: Any) -> Context:
    if dumpable_context not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {dumpable_context} "
            "because we couldn't find a serializated name."
        )
    return SERIALIZED_TYPE_TO_PYTHON_TYPE[dumpable_context]


_FACTORY = "default_factory_module", "default_factory_name", "dict_context"


def _defaultdict_serialize(context: Context) -> Any:
    factory, keys = context
    return dict(zip(_FACTORY, (factory.__module__, factory.__qualname__, keys), strict=True))


def _defaultdict_deserialize(dumpable_context: Any) -> Context:
    if not isinstance(dumpable_context, dict):
        raise AssertionError("dumpable_context must be a dict")
    if set(dumpable_context) != set(_FACTORY):
        raise AssertionError(
            f"dumpable_context keys must be {set(_FACTORY)}, got {set(dumpable_context)}"
        )
    module, name, keys = (dumpable_context[each] for each in _FACTORY)
    if not isinstance(module, str):
        raise AssertionError("default_factory_module must be a string")
    if not isinstance(name, str):
        raise AssertionError("default_factory_name must be a string")
    return [getattr(import_module(module), name), keys]


for _cls, _name, _functions in (
    (tuple, "builtins.tuple", (_tuple_flatten, _tuple_unflatten)),
    (list, "builtins.list", (_list_flatten, _list_unflatten)),
    (dict, "builtins.dict", (_dict_flatten, _dict_unflatten)),
    (namedtuple, "collections.namedtuple", (_namedtuple_flatten, _namedtuple_unflatten)),
    (OrderedDict, "collections.OrderedDict", (_ordereddict_flatten, _ordereddict_unflatten)),
    (defaultdict, "collections.defaultdict", (_defaultdict_flatten, _defaultdict_unflatten)),
    (deque, "collections.deque", (_deque_flatten, _deque_unflatten)),
):
    _short = _name.rpartition(".")[2].lower()
    _private_register_pytree_node(
        _cls,
        *_functions,
        serialized_type_name=_name,
        to_dumpable_context=globals().get(f"_{_short}_serialize"),
        from_dumpable_context=globals().get(f"_{_short}_deserialize"),
        flatten_with_keys_fn=globals()[f"_{_short}_flatten_with_keys"],
    )

STANDARD_DICT_TYPES: frozenset[Any] = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES: frozenset[Any] = frozenset(SUPPORTED_NODES)

_private_register_pytree_node(  # its leaves need not be integers after a map: a plain tuple
    Size,
    _tuple_flatten,
    _tuple_unflatten,
    serialized_type_name="torch.Size",
    flatten_with_keys_fn=_tuple_flatten_with_keys,
)


# ---- what a thing is


def _get_node_type(tree: Any) -> Any:
    """The class of a thing; `collections.namedtuple` for all named tuples."""
    kind = type(tree)
    return namedtuple if issubclass(kind, tuple) and is_namedtuple_class(kind) else kind


def definition(kind: Any) -> NodeDef | None:
    """The functions that take a class of containers apart; None for a class of leaves."""
    found = SUPPORTED_NODES.get(kind)
    if found is None and isinstance(kind, type) and issubclass(kind, ReturnType):
        _private_register_pytree_node(
            kind,
            _tuple_flatten,
            lambda values, _: kind(values),
            flatten_with_keys_fn=_tuple_flatten_with_keys,
        )
        found = SUPPORTED_NODES[kind]
    return found
