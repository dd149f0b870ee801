"""Public functions, described for the code that refuses or repeats their calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.struct import Struct


class Missing:
    """The type of MISSING, which a parameter without a default holds if the call left it out."""

    def __repr__(self) -> str:
        return "<required>"


class Unset:
    """The default of a parameter whose function must know whether a call gave the parameter."""

    def __repr__(self) -> str:
        return "<unset>"


MISSING = Missing()
UNSET: Any = Unset()


class Misfit(TypeError):
    """A call with too many or too few arguments, or with unknown names."""


class Public(Struct):
    """A function as programs call it.

    path: its name in torch's parser, 'torch.sum' or 'Tensor.sum'.
    function: the function that is called again.
    positional, named: its parameters but `*rest` and `**others`, with their defaults.
    texts: its signatures if torch's list has none.
    """

    path: str
    function: Callable[..., Any]
    positional: dict[str, Any]
    named: dict[str, Any]
    texts: Callable[[], tuple[str, ...]] | None = None

    @property
    def name(self) -> str:
        return self.path.partition(".")[2]

    @property
    def is_method(self) -> bool:
        return self.path.startswith("Tensor.")
