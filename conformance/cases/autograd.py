"""What `torch.autograd` promises beyond values: hooks, Functions, modes, checkpoints, transforms.

A family is a file of `snippets/autograd/`, written as those of the source `graphs` are.
"""

from collections.abc import Iterator
from pathlib import Path

from conformance.cases.forward_mode import prepare_torch
from conformance.cases.graphs import families, pieces
from conformance.cases.snippet import Snippet
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "autograd"


def keys(options: Options) -> list[str]:
    """Returns the families."""
    prepare_torch()
    return families(FOLDER)


def cases(key: str, options: Options) -> Iterator[Snippet]:
    """Yields the pieces of one family."""
    return pieces(FOLDER / f"{key}.py")
