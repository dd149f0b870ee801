"""Names of tensors: those that a program's own variables, modules and containers give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

from minitorch.study.graphs.graph import storages_of
from minitorch.study.libraries.kinds import is_module, is_tensor

MOST_MEMBERS = 1_000  # of a container


class Named(NamedTuple):
    """A tensor and its name."""

    name: str
    tensor: Any


class Names:
    """The names of tensors.

    modules: the module and class of each parameter, by the parameter's id: "2 Linear".
    storages: the keys of all storages that a name leads to.
    """

    def __init__(self, known: Mapping[str, Any]) -> None:
        """Takes the names of tensors, of modules' parameters and buffers, and of the members of
        containers. Of a tensor's several names the variable's own is taken, then the one by the
        module that has most parameters."""
        self.modules: dict[int, str] = {}
        self._by_id: dict[int, Named] = {}
        self._by_storage: dict[int, list[Named]] = {}
        modules = [(name, each) for name, each in known.items() if is_module(each)]
        modules.sort(key=lambda item: -len(list(item[1].parameters())))
        for named in _tensors_of(known):
            self._add(named)
        for name, module in modules:
            self._add_module(name, module)
        for name, value in known.items():
            for named in _members_of(name, value):
                self._add(named)

    @property
    def storages(self) -> set[int]:
        """The keys of the storages that have a name."""
        return set(self._by_storage)

    def of(self, tensor: Any) -> str:
        """The name of this very tensor, "" if it has none."""
        named = self._by_id.get(id(tensor))
        return "" if named is None else named.name

    def of_memory(self, tensor: Any, key: int) -> str:
        """The name of a tensor whose memory this is: with ᵀ if it is transposed, with […] if the
        tensor is another part or shape of it. "" if there is none.

        Args:
            key: that of the tensor's storage.
        """
        known = self._by_storage.get(key, ())
        shape = tuple(tensor.shape)
        for name, other in known:
            if tuple(other.shape) == shape:
                return name
        for name, other in known:
            if len(shape) == 2 and tuple(other.shape) == shape[::-1]:
                return f"{name}ᵀ"
        return f"{known[0].name}[…]" if known else ""

    def _add(self, named: Named) -> None:
        if id(named.tensor) in self._by_id:
            return
        self._by_id[id(named.tensor)] = named
        for storage in storages_of(named.tensor):
            self._by_storage.setdefault(storage.key, []).append(named)

    def _add_module(self, name: str, module: Any) -> None:
        for path, inner in module.named_modules():
            title = f"{path or name} {type(inner).__name__}"
            for each in inner.parameters(recurse=False):
                self.modules.setdefault(id(each), title)
        for path, each in [*module.named_parameters(), *module.named_buffers()]:
            self._add(Named(f"{name}.{path}", each))


def variables_of(frame: FrameType) -> dict[str, Any]:
    """The variables that code in a frame sees, but for those that begin with an underscore, and
    those with names that no program can write, such as pytest's."""
    seen = {**frame.f_globals, **frame.f_locals}
    order = [*frame.f_locals, *[name for name in seen if name not in frame.f_locals]]
    own = [name for name in order if name.isidentifier() and not name.startswith("_")]
    return {name: seen[name] for name in own}


def _tensors_of(known: Mapping[str, Any]) -> Iterator[Named]:
    for name, value in known.items():
        if is_tensor(value):
            yield Named(name, value)


def _members_of(name: str, value: Any) -> Iterator[Named]:
    """The tensors in a list, tuple or dictionary."""
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, (list, tuple)):
        members = enumerate(value[:MOST_MEMBERS])
    elif isinstance(value, dict) and len(value) <= MOST_MEMBERS:
        members = value.items()
    for key, each in members:
        if is_tensor(each):
            yield Named(f"{name}[{key!r}]", each)
