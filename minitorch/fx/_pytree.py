"""torch.fx._pytree: containers taken apart as a known structure says."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from minitorch.utils._pytree import tree_flatten

SUPPORTED_NODES: dict[Any, Callable[[Any, Any], list[Any]]] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[Any, Callable[[Any, Any], bool] | None] = {}


def register_pytree_flatten_spec(
    cls: type[Any],
    flatten_fn_spec: Callable[[Any, Any], list[Any]],
    flatten_fn_exact_match_spec: Callable[[Any, Any], bool] | None = None,
) -> None:
    """Says how the containers of a class are taken apart.

    Args:
        cls: the class
        flatten_fn_spec: takes a container and its structure, gives the children
        flatten_fn_exact_match_spec: takes both, says whether the container has these children alone
    """
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def _deregister_pytree_flatten_spec(cls: type[Any]) -> None:
    del SUPPORTED_NODES[cls], SUPPORTED_NODES_EXACT_MATCH[cls]


def tree_flatten_spec(pytree: Any, spec: Any) -> list[Any]:
    """The leaves of a container that has a known structure. RuntimeError if it has another one.

    Source: torch.fx._pytree.tree_flatten_spec.
    """
    if spec.is_leaf():
        return [pytree]
    if spec.type in SUPPORTED_NODES:
        children = SUPPORTED_NODES[spec.type](pytree, spec)
        pairs = zip(children, spec.children())
        return [leaf for child, inner in pairs for leaf in tree_flatten_spec(child, inner)]
    leaves, found = tree_flatten(pytree)
    if spec != found:
        raise RuntimeError(
            f"Real spec {found} of object {pytree} is different from expected spec {spec}. Please "
            "file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml"
        )
    return leaves


def _by_key(container: Any, spec: Any) -> list[Any]:
    return [container[key] for key in spec.context]


def _by_place(container: Any, spec: Any) -> list[Any]:
    return [container[i] for i in range(spec.num_children)]


def _as_many(container: Any, spec: Any) -> bool:
    return len(container) == spec.num_children


register_pytree_flatten_spec(dict, _by_key, _as_many)
for _kind in (list, tuple, namedtuple):
    register_pytree_flatten_spec(_kind, _by_place, _as_many)  # type: ignore[arg-type]
