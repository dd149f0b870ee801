"""Trees of Python's containers: flat lists of their leaves, and their structure."""

from __future__ import annotations

import functools
import types
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from minitorch._public.later import missing as _missing
from minitorch.utils._pytree_nodes import (  # noqa: F401  (torch has these names here, too)
    BUILTIN_TYPES,
    CONSTANT_NODES,
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    SUPPORTED_SERIALIZED_TYPES,
    ConstantNode,
    Context,
    GetAttrKey,
    MappingKey,
    NodeDef,
    SequenceKey,
    _defaultdict_deserialize,
    _defaultdict_flatten,
    _defaultdict_flatten_with_keys,
    _defaultdict_serialize,
    _defaultdict_unflatten,
    _deque_flatten,
    _deque_flatten_with_keys,
    _deque_unflatten,
    _deregister_pytree_node,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _get_node_type,
    _list_flatten,
    _list_flatten_with_keys,
    _list_unflatten,
    _namedtuple_deserialize,
    _namedtuple_flatten,
    _namedtuple_flatten_with_keys,
    _namedtuple_serialize,
    _namedtuple_unflatten,
    _odict_flatten,
    _odict_unflatten,
    _ordereddict_flatten,
    _ordereddict_flatten_with_keys,
    _ordereddict_unflatten,
    _private_register_pytree_node,
    _register_namedtuple,
    _SerializeNodeDef,
    _tuple_flatten,
    _tuple_flatten_with_keys,
    _tuple_unflatten,
    definition,
    is_constant_class,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    register_constant,
    register_dataclass,
    register_pytree_node,
)
from minitorch.utils._pytree_spec import (  # noqa: F401
    _LEAF_SPEC,
    LeafSpec,
    PyTree,
    PyTreeSpec,
    TreeSpec,
    treespec_dict,
    treespec_leaf,
    treespec_tuple,
)

__all__ = [
    "Context",
    "DumpableContext",
    "FlattenFn",
    "FromDumpableContextFn",
    "LeafSpec",
    "PyTree",
    "PyTreeSpec",
    "ToDumpableContextFn",
    "TreeSpec",
    "UnflattenFn",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "is_structseq",
    "is_structseq_class",
    "is_structseq_instance",
    "key_get",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_dumps",
    "treespec_loads",
    "treespec_pprint",
]

DumpableContext = Any
FlattenFn = FlattenFunc = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFn = UnflattenFunc = Callable[[Iterable[Any], Context], PyTree]
ToDumpableContextFn = Callable[[Context], DumpableContext]
FromDumpableContextFn = Callable[[DumpableContext], Context]
FlattenWithKeysFn = FlattenWithKeysFunc = Callable[[PyTree], tuple[list[tuple[Any, Any]], Any]]
IsLeaf = Callable[[PyTree], bool] | None


class KeyEntry(Protocol):
    """One step from a container to a child."""

    def get(self, parent: Any) -> Any:
        """The child of `parent` at this step."""


KeyPath = tuple[KeyEntry, ...]


def _deprecated(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def warning(*args: Any, **kwargs: Any) -> Any:
            warnings.warn(text, FutureWarning, stacklevel=2)
            return function(*args, **kwargs)

        return warning

    return wrap


# ---- leaves


def tree_is_leaf(tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether a thing is no container, or `is_leaf` calls it a leaf."""
    if is_leaf is not None and is_leaf(tree):
        return True
    return definition(_get_node_type(tree)) is None


def tree_flatten(tree: PyTree, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, and its structure.

    Args:
        tree: any thing; what is not registered as a container is a leaf.
        is_leaf: what makes a leaf of a container.

    As torch.utils._pytree.tree_flatten.
    """
    leaves: list[Any] = []
    return leaves, _flatten_into(leaves, tree, is_leaf)


def _flatten_into(leaves: list[Any], tree: PyTree, is_leaf: IsLeaf) -> TreeSpec:
    kind = _get_node_type(tree)
    how = None if is_leaf is not None and is_leaf(tree) else definition(kind)
    if how is None:
        leaves.append(tree)
        return _LEAF_SPEC
    children, context = how.flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten_into(leaves, each, is_leaf) for each in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree of this structure with these leaves; the two may be given in either order.

    TypeError if neither is a structure, ValueError for another number of leaves.
    """
    if not isinstance(treespec, TreeSpec):
        if not isinstance(leaves, TreeSpec):
            raise TypeError(
                "Expected `treespec` to be an instance of "
                f"PyTreeSpec but got item of type {type(treespec)}."
            )
        leaves, treespec = treespec, leaves
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """The leaves of a tree, one after the other."""
    how = definition(_get_node_type(tree))
    if how is None or (is_leaf is not None and is_leaf(tree)):
        yield tree
    else:
        for child in how.flatten_fn(tree)[0]:
            yield from tree_iter(child, is_leaf)


def tree_leaves(tree: PyTree, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves of a tree."""
    return list(tree_iter(tree, is_leaf))


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of the arguments of a call."""
    return tree_leaves([*args, *kwargs.values()])


def tree_structure(tree: PyTree, is_leaf: IsLeaf = None) -> TreeSpec:
    """The structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


# ---- functions of leaves


def tree_map(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """The tree of the results of `func` on each leaf, and on the parts of other trees in its place.

    Args:
        func: takes a leaf of each tree.
        tree: gives the structure.
        rests: trees that are built alike as far as `tree` goes.
        is_leaf: what makes a leaf of a container.

    As torch.utils._pytree.tree_map.
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(each) for each in rests]))


def tree_map_(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """`tree` itself, after `func` was called as by `tree_map`."""
    leaves, spec = tree_flatten(tree, is_leaf)
    deque(map(func, leaves, *[spec.flatten_up_to(each) for each in rests]), maxlen=0)
    return tree


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Any]:
    """A decorator: the function leaves values alone that are not of some types, or fail a test.

    TypeError for what is neither a type, a tuple of them nor a function.
    """
    kinds = type_or_types_or_pred
    if isinstance(kinds, (type, tuple, types.UnionType)):

        def chosen(x: Any) -> bool:
            return isinstance(x, kinds)

    elif callable(kinds):
        chosen = kinds
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")

    def wrap(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(func, [n for n in functools.WRAPPER_ASSIGNMENTS if hasattr(func, n)])
        def mapped(x: Any) -> Any:
            return func(x) if chosen(x) else x

        return mapped

    return wrap


def tree_map_only(
    type_or_types_or_pred: Any,
    /,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: IsLeaf = None,
) -> PyTree:
    """The tree with what `func` makes of the leaves of some types."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any,
    /,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: IsLeaf = None,
) -> PyTree:
    """`tree` itself, after `func` was called with the leaves of some types."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None) -> bool:
    """Whether `pred` holds for any leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    """Whether `pred` holds for all leaves of some types."""
    return all(pred(each) for each in tree_iter(tree, is_leaf) if isinstance(each, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: IsLeaf = None
) -> bool:
    """Whether `pred` holds for any leaf of some types."""
    return any(pred(each) for each in tree_iter(tree, is_leaf) if isinstance(each, type_or_types))


def _broadcast_to_and_flatten(
    tree: PyTree, treespec: TreeSpec, is_leaf: IsLeaf = None
) -> list[Any] | None:
    """The leaf of `tree` for each leaf of a structure, which may go deeper; None if it does not."""
    leaves, spec = tree_flatten(tree, is_leaf)
    try:
        parts = spec.flatten_up_to(treespec.unflatten([0] * treespec.num_leaves))
    except ValueError:
        return None
    repeated: list[Any] = []
    for leaf, part in zip(leaves, parts, strict=True):
        repeated += [leaf] * tree_structure(part, is_leaf).num_leaves
    return repeated


# ---- leaves with the way to them


def tree_flatten_with_path(
    tree: PyTree, is_leaf: IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Pairs of the way to a leaf and the leaf, and the structure of the tree.

    ValueError for a container that was registered without keys.
    """
    spec = tree_structure(tree, is_leaf)
    return tree_leaves_with_path(tree, is_leaf), spec


def tree_leaves_with_path(tree: PyTree, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Pairs of the way to a leaf and the leaf."""
    return list(_generate_key_paths((), tree, is_leaf))


def _generate_key_paths(
    key_path: KeyPath, tree: PyTree, is_leaf: IsLeaf = None
) -> Iterator[tuple[KeyPath, Any]]:
    kind = _get_node_type(tree)
    how = None if is_leaf is not None and is_leaf(tree) else definition(kind)
    if how is None:
        yield key_path, tree
        return
    if how.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. "
            "Please pass a flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in how.flatten_with_keys_fn(tree)[0]:
        yield from _generate_key_paths((*key_path, key), child, is_leaf)


def tree_map_with_path(
    func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: IsLeaf = None
) -> PyTree:
    """The tree of the results of `func` on each leaf's path, the leaf, and those of other trees."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    paths, leaves = zip(*pairs, strict=True)
    others = [spec.flatten_up_to(each) for each in rests]
    return spec.unflatten([func(*each) for each in zip(paths, leaves, *others, strict=True)])


def keystr(kp: KeyPath) -> str:
    """The way to a leaf as Python would write it: '[0].name'."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """The part of a tree at the end of a way."""
    for key in kp:
        obj = key.get(obj)
    return obj


# ---- text


class _Asterisk(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def treespec_pprint(treespec: TreeSpec) -> str:
    """The text of a tree of this structure with asterisks for leaves."""
    return repr(treespec.unflatten([_Asterisk("*")] * treespec.num_leaves))


def _json() -> Any:
    from minitorch.utils import _pytree_json  # start-up: 2 ms

    return _pytree_json


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as JSON.

    Args:
        treespec: the structure.
        protocol: 1, or None for the latest, which is 1.

    Raises:
        NotImplementedError: if a class of containers has no name in JSON.
        ValueError: for another protocol.

    As torch.utils._pytree.treespec_dumps.
    """
    return _json().treespec_dumps(treespec, protocol)


@functools.lru_cache
def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that `treespec_dumps` wrote."""
    return _json().treespec_loads(serialized)


_JSON = frozenset(
    """
    DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL EnumEncoder _SUPPORTED_PROTOCOLS _ProtocolFn
    _TreeSpecSchema _json_to_treespec _treespec_to_json enum_object_hook
    """.split()
)


def __getattr__(name: str) -> Any:
    if name in _JSON:
        return getattr(_json(), name)
    return _missing("torch.utils._pytree", name)


# ---- what only old programs call

_is_namedtuple_instance = _deprecated(
    "torch.utils._pytree._is_namedtuple_instance is private and will be removed in a future "
    "release. Please use torch.utils._pytree.is_namedtuple_instance instead."
)(is_namedtuple_instance)
_is_leaf = _deprecated(
    "torch.utils._pytree._is_leaf is private and will be removed in a future release. "
    "Please use torch.utils._pytree.tree_is_leaf instead."
)(tree_is_leaf)


@_deprecated("`pytree_to_str` is deprecated. Please use `treespec_dumps` instead.")
def pytree_to_str(treespec: TreeSpec) -> str:
    """`treespec_dumps`, under its old name."""
    return treespec_dumps(treespec)


@_deprecated("`str_to_pytree` is deprecated. Please use `treespec_loads` instead.")
def str_to_pytree(json: str) -> TreeSpec:
    """`treespec_loads`, under its old name."""
    return treespec_loads(json)


@_deprecated(
    "`torch.utils._pytree._register_pytree_node` is deprecated. "
    "Please use `torch.utils._pytree.register_pytree_node` instead."
)
def _register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    to_str_fn: Any = None,
    maybe_from_str_fn: Any = None,
    **options: Any,
) -> None:
    if to_str_fn is not None or maybe_from_str_fn is not None:
        warnings.warn(
            "`to_str_fn` and `maybe_from_str_fn` is deprecated. "
            "Please use `to_dumpable_context` and `from_dumpable_context` instead.",
            FutureWarning,
            stacklevel=3,
        )
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def _is_constant_holder(spec: TreeSpec) -> bool:
    """Whether a structure is that of an instance of a class given to `register_constant`."""
    return isinstance(spec._context, ConstantNode)


def _retrieve_constant(spec: TreeSpec) -> Any:
    """The constant instance that a spec holds."""
    if not _is_constant_holder(spec):
        raise AssertionError("spec does not correspond to a registered constant pytree")
    return spec.unflatten([])
