"""What a row or composite says of calls of its function and method: Calls.

Whom torch asks before it computes (`__torch_function__`, modes), in which language it writes the
function, and how it reads the arguments. Most say nothing: C++ writes them, which asks every
argument, and reads conjugates and negatives by a copy.
"""

from __future__ import annotations

from minitorch.core.declare.struct import Struct

ALWAYS, AS_METHOD = "always", "as a method"
EVERY_ARGUMENT, SELF, MODES = "every argument", "self", "modes"
NO_ARGUMENT = "no argument"
BITS, CONJUGATES = "bits", "conjugates"


class Calls(Struct):
    """What is true of calls of an operator.

    in_python: where torch writes it in Python: ALWAYS, or AS_METHOD alone.
    asks: whom it asks whether they take the call over: EVERY_ARGUMENT; of a method, SELF alone;
        MODES alone; or NO_ARGUMENT, and no mode either.
    lists: of one in Python, that it looks at no tensor within a list, but hands lists to a function
        of C++ that does.
    removed: whether it is no more than an error.
    itself_alone: of a method with more arguments, that modes are told its class all the same.
    untold: which of its options torch does not tell who takes the call over.
    reads: that it reads conjugates and negatives as they are (BITS), or CONJUGATES alone; the
        others that write nothing are given copies, which modes see.
    falls_back: of a composite, that torch's fallbacks for conjugates and negatives come first where
        autograd does not: not in its lists of those that only move or make tensors.
    numbers: whether numbers are taken where it has tensors.
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
    """What is true of calls of the function or method of a name."""
    return CALLS.get(name, PLAIN_CALLS)


def takes_numbers(name: str) -> bool:
    """Whether a function, or its in-place variant, takes numbers where it has tensors."""
    return calls_of(name).numbers or calls_of(name.removesuffix("_")).numbers
