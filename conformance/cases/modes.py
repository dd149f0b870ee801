"""The layer between a call and its kernel: modes, trees, lists of tensors, flop counts.

Families of pieces lie in `snippets/modes/`; with each operator of op_db, `seen_calls.py` looks at
the calls that modes see.
"""

from collections.abc import Iterator
from pathlib import Path

from conformance.cases import seen_calls
from conformance.cases.case import Case
from conformance.cases.pieces import families, pieces
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "modes"


def keys(options: Options) -> list[str]:
    """Returns the families, and each kind of mode with each operator."""
    return [*families(FOLDER), *seen_calls.keys(options)]


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the pieces of one family, or the calls of one operator."""
    if "/" in key:
        return seen_calls.cases(key, options)
    return pieces(FOLDER / f"{key}.py")
