"""What stands between a call and its kernel: modes, trees, libraries of operators, flop counts.

Families of pieces lie in `snippets/modes/`.
"""

from collections.abc import Iterator
from pathlib import Path

from conformance.cases.graphs import families, pieces
from conformance.cases.snippet import Snippet
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "modes"


def keys(options: Options) -> list[str]:
    """Returns the families."""
    return families(FOLDER)


def cases(key: str, options: Options) -> Iterator[Snippet]:
    """Yields the pieces of one family."""
    return pieces(FOLDER / f"{key}.py")
