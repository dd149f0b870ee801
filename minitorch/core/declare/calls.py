"""Calls: how torch treats calls of a function or method, as its row or composite declares it.

It declares which arguments torch asks before it computes (`__torch_function__`, modes), in which
language torch writes the function, and how the function reads its arguments. Most rows need none:
torch writes them in C++, asks every argument, and copies conjugates and negatives before reading.
"""

from __future__ import annotations

from minitorch.core.declare.struct import Struct

ALWAYS, AS_METHOD = "always", "as a method"
EVERY_ARGUMENT, SELF, MODES = "every argument", "self", "modes"
NO_ARGUMENT = "no argument"
BITS, CONJUGATES = "bits", "conjugates"


class Calls(Struct):
    """How torch treats calls of an operator.

    in_python: where torch writes the operator in Python: ALWAYS, or AS_METHOD alone.
    asks: which arguments may take the call over: EVERY_ARGUMENT; of a method, SELF alone; MODES
        alone; or NO_ARGUMENT, and no mode either.
    lists: whether one in Python looks at no tensor within a list, but hands lists to a C++ function
        that does.
    removed: whether the function only raises an error.
    itself_alone: whether modes are told the class of `self` although the method has more arguments.
    untold: the options that torch leaves out of a call that is taken over.
    reads: BITS if the operator reads conjugates and negatives as they are, CONJUGATES if conjugates
        alone; others that write nothing get copies, and modes see the copying.
    falls_back: of a composite, whether torch's fallbacks for conjugates and negatives run before it
        in inference mode, as torch does not list it among those that only move or make tensors.
    numbers: whether the operator takes numbers in place of tensors.
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


IN_PYTHON = Calls(in_python=ALWAYS)
READS_BITS = Calls(reads=BITS)
READS_CONJUGATES = Calls(reads=CONJUGATES)
PLAIN_CALLS = Calls()
CALLS: dict[str, Calls] = {}  # by the name of the function or method


def calls_of(name: str) -> Calls:
    """The Calls of the function or method of a name."""
    return CALLS.get(name, PLAIN_CALLS)


def takes_numbers(name: str) -> bool:
    """Whether a function, or its in-place variant, takes numbers where it has tensors."""
    return calls_of(name).numbers or calls_of(name.removesuffix("_")).numbers
