"""Short pieces of code that people write: value and whole graph, and what autograd promises beyond.

A source is a folder of `snippets/`, named by its subject, and a family is a file of it: a comment
line is the label of the piece below it, which begins with the torch name that the piece is about.
In a text file each line is a piece by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.forward_mode import prepare_torch
from conformance.cases.snippet import Snippet
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets"


@dataclass(frozen=True)
class Pieces:
    """The source of one subject."""

    subject: str

    def keys(self, options: Options) -> list[str]:
        """Returns the families."""
        prepare_torch()
        return families(FOLDER / self.subject)

    def cases(self, key: str, options: Options) -> Iterator[Snippet]:
        """Yields the pieces of one family."""
        return pieces(next((FOLDER / self.subject).glob(f"{key}.*")))


def families(folder: Path) -> list[str]:
    """Returns the names of the files of pieces in a folder."""
    return sorted(file.stem for file in folder.glob("*.*"))


def pieces(file: Path) -> Iterator[Snippet]:
    """Yields the pieces of a file: what stands between lines that begin with `# `, or each line."""
    if file.suffix == ".txt":
        for line in file.read_text().splitlines():
            yield Snippet(line + "\n", f"{file.stem}: {line}")
        return
    for block in ("\n" + file.read_text()).split("\n# ")[1:]:
        label, _, source = block.partition("\n")
        yield Snippet(source.strip() + "\n", f"{file.stem}: {label.strip()}")
