"""F, the language of formulas: every operator by name, on bare arrays (RAW) and on Tensors (OPS).

The operators themselves are declared layers above; they put themselves in here. `F.name` in an
ordinary backward is RAW's, under create_graph OPS's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.arrays.missing import is_numberless
from minitorch.core.numbers.dtype import Kind


def is_complex(x: Any) -> bool:
    """Whether an array or a Tensor, whichever a formula got, holds complex numbers."""
    return x.dtype.kind in ("c", Kind.COMPLEX)


def may_be_zero(x: Any) -> bool:
    """Whether an element of `x` is zero, or cannot be looked at: one of a function transform."""
    if getattr(x, "_level", None) is not None or is_numberless(getattr(x, "_array", x)):
        return True
    return bool((x == 0).any())


def against(slope: Any, grad: Any) -> Any:
    """-grad * slope. The slope is computed before, as in torch, whose C++ begins at the right."""
    return -grad * slope


class Language:
    """A namespace of operators.

    It has no __getattr__ that would make them when they are asked for: that makes each of a
    formula's names cost 17 ns more.
    """

    def declare(self, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        """Gives a name to an operator which is made when it is first called."""
        self.__dict__[name] = _Unmade((self, name, make))

    def wait(self, name: str, load: Callable[[], None]) -> None:
        """Gives a name to an operator that is not there before load()."""
        self.__dict__[name] = _Absent((self, name, load))

    def lacks(self, name: str) -> bool:
        """Whether no operator that is there has this name."""
        found = self.__dict__.get(name)
        return found is None or type(found) is _Absent


# Stand-ins that take the calls of an operator: (its language, its name, the function that makes or
# loads it). Tuples, for the reason of `Deferred`.


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
