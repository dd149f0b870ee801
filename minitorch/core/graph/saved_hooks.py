"""Packing: saved-tensor hooks replace the tensors that nodes keep.

While a pair of hooks is active, every operator call is watched (core/base/modes.py). After a call,
the nodes that it made hold a `Packed` in place of each saved tensor, and get a class that unpacks
them when the node runs. As torch/csrc/autograd/saved_variable.cpp.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from typing import Any

from minitorch.core.base.fields import LEAF, TensorBase, version_of
from minitorch.core.base.modes import OF_NODES, watch
from minitorch.core.graph.node import (
    FREED,
    FREED_TEXT,
    Node,
    Packed,
    SeenNumber,
    form_of,
    load_saved_output_tensor,
    mixed_class,
    next_order,
    save_input,
    seen_value,
)

# The (pack, unpack) pairs that are active on this thread; the last one is used.
HOOKS: ContextVar[tuple[Any, ...]] = ContextVar("saved_tensors_hooks", default=())
# The reason why no pair may become active on this thread, if any.
DISABLED: ContextVar[str | None] = ContextVar("saved_tensors_hooks_disabled", default=None)


def push(pack: Callable[..., Any], unpack: Callable[..., Any]) -> None:
    """Makes a pair of hooks the active one. RuntimeError while that is disabled."""
    if not (callable(pack) and callable(unpack)):
        raise incompatible("_push_saved_tensors_default_hooks", PAIR, (pack, unpack))
    message = DISABLED.get()
    if message is not None:
        raise RuntimeError(message)
    HOOKS.set((*HOOKS.get(), (pack, unpack)))
    watch(+1)


def pop() -> None:
    """Makes the previous pair the active one."""
    HOOKS.set(HOOKS.get()[:-1])
    watch(-1)


PAIR = "arg0: collections.abc.Callable, arg1: collections.abc.Callable"


def incompatible(name: str, signature: str, args: tuple[Any, ...]) -> TypeError:
    """The TypeError of a function that torch binds with pybind11."""
    return TypeError(
        f"{name}(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. ({signature}) -> None\n\nInvoked with: {', '.join(map(repr, args))}"
    )


def pack_input(saved: Any, hooks: Any, detached: Any = None) -> Any:
    """A saved input, or a saved list of them, packed; numbers and None stay as they are.

    detached: the tensor that the hook gets in place of the input itself.
    """
    if type(saved) is list:
        return [pack_input(each, hooks) for each in saved]
    self = saved[0] if type(saved) is tuple and len(saved) == 2 else saved
    if not isinstance(self, TensorBase):
        return saved
    edge = self if self._edge is LEAF else self._edge
    return Packed(self if detached is None else detached, edge, False, hooks)


def pack_output(saved: Any, node: Any, result: Any, hooks: Any) -> Packed:
    """A saved output packed; `result` is the tensor, if it is at hand."""
    if result is None:
        result = load_saved_output_tensor(saved, node)
    return Packed(result, saved[3] if saved[0].dtype.kind in "fcV" else None, True, hooks)


def is_output(saved: Any) -> bool:
    """Whether a slot holds a saved output (see core/graph/node.py)."""
    return type(saved) is tuple and len(saved) == 4 and type(saved[1]) is list


def is_packed(saved: Any) -> bool:
    """Whether a slot holds a packed value."""
    return type(saved) is Packed or (type(saved) is list and any(map(is_packed, saved)))


def packing(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls an operator, then packs the tensors that it saved: see WATCHERS."""
    if not HOOKS.get():
        return compute

    def packed(*args: Any, **kwargs: Any) -> Any:
        age = next_order()
        try:
            result = compute(*args, **kwargs)
        except Exception:  # torch has packed the inputs before it computes
            kept = getattr(compute, "kept_inputs", None)
            for saved in () if kept is None else kept(*args, **kwargs):
                pack_input(saved, HOOKS.get()[-1])
            raise
        pack_made(result, age)
        return result

    def written(self: Any, *args: Any, **kwargs: Any) -> Any:
        age = next_order()
        token = HOOKS.set(())  # no packing inside: a saved value is not yet a copy of the old one
        try:
            result = compute(self, *args, **kwargs)
        finally:
            HOOKS.reset(token)
        pack_made(result, age)
        return result

    if name.endswith("_") and not name.endswith("__"):
        return written

    return packed


def pack_made(result: Any, age: int) -> None:
    """Packs the saved tensors of the nodes that a call made: of nodes younger than `age`."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    tensors = [each for each in results if isinstance(each, TensorBase)]
    for node in _made(tensors, age):
        pack_kept(node, tensors)


def pack_kept(node: Node, results: list[Any]) -> None:
    """Packs a node's saved tensors, unless an inner call did; `results` are the call's outputs."""
    hooks = HOOKS.get()[-1]
    for name in node.tensors:
        saved = getattr(node, "saved_" + name)
        if is_output(saved):
            whole = next((each for each in results if each._array is saved[0]), None)
            put(node, "saved_" + name, pack_output(saved, node, whole, hooks))
        elif not is_packed(saved):
            put(node, "saved_" + name, pack_input(saved, hooks))


def _made(tensors: list[Any], age: int) -> Iterator[Node]:
    """The nodes in the history of tensors that are younger than `age`."""
    seen = set()
    edges: list[Any] = [each._edge for each in tensors]
    edges += [each._view[0]._edge for each in tensors if each._view and each._view[0] is not None]
    while edges:
        edge = edges.pop()
        node = edge[0] if type(edge) is tuple else edge
        if isinstance(node, Node) and node.order < age and node not in seen:
            seen.add(node)
            yield node
            edges += [*node.edges, getattr(node, "fn", None)]


def put(node: Any, slot: str, saved: Any) -> None:
    """Puts a value into a node's slot; if the value is packed, the node unpacks it when it runs."""
    setattr(node, slot, saved)
    if is_packed(saved) and "_unpacking" not in node.__dict__:
        node.__dict__["_unpacking"] = threading.RLock()
        node.__class__ = _unpacking_class(node.__class__)


@cache
def _unpacking_class(kind: type[Node]) -> type[Node]:
    """The node class `kind` that unpacks its packed tensors when it runs: each once, in order."""

    def run(method: Callable[..., Any], mixed: Callable[..., Any]) -> Callable[..., Any]:
        def apply(node: Any, grad: Any, retain: bool) -> Any:
            with node._unpacking:
                packed, alike = _unpack_slots(node)
                kept = True
                try:
                    grads = (method if alike else mixed)(node, grad, retain)
                    kept = retain
                finally:
                    if kept:
                        for slot, saved in packed.items():
                            setattr(node, slot, saved)
                return grads

        return apply

    mixed = mixed_class(kind)
    methods = {
        "apply": run(kind.apply, mixed.apply),
        "apply_graph": run(kind.apply_graph, kind.apply_graph),
    }
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": "builtins"} | methods)


def _unpack_slots(node: Any) -> tuple[dict[str, Any], bool]:
    """Unpacks all packed slots. Returns the packed values, and whether each unpacked array has
    the form of the original one, which formulas on arrays rely on."""
    packed, unpacked, alike = {}, {}, True
    for name in node.tensors:
        saved = getattr(node, "saved_" + name)
        if is_packed(saved):
            packed["saved_" + name] = saved
            unpacked["saved_" + name], same = _unpacked_slot(saved, node)
            alike = alike and same
    for slot, value in unpacked.items():
        setattr(node, slot, value)
    return packed, alike


def _unpacked_slot(saved: Any, node: Any) -> tuple[Any, bool]:
    """The value of a packed slot while its node runs, and whether it has the original form."""
    if type(saved) is list:
        pairs = [_unpacked_slot(each, node) for each in saved]
        return [each for each, _ in pairs], all([alike for _, alike in pairs])
    if type(saved) is not Packed:
        return saved, True
    self = saved.unpack(node)
    alike = form_of(self._array) == saved.like
    if saved.is_output:
        cell = version_of(self)
        return (self._array, cell, cell[0], saved.edge), alike
    return save_input(self), alike


class SavedTensor:
    """A tensor as a node keeps it: `_raw_saved_<name>`."""

    __module__ = "torch._C._autograd"
    __slots__ = ("__weakref__", "_get", "_node", "_set")

    _node: Any
    _get: Callable[[], Any]
    _set: Callable[[Any], None]

    def __init__(self, *args: Any) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @property
    def data(self) -> Any:
        """The result of the pack hook, or the kept tensor as it is now; None if it was freed, or if
        nothing was kept."""
        saved = self._get()
        if type(saved) is Packed:
            return saved.data
        if saved is FREED:
            return None
        if is_output(saved):
            return load_saved_output_tensor(saved, self._node, check=False).detach()
        if type(saved) is SeenNumber:
            return saved.tensor
        return saved[0] if type(saved) is tuple else saved

    @property
    def unpack_hook(self) -> Callable[[Any], Any] | None:
        """The function that makes the tensor from `data`; None if no hook packed it. So a program
        can find out whether reading the tensor would run code, without running it."""
        saved = self._get()
        return saved.unpack_hook if type(saved) is Packed else None

    def unpack(self) -> Any:
        """The tensor."""
        return seen_value(self._get(), self._node)

    def register_hooks(self, *hooks: Callable[..., Any]) -> None:
        """Packs the tensor with its own (pack, unpack). RuntimeError if it has a pair, or was
        freed."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise incompatible(
                "register_hooks", f"self: torch._C._autograd.SavedTensor, {PAIR}", (self, *hooks)
            )
        saved = self._get()
        if type(saved) is Packed:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
                "only one pair of hooks is allowed at a time."
            )
        if saved is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor with value None is forbidden"
            )
        if saved is FREED:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. "
                + FREED_TEXT.partition("). ")[2].replace("saved tensors", "saved variables")
            )
        if is_output(saved):
            detached = load_saved_output_tensor(saved, self._node, check=False).detach()
            self._set(pack_output(saved, self._node, detached, hooks))
        elif type(saved) is SeenNumber:
            packed = pack_input(saved.tensor, hooks, saved.tensor.detach())
            packed.like = None  # a tensor promotes in a formula on arrays, a number does not
            self._set(packed)
        else:  # a tensor written since is packed as it is now
            tensor = saved[0] if type(saved) is tuple else saved
            self._set(pack_input(saved, hooks, tensor.detach()))


def raw(node: Any, get: Callable[[], Any], put: Callable[[Any], None]) -> SavedTensor:
    """The SavedTensor of the saved value that `get()` returns and `put(saved)` replaces."""
    self = object.__new__(SavedTensor)
    self._node, self._get, self._set = node, get, put
    return self


def raw_slot(node: Any, name: str) -> Any:
    """The value of `_raw_saved_<name>`: a SavedTensor, or a tuple of them for a list of tensors."""
    slot = "saved_" + name
    saved = getattr(node, slot)
    if type(saved) is not list:
        look = node.seen_number  # it shows a tensor, not a number
        return raw(node, lambda: look(name), lambda new: put(node, slot, new))

    def member(i: int) -> SavedTensor:
        def replace(new: Any) -> None:
            held = getattr(node, slot)
            put(node, slot, [*held[:i], new, *held[i + 1 :]])

        return raw(node, lambda: getattr(node, slot)[i], replace)

    return tuple([member(i) for i in range(len(saved))])


OF_NODES.raw_slot = raw_slot
