"""Objects with a fixed set of attributes, and classes that errors call by their full name."""

from __future__ import annotations

from typing import Any, NoReturn

assign = object.__setattr__


class FullyNamed(type):
    """The class of classes that Python's errors call by module and name: 'torch.Size'.

    CPython keeps a name for its errors beside those that `__qualname__` and `repr` read. Types
    written in C, as torch's are, have the module in it. `__name__` stays the short one.
    """

    def __new__(
        mcs, name: str, bases: tuple[type, ...], members: dict[str, Any], **named: Any
    ) -> FullyNamed:
        made = super().__new__(mcs, name, bases, members, **named)
        module = made.__module__
        if module.partition(".")[0] == "torch":  # not the classes that programs derive
            _NAME.__set__(made, f"{module}.{name}")
        return made

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return cls.__qualname__.rpartition(".")[2]


_NAME: Any = vars(type)["__name__"]
_NAME.__set__(FullyNamed, "type")  # what programs see of it
FullyNamed.__qualname__, FullyNamed.__module__ = "type", "builtins"


def refuse_subclasses(cls: type) -> NoReturn:
    """An `__init_subclass__` that raises CPython's error for a type that is no base of others."""
    base = cls.__bases__[0]
    raise TypeError(f"type '{c_name(base)}' is not an acceptable base type")


class Closed(metaclass=FullyNamed):
    """The base of classes whose objects cannot be changed: an attempt raises torch's error."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{_named(self)}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        if hasattr(type(self), name):
            raise AttributeError(f"attribute '{name}' of '{_named(self)}' objects is not writable")
        raise AttributeError(f"'{_named(self)}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        Closed.__setattr__(self, name, None)


def _named(self: Any) -> str:
    return c_name(type(self))


def c_name(kind: type) -> str:
    """The name that CPython and torch's C++ use in errors: "torch.Size", "int", "re.Pattern".

    Types written in C have the module in it, if they say so; classes written in Python do not.
    """
    try:
        type.__getattribute__(kind, "?")
    except AttributeError as error:  # type object '...' has no attribute '?'
        name = str(error).split("'")[1]
        full = f"{kind.__module__}.{kind.__qualname__}"
        return name if len(name) < 50 else full if full.startswith(name) else kind.__name__
    return kind.__name__
