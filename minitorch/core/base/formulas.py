"""F, the language of formulas: every operator by name, on bare arrays (RAW) and on Tensors (OPS).

The operators themselves are declared in higher layers, which add them here. `F.name` is RAW's in
an ordinary backward, and OPS's under create_graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.arrays.missing import is_numberless
from minitorch.core.numbers.dtype import dtype


def is_complex(x: Any) -> bool:
    """Whether the array or Tensor that a formula got holds complex numbers."""
    own = x.dtype
    return own.is_complex if type(own) is dtype else own.kind == "c"


def may_be_zero(x: Any) -> bool:
    """Whether an element of `x` is zero, or unreadable, as inside a function transform."""
    if getattr(x, "_level", None) is not None or is_numberless(getattr(x, "_array", x)):
        return True
    return bool((x == 0).any())


def against(slope: Any, grad: Any) -> Any:
    """-grad * slope. The slope is computed first: torch's C++ evaluates from the right."""
    return -grad * slope


class Language:
    """A namespace of operators.

    It has no __getattr__ that would make operators at their first use: each name in a formula would
    cost 17 ns more.
    """

    def declare(self, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        """Adds an operator by name; it is made at its first call."""
        self.__dict__[name] = _Unmade((self, name, make))

    def wait(self, name: str, load: Callable[[], None]) -> None:
        """Adds an operator by name that load() will define."""
        self.__dict__[name] = _Absent((self, name, load))

    def lacks(self, name: str) -> bool:
        """Whether no loaded operator has this name."""
        found = self.__dict__.get(name)
        return found is None or type(found) is _Absent


# Stand-ins for operators that are not made yet: (language, name, the function that makes or loads
# the operator). They are tuples for the reason that `Deferred` gives.


class _Unmade(tuple[Any, ...]):
    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        language, name, make = self
        function = make()
        if language.__dict__.get(name) is self:
            language.__dict__[name] = function
        return function(*args, **kwargs)


class _Absent(tuple[Any, ...]):
    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        language, name, load = self
        load()
        return language.__dict__[name](*args, **kwargs)


RAW: Any = Language()
OPS: Any = Language()
