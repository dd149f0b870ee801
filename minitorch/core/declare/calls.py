"""Calls: how torch treats calls of a function or method, as its row or composite declares it.

It declares which arguments may take a call over (`__torch_function__`, modes), in which language
torch writes the function, and how the function reads its arguments. Most rows need none: they are
C++ in torch, any argument may take the call over, and conjugates and negatives are copied first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.declare.struct import Struct

ALWAYS, AS_METHOD = "always", "as a method"
EVERY_ARGUMENT, SELF, MODES = "every argument", "self", "modes"
NO_ARGUMENT = "no argument"
BITS, CONJUGATES = "bits", "conjugates"


class Calls(Struct):
    """How torch treats calls of an operator.

    in_python: when the operator is Python in torch: ALWAYS, or AS_METHOD alone.
    asks: which arguments may take the call over: EVERY_ARGUMENT; SELF alone, for a method; MODES
        alone; or NO_ARGUMENT, and no mode either.
    lists: whether a Python function ignores tensors in a list, and passes lists to a C++ function,
        which does not ignore them.
    removed: whether the function only raises an error.
    itself_alone: whether modes get the class of `self` although the method has more arguments.
    untold: the options that torch leaves out of a call that is taken over.
    reads: BITS if the operator reads conjugates and negatives as they are, CONJUGATES if only
        conjugates. Other operators that write nothing get copies, and modes see the copying.
    falls_back: whether torch's fallbacks for conjugates and negatives run before a composite in
        inference mode, because torch does not list it as one that only moves or makes tensors.
    numbers: whether the operator takes numbers in place of tensors.
    joins: (its arguments) -> whether its kernel calls `cat`, whose dtypes autocast checks.
    copies_out: whether an operator made of others calls these without out=, and copies the result.
    counted: whether a write into a subclass that sees operators counts in its version.
    """

    in_python: str = ""
    asks: str = EVERY_ARGUMENT
    lists: bool = False
    removed: bool = False
    itself_alone: bool = False
    untold: tuple[str, ...] = ()
    reads: str = ""
    falls_back: bool = False
    numbers: bool = False
    joins: Callable[..., Any] | None = None
    copies_out: bool = False
    counted: bool = True


IN_PYTHON = Calls(in_python=ALWAYS)
READS_BITS = Calls(reads=BITS)
READS_CONJUGATES = Calls(reads=CONJUGATES)
PLAIN_CALLS = Calls()
CALLS: dict[str, Calls] = {}  # by the name of the function or method


def calls_of(name: str) -> Calls:
    """The Calls of the function or method of a name."""
    return CALLS.get(name, PLAIN_CALLS)


def takes_numbers(name: str) -> bool:
    """Whether a function, or its in-place variant, takes numbers in place of tensors."""
    return calls_of(name).numbers or calls_of(name.removesuffix("_")).numbers
