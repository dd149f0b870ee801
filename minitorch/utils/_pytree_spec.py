"""The structure of a tree of containers."""

from __future__ import annotations

import warnings
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any

from minitorch.utils._pytree_nodes import (
    BUILTIN_TYPES,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    ConstantNode,
    Context,
    _get_node_type,
)

PyTree = Any


class TreeSpec:
    """The structure of a tree: the type of its root, what else is needed to make it anew from its
    children, and their structures; `type` is None for a leaf."""

    __slots__ = ("_children", "_context", "num_children", "num_leaves", "num_nodes", "type")
    type: Any
    _context: Context
    _children: list[TreeSpec]
    num_nodes: int
    num_leaves: int
    num_children: int

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]) -> None:
        if type is None:
            if context is not None:
                raise AssertionError("leaf node should not have a context")
            if children_specs:
                raise AssertionError("leaf node should not have children")
        leaf = type is None
        values = {
            "type": type,
            "_context": context,
            "_children": children_specs,
            "num_nodes": 1 + sum([each.num_nodes for each in children_specs]),
            "num_leaves": 1 if leaf else sum([each.num_leaves for each in children_specs]),
            "num_children": len(children_specs),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __reduce__(self) -> Any:
        return type(self), (self.type, self._context, self._children)

    def __repr__(self, indent: int = 0) -> str:
        inner = indent + 2
        shown = f",\n{' ' * inner}".join([each.__repr__(inner) for each in self._children])
        return f"TreeSpec({self.type.__name__}, {self._context}, [{shown}])"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        return (
            str(self.type) == str(other.type)  # type: ignore[attr-defined]
            and self._context == other._context  # type: ignore[attr-defined]
            and self._children == other._children  # type: ignore[attr-defined]
        )

    def __hash__(self) -> int:
        # The context of a program's own class may not be hashable: it is left out.
        context: Any = None
        if self.type is defaultdict:
            context = self._context[0], tuple(self._context[1])
        elif self.type in STANDARD_DICT_TYPES:
            context = tuple(self._context)
        elif self.type in BUILTIN_TYPES:
            context = self._context
        elif isinstance(self._context, ConstantNode):
            context = self._context.value
        return hash((self.type, context, tuple(self._children)))

    @property
    def context(self) -> Context:
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        warnings.warn(
            "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a "
            "single child, or `treespec.children()` to get all children.",
            FutureWarning,
            stacklevel=2,
        )
        return self._children

    def is_leaf(self) -> bool:
        """Whether it is the structure of a leaf."""
        return self.num_nodes == 1 and self.num_leaves == 1

    def children(self) -> list[TreeSpec]:
        """The structures of the children."""
        return self._children.copy()

    def child(self, index: int) -> TreeSpec:
        """The structure of one child."""
        return self._children[index]

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """The parts of a tree that stand where this structure has leaves.

        ValueError if the tree is built otherwise; dictionaries of the same keys are all alike.
        """
        parts: list[PyTree] = []
        _flatten_up_to(self, tree, parts)
        return parts

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """The tree with these leaves. ValueError for another number of them."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec "
                f"refers to a pytree that holds {self.num_leaves} items ({self})."
            )
        return _made(self, iter(leaves))


PyTreeSpec = TreeSpec


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    __slots__ = ()

    def __new__(cls) -> LeafSpec:
        warnings.warn(
            "`isinstance(treespec, LeafSpec)` is deprecated, use "
            "`isinstance(treespec, TreeSpec) and treespec.is_leaf()` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return object.__new__(cls)

    def __init__(self) -> None:
        super().__init__(None, None, [])

    def __reduce__(self) -> Any:
        return treespec_leaf, ()

    def __repr__(self, indent: int = 0) -> str:
        return "*"


_LEAF_SPEC = object.__new__(LeafSpec)
_LEAF_SPEC.__init__()  # type: ignore[misc]


def treespec_leaf() -> TreeSpec:
    """The structure of a leaf."""
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The structure of a tuple, of those of its items. ValueError if one is no structure."""
    children = list(iterable)
    if any([not isinstance(child, TreeSpec) for child in children]):
        raise ValueError(f"Expected a tuple of TreeSpec values, got: {children!r}.")
    return TreeSpec(tuple, None, children)


def treespec_dict(mapping: Any = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """The structure of a dict, of those of its values. ValueError if one is no structure."""
    children = dict(mapping, **kwargs)
    if any([not isinstance(child, TreeSpec) for child in children.values()]):
        raise ValueError(f"Expected a dictionary of TreeSpec values, got: {children!r}.")
    return TreeSpec(dict, list(children), list(children.values()))


def _made(spec: TreeSpec, leaves: Iterator[Any]) -> Any:
    if spec.is_leaf():
        return next(leaves)
    unflatten = SUPPORTED_NODES[spec.type].unflatten_fn
    return unflatten([_made(each, leaves) for each in spec._children], spec._context)


def _flatten_up_to(spec: TreeSpec, tree: PyTree, parts: list[PyTree]) -> None:
    if spec.is_leaf():
        parts.append(tree)
        return
    kind = _get_node_type(tree)
    if spec.type not in BUILTIN_TYPES:
        children = _children_of_kind(spec, kind, tree)
    elif spec.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES:
        _check_arity(spec, len(tree))
        keys = spec._context[1] if spec.type is defaultdict else spec._context
        _check_keys(set(keys), set(tree))
        children = [tree[key] for key in keys]
    else:
        if kind != spec.type:
            raise ValueError(f"Node type mismatch; expected {spec.type!r}, but got {kind!r}.")
        _check_arity(spec, len(tree))
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if kind is not deque and context != spec._context:
            raise ValueError(
                f"Node context mismatch for node type {spec.type!r}; "
                f"expected {spec._context!r}, but got {context!r}."
            )
    for child, inner in zip(children, spec._children, strict=True):
        _flatten_up_to(inner, child, parts)


def _children_of_kind(spec: TreeSpec, kind: Any, tree: PyTree) -> list[Any]:
    """The children of a container of a program's own class, which must match exactly."""
    if kind != spec.type:
        raise ValueError(f"Type mismatch; expected {spec.type!r}, but got {kind!r}.")
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    _check_arity(spec, len(children))
    if context != spec._context:
        raise ValueError(f"Node context mismatch for custom node type {spec.type!r}.")
    return children


def _check_arity(spec: TreeSpec, number: int) -> None:
    if number != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {number}.")


def _check_keys(expected: set[Any], got: set[Any]) -> None:
    if expected != got:
        text = f"; missing key(s): {expected - got}" if expected - got else ""
        text += f"; extra key(s): {got - expected}" if got - expected else ""
        raise ValueError(f"Node keys mismatch{text}.")
