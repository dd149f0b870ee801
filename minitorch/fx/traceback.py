"""torch.fx.traceback: the metadata of the running node, for the nodes that it makes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = (
    "NodeSource NodeSourceAction annotate annotate_fn format_stack get_current_meta "
    "get_current_replay_node get_graph_provenance_json has_preserved_node_meta preserve_node_meta "
    "reset_grad_fn_seq_nr set_current_meta set_current_replay_node set_grad_fn_seq_nr "
    "set_stack_trace"
).split()

current_meta: dict[str, Any] = {}
should_preserve_node_meta = False


@contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """A context in which new nodes get the `meta` of the node that runs."""
    global should_preserve_node_meta, current_meta
    before = should_preserve_node_meta, current_meta.copy()
    try:
        should_preserve_node_meta = enable
        yield
    finally:
        should_preserve_node_meta, current_meta = before


@contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """A context in which new nodes get these entries in their meta['custom']."""
    global current_meta
    if not has_preserved_node_meta():
        yield
        return
    before = current_meta.get("custom")
    current_meta["custom"] = {**(before or {}), **annotation_dict}
    try:
        yield
    finally:
        if before is None:
            current_meta.pop("custom", None)
        else:
            current_meta["custom"] = before


def has_preserved_node_meta() -> bool:
    """Whether new nodes get the `meta` of the node that runs."""
    return should_preserve_node_meta


def set_stack_trace(stack: list[str]) -> None:
    """Says what the stack trace of new nodes is."""
    if should_preserve_node_meta and stack:
        current_meta["stack_trace"] = "".join(stack)


def format_stack() -> list[str]:
    """The stack trace of the node that runs, or that of the program."""
    if should_preserve_node_meta:
        return [current_meta.get("stack_trace", "")]
    import traceback  # start-up: seldom asked

    return traceback.format_list(traceback.extract_stack()[:-1])


@contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """A context in which `node` is the one that runs."""
    global current_meta
    if not (should_preserve_node_meta and node.meta):
        yield
        return
    before = current_meta
    try:
        current_meta = copy.copy(node.meta)
        yield
    finally:
        current_meta = before


def get_current_meta() -> dict[str, Any]:
    """The `meta` of the node that runs."""
    return current_meta
