"""Tables: the tensors, storages and nodes of a recording, found again without being kept alive."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from minitorch.study.libraries.library import Library
from minitorch.study.libraries.saved import KEPT, saved_values
from minitorch.study.tape.recording import (
    Edge,
    NodeInfo,
    Recording,
    SavedInfo,
    StorageInfo,
    TensorInfo,
)

_UNTOLD = ("_sizes", "_strides", "_sym_size", "_numel", "_options")  # of saved values: noise
_TEXT = 60  # characters of the text of a value that is no tensor


class _Thread(threading.local):
    """The sequence number of the youngest node that a thread has made: torch counts by threads."""

    latest = -1


class Tables:
    """Gives numbers to what a program makes."""

    def __init__(self, library: Library, recording: Recording) -> None:
        self.library = library
        self.recording = recording
        self._tensors = recording.live
        self._storages: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._places: dict[tuple[Any, ...], int] = {}  # storage, offset, shape -> tensor
        self._accumulators: dict[int, int] = {}  # leaf -> node
        self._thread = _Thread()

    def forget(self) -> None:
        """Lets go of all but the numbers of tensors: what dies from now on is not noted."""
        self._storages.clear()
        self._places.clear()

    def tensor(self, tensor: Any) -> int:
        """The number of a tensor."""
        key = id(tensor)
        known = self._tensors.get(key)
        if known is not None and known[0]() is tensor:
            info = self.recording.tensors[known[1]]
            if info.leaf:  # which a program may freeze and unfreeze
                info.grad = bool(tensor.requires_grad)
            return known[1]
        number = len(self.recording.tensors)
        self._tensors[key] = weakref.ref(tensor), number
        library = self.library
        leaf, storage = bool(tensor.is_leaf), self.storage(tensor)
        info = TensorInfo(
            shape=list(tensor.shape),
            dtype=library.dtype(tensor),
            bytes=int(tensor.numel() * tensor.element_size()),
            storage=storage,
            leaf=leaf,
            grad=bool(tensor.requires_grad),
            param=library.is_parameter(tensor),
            device=library.device(tensor),
        )
        self.recording.tensors.append(info)
        self._places.setdefault(self._place(tensor, storage), number)
        base = tensor._base
        if base is not None:  # one that the program never saw is none of the recording
            known = self._tensors.get(id(base))
            info.base = known[1] if known is not None and known[0]() is base else None
        return number

    def refresh(self, tensor: Any) -> None:
        """Notes that a write has given a tensor another history."""
        info = self.recording.tensors[self.tensor(tensor)]
        info.leaf, info.grad = bool(tensor.is_leaf), bool(tensor.requires_grad)

    def _place(self, tensor: Any, storage: int) -> tuple[Any, ...]:
        try:
            offset = int(tensor.storage_offset())
        except (RuntimeError, NotImplementedError, AttributeError):  # sparse tensors have none
            offset = 0
        return storage, offset, tuple(tensor.shape)

    def storage(self, tensor: Any) -> int:
        """The number of the storage of a tensor, whose death is noted from now on."""
        owner = self.library.storage_owner(tensor)
        key = id(owner)
        known = self._storages.get(key)
        if known is not None and known[0]() is owner:
            return known[1]
        storages, events = self.recording.storages, self.recording.events
        number = len(storages)
        info = StorageInfo(self.library.storage_bytes(tensor), len(events), None)
        storages.append(info)

        def died(_: Any) -> None:
            info.died = len(events)

        self._storages[key] = weakref.ref(owner, died), number
        return number

    def youngest(self) -> int:
        """The sequence number of the youngest node that this thread has made."""
        return self._thread.latest

    def node(self, node: Any, event: int | None, before: int | None = None) -> int:
        """The number of a node. It and those that it leads to, if they are new, were made by
        `event`; None, and those older than the last one that was made, by no event of the
        recording.

        before: youngest() before the event, which may have made several nodes.
        """
        known = self._known(node)
        if known is not None:
            return known
        if before is None:
            before = self._thread.latest
        first = self._add(node, event, before)
        stack = [(node, first)]
        while stack:
            node, number = stack.pop()
            info = self.recording.nodes[number]
            for into, output in node.next_functions:
                if into is None:
                    info.edges.append(Edge(None, output))
                    continue
                known = self._known(into)
                if known is None:
                    known = self._add(into, event, before)
                    if self.recording.nodes[known].leaf is None:
                        stack.append((into, known))
                info.edges.append(Edge(known, output))
        return first

    def _known(self, node: Any) -> int | None:
        known = self.library.number_of(node)
        if known is None and hasattr(node, "variable"):
            known = self._accumulators.get(self.tensor(node.variable))
            if known is not None:
                self.library.number(node, known)
        return known

    def _add(self, node: Any, event: int | None, before: int) -> int:
        library, nodes = self.library, self.recording.nodes
        number = len(nodes)
        sequence = library.sequence_number(node)
        info = NodeInfo(name=library.node_name(node), seq=sequence, edges=[], saved=[])
        nodes.append(info)
        if hasattr(node, "variable"):
            info.leaf = self.tensor(node.variable)
            self._accumulators[info.leaf] = number
        else:
            if sequence > before:
                info.event = event
                self._thread.latest = max(self._thread.latest, sequence)
            info.saved = self._saved(node)
        library.number(node, number)
        return number

    def _saved(self, node: Any) -> list[SavedInfo]:
        found = []
        with self.library.quiet():
            values = saved_values(node)
        for name, value, state in values:
            if state != KEPT:
                found.append(SavedInfo(name, packed=state))
            elif self.library.is_tensor(value):
                number = self._saved_tensor(value)
                storage = self.recording.tensors[number].storage
                found.append(SavedInfo(name, number, storage, list(value.shape)))
            elif value is not None and not name.endswith(_UNTOLD):
                found.append(SavedInfo(name, text=repr(value)[:_TEXT]))
        return found

    def _saved_tensor(self, tensor: Any) -> int:
        """The number of a tensor that a node keeps, which may be another object than the program's:
        it is known by its memory and shape. A transposed one is named after its original."""
        known = self._tensors.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        storage = self.storage(tensor)
        place = self._place(tensor, storage)
        number = self._places.get(place)
        if number is None:
            number = self.tensor(tensor)
            tensors = self.recording.tensors
            turned = tensors[number].base
            if turned is None:
                turned = self._places.get((*place[:2], place[2][::-1]))
            if turned is not None and tensors[turned].shape == [*place[2]][::-1]:
                name = tensors[turned].name
                tensors[number].name = name and f"{name}ᵀ"
        return number


def tensors_in(kind: type, value: Any) -> list[Any]:
    """The tensors of a class in arguments or results, in lists and dictionaries too, each once."""
    found: list[Any] = []
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, kind):
            if not any([each is other for other in found]):
                found.append(each)
        elif isinstance(each, (list, tuple)):
            stack.extend(reversed(each))
        elif isinstance(each, dict):
            stack.extend(reversed(each.values()))
    return found
