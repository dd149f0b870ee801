"""Trees of Python's containers: flat lists of their leaves, and their structure."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from minitorch.core.declare.returns import ReturnType

PyTree = Any


@dataclass
class TreeSpec:
    """The structure of a tree: the type of its root, what else is needed to make it anew from its
    children, and their structures; `type` is None for a leaf."""

    type: Any = None
    context: Any = None
    children_specs: list[TreeSpec] = field(default_factory=list)

    @property
    def num_leaves(self) -> int:
        return sum([s.num_leaves for s in self.children_specs]) if self.type else 1

    @property
    def num_children(self) -> int:
        return len(self.children_specs)

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list[TreeSpec]:
        return self.children_specs

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree with these leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec "
                f"refers to a pytree that holds {self.num_leaves} items ({self})."
            )
        return _made(self, iter(leaves))

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        inner = indent + 2
        shown = f",\n{' ' * inner}".join([s.__repr__(inner) for s in self.children_specs])
        kind = "namedtuple" if _is_namedtuple(self.type) else self.type.__name__
        kind = "structseq" if issubclass(self.type, ReturnType) else kind
        return f"TreeSpec({kind}, {self.context}, [{shown}])"


LeafSpec = TreeSpec


def _is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def _taken_apart(tree: Any) -> tuple[Any, Any, list[Any]] | None:
    """Type, context and children of a container; None for a leaf."""
    kind = type(tree)
    if _is_namedtuple(kind):
        return kind, kind, list(tree)
    if kind in (tuple, list):
        return kind, None, list(tree)
    if issubclass(kind, ReturnType):
        return kind, kind, list(tree)
    if kind in (dict, OrderedDict):
        return kind, list(tree), list(tree.values())
    if kind is defaultdict:
        return kind, [tree.default_factory, list(tree)], list(tree.values())
    if kind is deque:
        return kind, tree.maxlen, list(tree)
    return None


def _made(spec: TreeSpec, leaves: Any) -> Any:
    if spec.type is None:
        return next(leaves)
    kind, context = spec.type, spec.context
    children = [_made(each, leaves) for each in spec.children_specs]
    if _is_namedtuple(kind):
        return kind(*children)
    if kind in (dict, OrderedDict):
        return kind(zip(context, children, strict=True))
    if kind is defaultdict:
        return kind(context[0], zip(context[1], children, strict=True))
    return kind(children, context) if kind is deque else kind(children)


def tree_flatten(
    tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, and its structure."""
    parts = None if is_leaf is not None and is_leaf(tree) else _taken_apart(tree)
    if parts is None:
        return [tree], TreeSpec()
    kind, context, children = parts
    flat = [tree_flatten(child, is_leaf) for child in children]
    return [leaf for leaves, _ in flat for leaf in leaves], TreeSpec(
        kind, context, [spec for _, spec in flat]
    )


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """The tree of this structure with these leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of a tree."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(
    func: Callable[..., Any],
    tree: PyTree,
    *rests: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """The tree of what `func` makes of each leaf, and of those of other trees in its place."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_leaves(rest, is_leaf) for rest in rests]
    return spec.unflatten([func(*each) for each in zip(leaves, *others, strict=True)])


def tree_map_only(
    type_or_types_or_pred: Any,
    func: Callable[[Any], Any],
    tree: PyTree,
    is_leaf: Callable[[Any], bool] | None = None,
) -> PyTree:
    """The tree with what `func` makes of the leaves of some types."""
    kinds = type_or_types_or_pred
    chosen = kinds if not isinstance(kinds, (type, tuple)) else lambda x: isinstance(x, kinds)
    return tree_map(lambda x: func(x) if chosen(x) else x, tree, is_leaf=is_leaf)


def tree_all(
    pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(
    pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None
) -> bool:
    """Whether `pred` holds for any leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def _broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec) -> list[Any] | None:
    """The leaf of `tree` for each leaf of a structure, which may go deeper; None if it does not."""
    if treespec.type is None:
        return [tree] if _taken_apart(tree) is None else None
    parts = _taken_apart(tree)
    if parts is None:
        return [tree] * treespec.num_leaves
    kind, context, children = parts
    if kind is not treespec.type or len(children) != treespec.num_children:
        return None
    if context != treespec.context and not (kind is dict and set(context) == {*treespec.context}):
        return None
    result: list[Any] = []
    for child, spec in zip(children, treespec.children_specs, strict=True):
        flat = _broadcast_to_and_flatten(child, spec)
        if flat is None:
            return None
        result += flat
    return result
