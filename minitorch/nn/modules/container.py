"""Containers: modules and parameters in a row, in a list, or by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.tensor.type_names import typename
from minitorch.nn.modules.module import Module, _indented

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, length: int) -> int:
    """`index` counted from the front. IndexError outside [-length, length)."""
    position = operator.index(index)
    if not -length <= position < length:
        raise IndexError(f"index {position} is out of range")
    return position % length


@named_by_subclasses("__len__", "__iter__", "__setitem__", "__delitem__", "_get_item_by_idx")
class _Row(Module):
    """Modules in order, named by their positions."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def _key_of_index(self, index: Any) -> str:
        return list(self._modules)[_position(index, len(self))]

    def _get_abs_string_index(self, idx: Any) -> str:
        """The name of the entry at `idx`, counted from the end if it is negative."""
        return str(_position(idx, len(self)))

    def _get_item_by_idx(self, iterator: Iterable[Any], idx: Any) -> Any:
        """The entry at place `idx` of `iterator`."""
        return next(islice(iterator, _position(idx, len(self)), None))

    def _renumber(self, modules: Iterable[Any]) -> None:
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def __setitem__(self, idx: Any, module: Module) -> None:
        setattr(self, self._key_of_index(idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for key in list(self._modules)[idx]:
                delattr(self, key)
        else:
            delattr(self, self._key_of_index(idx))
        self._renumber(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]


class Container(Module):
    """A module of modules, given by their names. Deprecated.

    Args:
        **kwargs: names and modules. The constructor warns: subclass Module instead.

    As torch.nn.Container.
    """

    def __init__(self, **kwargs: Any) -> None:
        import warnings

        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in "
            "`nn.Module`. Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class Sequential(_Row):
    """Modules called one after the other, each with the output of the one before.

    Args:
        *args: the modules, which get the names '0', '1', ...; or one OrderedDict of names and
            modules.

    Shape:
        Input: that of the first module. Output: that of the last.

    Raises:
        TypeError: for an argument that is no Module.

    As torch.nn.Sequential.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key_of_index(idx)]

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)!s} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                "add operator supports only objects of Sequential class, but "
                f"{type(other)!s} is given."
            )
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*list(self) * self._repetitions(other, "__mul__"))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        times = self._repetitions(other, "__imul__")
        return self.extend(list(self) * (times - 1))

    def _repetitions(self, other: Any, name: str) -> int:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def append(self, module: Module) -> Sequential:
        """Adds a module at the end. Returns self.

        Args:
            module: the module.

        Raises:
            TypeError: if it is no Module.
        """
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Adds a module before position `index`. Returns self.

        Args:
            index: from -len(self) to len(self).
            module: the module. Those behind it get higher numbers.

        Raises:
            AssertionError: if it is no Module.
            IndexError: for an index outside of that range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        index = index + length if index < 0 else index
        # One after the other moves up by its number: KeyError for modules of other names.
        for i in range(length, index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Adds modules at the end. Returns self.

        Args:
            sequential: an iterable of modules.

        Raises:
            TypeError: if one is no Module.
        """
        for module in list(sequential):
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Takes the module at a position out and returns it.

        Args:
            key: the position, or a slice for several.

        Raises:
            IndexError: if there is no such position.
        """
        module = self[key]
        del self[key]
        return module


class ModuleList(_Row):
    """A list of modules.

    It has no forward: a program calls its members. `+` gives a new list, `+=` extends this one.

    Args:
        modules: an iterable of modules, which get the names '0', '1', ...; None for no modules.

    Raises:
        TypeError: if `modules` is not iterable, or a member is no Module.

    As torch.nn.ModuleList.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _key_of_index(self, index: Any) -> str:
        return str(_position(index, len(self)))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key_of_index(idx)]

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        combined = ModuleList()
        combined._renumber(chain(self, other))
        return combined

    def insert(self, index: int, module: Module) -> None:
        """Adds a module before position `index`.

        Args:
            index: as of list.insert: too large a one adds at the end.
            module: the module. Those behind it get higher numbers.
        """
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def append(self, module: Module) -> ModuleList:
        """Adds a module at the end. Returns self.

        Args:
            module: the module.

        Raises:
            TypeError: if it is no Module.
        """
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Takes the module at a position out and returns it.

        Args:
            key: the position, or a slice for several.

        Raises:
            IndexError: if there is no such position.
        """
        module = self[key]
        del self[key]
        return module

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Adds modules at the end. Returns self.

        Args:
            modules: an iterable of modules.

        Raises:
            TypeError: if it is not iterable, or one is no Module.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        runs: list[list[Any]] = []  # [first, last, text] of equal neighbours
        for i, text in enumerate([repr(module) for module in self]):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        if not runs:
            return self._get_name() + "()"
        lines = [
            _indented(f"({i}): {text}" if i == j else f"({i}-{j}): {j - i + 1} x {text}")
            for i, j, text in runs
        ]
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """Modules by name.

    It has no forward: a program calls its members. The order is that in which names were added.

    Args:
        modules: a mapping or an iterable of (name, module) pairs; None for no modules.

    Raises:
        TypeError: if `modules` is not iterable, or a member is no Module.
        ValueError: for a pair that is none.
        KeyError: for a name with a dot.

    As torch.nn.ModuleDict.
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Takes the module `key` out and returns it.

        Args:
            key: the name.

        Raises:
            KeyError: if there is no such module.
        """
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Any:
        return self._modules.keys()

    def items(self) -> Any:
        return self._modules.items()

    def values(self) -> Any:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds or replaces the modules of a mapping or of (name, module) pairs.

        Args:
            modules: the mapping, or an iterable of pairs.

        Raises:
            TypeError: if it is not iterable, or a member is no Module.
            ValueError: for a pair that is none.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        if isinstance(modules, Mapping | ModuleDict):
            modules = modules.items()
        for i, pair in enumerate(modules):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ModuleDict update sequence element #{i} should be Iterable; is"
                    f"{type(pair).__name__}"
                )
            if len(pair) != 2:
                raise ValueError(
                    f"ModuleDict update sequence element #{i} has length {len(pair)}; 2 is required"
                )
            name, module = pair
            self[name] = module


def _described(value: Any, sizes: str) -> str:
    """A member of a ParameterList or ParameterDict as their reprs show it."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    dtype = typename(value) if sizes == "dict" else value.dtype
    size = "x".join(map(str, value.shape))
    device = "" if not value.is_cuda else f" ({value.device})"
    return f"{kind} containing: [{dtype} of size {size}{device}]"


class ParameterList(Module):
    """A list of parameters; Tensors put into it become Parameters.

    Other objects stay as they are, and are no parameters. It has no forward.

    Args:
        values: an iterable, whose members get the names '0', '1', ...; None for no values.

    Raises:
        TypeError: if `values` is not iterable, or a Tensor.

    As torch.nn.ParameterList.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[i] for i in range(len(self))[idx]])
        return getattr(self, str(_position(idx, len(self))))

    def __setitem__(self, idx: Any, param: Any) -> None:
        if isinstance(param, Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        setattr(self, str(_position(idx, len(self))), param)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters: Iterable[Any]) -> ParameterList:
        return self.extend(parameters)

    def append(self, value: Any) -> ParameterList:
        """Adds a value at the end. Returns self.

        Args:
            value: a Tensor, which becomes a Parameter, or any object.
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Adds values at the end. Returns self.

        Args:
            values: an iterable of such values.

        Raises:
            TypeError: if it is not iterable, or a Tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                + type(values).__name__
            )
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join([f"  ({i}): {_described(each, 'list')}" for i, each in enumerate(self)])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name; Tensors put into it become Parameters.

    Other objects stay as they are, and are no parameters. It has no forward.

    Args:
        parameters: a mapping or an iterable of (name, value) pairs; None for no values. The names
            of a plain dict are sorted first, others keep their order.

    Raises:
        TypeError: if `parameters` is not iterable, or a name is no string.
        ValueError: for a pair that is none.

    As torch.nn.ParameterDict.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type "
                f"is '{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        attribute = self._key_to_attr(key)
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        self._keys[key] = None
        setattr(self, attribute, value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Another ParameterDict of the same values."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of `key`, put there first if it was missing.

        Args:
            key: the name.
            default: the value that is put there.
        """
        if key not in self._keys:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Takes all values out."""
        for key in self._keys.copy():
            del self[key]

    def pop(self, key: str) -> Any:
        """Takes the value of `key` out and returns it.

        Args:
            key: the name.

        Raises:
            AttributeError: if there is no such value.
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Takes the last key and its value out."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of `key`, or `default`.

        Args:
            key: the name.
            default: what is returned if there is no such value.
        """
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A ParameterDict with one value for all keys.

        Args:
            keys: the names.
            default: the value.
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        return self._keys.keys()

    def items(self) -> Any:
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Any:
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Adds or replaces the values of a mapping or of (name, value) pairs.

        Args:
            parameters: the mapping, or an iterable of pairs. The names of a plain dict are sorted
                first.

        Raises:
            TypeError: if it is not iterable, or a name is no string.
            ValueError: for a pair that is none.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but "
                "got " + type(parameters).__name__
            )
        if isinstance(parameters, OrderedDict | ParameterDict):
            parameters = parameters.items()
        elif isinstance(parameters, Mapping):
            parameters = sorted(parameters.items())
        for i, pair in enumerate(parameters):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"ParameterDict update sequence element #{i} should be Iterable; is"
                    f"{type(pair).__name__}"
                )
            if len(pair) != 2:
                raise ValueError(
                    f"ParameterDict update sequence element #{i} has length {len(pair)}; 2 is "
                    "required"
                )
            key, value = pair
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join([f"  ({key}): {_described(each, 'dict')}" for key, each in self.items()])

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        result = other.copy()
        result.update(self)
        return result

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self
