"""torch.distributed: scripts that two or three ranks run, with gloo and with what stands for it.

Each file of `snippets/distributed/` is started once for each rank, in processes of their own, and
what every rank prints is compared text for text: digests of the bits of results, and errors. A line
`# ranks: 2 3` says with how many ranks.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from conformance.cases import scripts
from conformance.cases.case import Outcome
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "distributed"
HELPER = "meeting"  # which the scripts import


@dataclass
class Ranks(scripts.Starter):
    """A script and a number of ranks."""

    number: int = 2

    @property
    def label(self) -> str:
        """The file's name, and how many ranks run it."""
        return f"{self.file.name}, {self.number} ranks"

    def _ended(self, runner: list[str]) -> Outcome:
        started = [sys.executable, "-m", "conformance.cases.ranks", str(self.number)]
        return super()._ended([*started, *runner])


def keys(options: Options) -> list[str]:
    """Returns the scripts by name; none where there is no engine for several ranks."""
    if find_spec("mpi4py") is None:
        return []
    return sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != HELPER)


def cases(key: str, options: Options) -> Iterator[Ranks]:
    """Yields the script of this name, once for each number of ranks."""
    file = FOLDER / f"{key}.py"
    found = re.search(r"^# ranks: ([\d ]+)$", file.read_text(), re.MULTILINE)
    for number in found[1].split() if found else ["2"]:
        yield Ranks(file, number=int(number))


def remarks(seconds: dict[str, float]) -> Iterator[str]:
    """Yields why nothing was examined, where nothing was."""
    if find_spec("mpi4py") is None:
        yield "distributed: skipped, since mpi4py is not installed: pip install mpi4py mpich"
