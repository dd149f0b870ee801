"""Lists of ints that may also be written out: x.tile(2, 3)."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.wording.errors import missing_argument
from minitorch.core.declare.wording.plain_numbers import as_sizes


def written_out(name: str, argument: str, numbers: tuple[Any, ...], given: Any) -> tuple[Any, ...]:
    """A list of ints that was given by name, as one sequence, or written out: x.tile(2, 3).

    TypeError if it was given in neither way, or in both.
    """
    if given is None:
        if len(numbers) == 1 and type(numbers[0]) is tuple:
            only: tuple[Any, ...] = numbers[0]
            if not only or type(only[0]) is int:
                return only  # the ordinary case
        if not numbers:
            raise missing_argument(name, argument)
        given = numbers if len(numbers) != 1 or type(numbers[0]) is int else numbers[0]
    elif numbers:
        raise TypeError(f"{name}() got multiple values for argument '{argument}'")
    if type(given) is bool:
        raise TypeError  # worded by the signature
    if not isinstance(given, (tuple, list)):
        given = as_sizes((given,))
    if given and type(given[0]) is bool:  # torch checks no other
        raise TypeError
    return tuple(given)
