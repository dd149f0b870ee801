"""The named tuples of operators with several named outputs, such as torch.return_types.max."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from minitorch.core.numbers.closed import FullyNamed, refuse_subclasses

RETURN_TYPES: dict[str, type] = {}  # name -> class; minitorch/return_types.py shows them


class ReturnType(tuple[Any, ...], metaclass=FullyNamed):
    """A tuple whose items also have names. As CPython's PyStructSequence."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    n_fields = n_sequence_fields = n_unnamed_fields = 0

    def __new__(cls, sequence: Iterable[Any], dict: Any = None) -> ReturnType:
        """The outputs as this type. TypeError for another number of them."""
        if type(sequence) is tuple and len(sequence) == cls.n_fields:
            return tuple.__new__(cls, sequence)  # the ordinary case, 0.4 us sooner
        if not isinstance(sequence, Iterable):
            raise TypeError("constructor requires a sequence")
        items = tuple(sequence)
        if len(items) != cls.n_fields:
            raise TypeError(
                f"torch.return_types.{cls.__name__}() takes a {cls.n_fields}-sequence "
                f"({len(items)}-sequence given)"
            )
        return tuple.__new__(cls, items)

    def __repr__(self) -> str:
        lines = [f"{n}={x!r}" for n, x in zip(self.__match_args__, self, strict=True)]
        return f"torch.return_types.{type(self).__name__}(\n" + ",\n".join(lines) + ")"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self).__name__, self.__match_args__, tuple(self))


def _rebuild(name: str, fields: tuple[str, ...], items: tuple[Any, ...]) -> ReturnType:
    """The named tuple that pickle loads; its class may not have been made yet in this process."""
    return return_type(name, fields)(items)


def return_type(name: str, fields: Sequence[str]) -> type[ReturnType]:
    """The class torch.return_types.<name> with these fields, made on first need."""
    found = RETURN_TYPES.get(name)
    if found is None:
        members: dict[str, Any] = {
            "__module__": "torch.return_types",
            "__slots__": (),
            "__init_subclass__": refuse_subclasses,
            "__match_args__": tuple(fields),
            "n_fields": len(fields),
            "n_sequence_fields": len(fields),
            **{field: property(itemgetter(i)) for i, field in enumerate(fields)},
        }
        found = RETURN_TYPES[name] = FullyNamed(name, (ReturnType,), members)
    return found


def written_type(kind: type) -> Any:
    """The type in place of `kind` for a call with out=: torch.return_types.max_out for max."""
    if issubclass(kind, ReturnType):
        return return_type(kind.__name__ + "_out", kind.__match_args__)
    return kind
