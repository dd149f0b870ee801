"""The values that nodes keep for their backward, in either library.

Looking computes nothing: packed values stay packed, and a checkpoint is not run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from minitorch.study.libraries.kinds import is_function, is_tensor

SAVED = "_saved_"
RAW = "_raw_saved_"

# What may be true of a saved value.
KEPT = "kept"
FREED = "freed"
CHANGED = "changed since"
RECOMPUTED = "recomputed"
PACKED = "packed by a hook"

_NAMES: dict[type, list[str]] = {}  # for a class of nodes, the names of the values that they save
# Attributes of a ctx that the library sets.
_OF_CTX = frozenset(("materialize_grads", "needs_input_grad", "to_save"))


class Saved(NamedTuple):
    """One thing that a node keeps for its backward.

    name: as in `_saved_<name>`; of a Function's node `saved_tensors[1]` or `ctx.<name>`.
    value: a tensor, a number, a shape; None if it is not there to be looked at.
    state: one of KEPT, FREED, CHANGED, RECOMPUTED, PACKED.
    """

    name: str
    value: Any
    state: str = KEPT


def saved_values(node: Any) -> list[Saved]:
    """The values that a node keeps: tensors, numbers and shapes, in the order of their names.

    For a Function: the arguments of its `save_for_backward`, and the attributes it set on `ctx`.
    """
    if is_function(node):
        return [*_saved_for_backward(node), *_put_on_ctx(node)]
    names = _NAMES.get(type(node))
    if names is None:
        names = [name.removeprefix(SAVED) for name in dir(node) if name.startswith(SAVED)]
        _NAMES[type(node)] = names
    found: list[Saved] = []
    for name in names:
        try:
            raw = getattr(node, RAW + name, None)
        except RuntimeError:  # torch refuses lists of tensors that are freed
            found.append(Saved(name, None, FREED))
            continue
        if raw is None:
            found.append(Saved(name, getattr(node, SAVED + name)))
        elif type(raw) is tuple:
            found += _members(name, raw)
        else:
            found.append(_unpacked(name, raw, node))
    return found


def saved_tensors(values: Iterable[Saved]) -> list[Saved]:
    """The tensors among the values that a node keeps: also those that are freed or packed."""
    return [each for each in values if each.state != KEPT or is_tensor(each.value)]


def _unpacked(name: str, raw: Any, node: Any) -> Saved:
    """One saved tensor as `_saved_<name>` shows it: with its history, and checked."""
    state = _hook_state(raw)
    if state != KEPT:
        return Saved(name, raw.data, state)
    try:
        return Saved(name, getattr(node, SAVED + name))
    except RuntimeError as error:
        return _refused(name, raw, error)


def _members(name: str, raw: tuple[Any, ...]) -> Iterator[Saved]:
    """Several saved tensors, each by its place."""
    for i, each in enumerate(raw):
        member = f"{name}[{i}]"
        state = _hook_state(each)
        if state != KEPT:
            yield Saved(member, each.data, state)
            continue
        try:
            yield Saved(member, each.unpack())
        except RuntimeError as error:
            yield _refused(member, each, error)


def _refused(name: str, raw: Any, error: RuntimeError) -> Saved:
    """A saved tensor that the library does not give away as it was, and why."""
    if raw.data is None:
        return Saved(name, None, FREED)
    # torch gives the outputs that Functions save to the engine alone: it raises another error.
    return Saved(name, raw.data, CHANGED if "modified by an inplace" in str(error) else KEPT)


def _hook_state(raw: Any) -> str:
    """KEPT, or what a pack hook has made of a saved tensor."""
    if raw.unpack_hook is None:
        return KEPT
    module = getattr(raw.unpack_hook, "__module__", None) or ""
    return RECOMPUTED if module.endswith("utils.checkpoint") else PACKED


def _saved_for_backward(node: Any) -> list[Saved]:
    """The tensors that a Function passed to `save_for_backward`."""
    try:
        raw = getattr(node, RAW + "tensors") or ()
    except RuntimeError:
        return [Saved("saved_tensors", None, FREED)]
    if all([_hook_state(each) == KEPT for each in raw]):
        try:  # all at once: torch gives outputs in no other way
            return [Saved(f"saved_tensors[{i}]", each) for i, each in enumerate(node.saved_tensors)]
        except RuntimeError:  # one was written: which one?
            pass
    return list(_members("saved_tensors", raw))


def _put_on_ctx(node: Any) -> list[Saved]:
    """The tensors, numbers and texts that a Function put on its ctx."""
    own = {name: value for name, value in vars(node).items() if not name.startswith("_")}
    return [
        Saved(f"ctx.{name}", value)
        for name, value in own.items()
        if is_tensor(value)
        or (isinstance(value, (bool, int, float, str, tuple)) and name not in _OF_CTX)
    ]
