"""torch.utils.weak: dictionaries whose keys are objects by identity, held weakly."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any
from weakref import ref

from minitorch.core.tensor.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]

WeakRef = ref


class WeakIdRef(ref):
    """A weak reference that equals another one if both are to the very same object."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        self._id = id(key)
        super().__init__(key, callback)

    def __call__(self) -> Any:
        """The object; None if it is gone."""
        found = super().__call__()
        fix = getattr(found, "_fix_weakref", None)
        if fix is not None:
            fix()
        return found

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        a, b = self(), other() if isinstance(other, ref) else None
        if a is not None and b is not None:
            return a is b
        return self is other


class _WeakHashRef(ref):
    """A weak reference that equals another one if the objects are equal."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        self._id = hash(key)
        super().__init__(key, callback)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        a, b = self(), other() if isinstance(other, ref) else None
        if a is not None and b is not None:
            return a == b
        return self is other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary of objects by identity, whose entries go when their keys go."""

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        me = weakref.ref(self)

        def remove(key: Any) -> None:
            self = me()
            if self is not None:
                self.data.pop(key, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __len__(self) -> int:
        return len(self.data)

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key in map(_object_of, list(self.data)) if key is not None])

    def items(self) -> Any:
        """The keys that are left, with their values."""
        pairs = [(_object_of(key), value) for key, value in list(self.data.items())]
        return iter([pair for pair in pairs if pair[0] is not None])

    def keys(self) -> Any:
        """The keys that are left."""
        return iter(self)

    def values(self) -> Any:
        """The values whose keys are left."""
        return iter([value for _, value in self.items()])

    def keyrefs(self) -> list[Any]:
        """The weak references to the keys."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary:
        """A dictionary of the same entries."""
        new = WeakIdKeyDictionary()
        for key, value in self.items():
            new[key] = value
        return new

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> WeakIdKeyDictionary:
        from copy import deepcopy

        new = type(self)()
        for key, value in self.items():
            new[key] = deepcopy(value, memo)
        return new

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, `default` if it has none."""
        return self.data.get(self.ref_type(key), default)

    def popitem(self) -> Any:
        """Takes an entry out."""
        while True:
            key, value = self.data.popitem()
            found = key()
            if found is not None:
                return found, value

    def pop(self, key: Any, *args: Any) -> Any:
        """Takes the entry of a key out."""
        return self.data.pop(self.ref_type(key), *args)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which is `default` from now on if it had none."""
        return self.data.setdefault(self.ref_type(key, self._remove), default)

    def update(self, dict: Any = None, **kwargs: Any) -> None:
        """Takes over the entries of another mapping."""
        pairs = dict.items() if isinstance(dict, Mapping) else dict or ()
        for key, value in pairs:
            self[key] = value
        if kwargs:
            self.update(kwargs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(key): value for key, value in self.items()} == {
            id(key): value for key, value in other.items()
        }

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        result = self.copy()
        result.update(other)
        return result

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        result = type(self)()
        result.update(other)
        result.update(self)
        return result


WeakTensorKeyDictionary = WeakIdKeyDictionary


def _object_of(reference: Any) -> Any:
    return reference()


class TensorWeakRef:
    """A weak reference to a tensor."""

    ref: Any

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        """The tensor; None if it is gone."""
        found = self.ref()
        if found is not None and not isinstance(found, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(found)}.")
        return found
