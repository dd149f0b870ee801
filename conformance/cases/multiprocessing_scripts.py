"""torch.multiprocessing and the workers of DataLoader: scripts that start processes.

Each file of `snippets/multiprocessing/` is run as a process, as source `scripts` does, and starts
further ones by fork or spawn; what is printed is compared text for text. A started process imports
the library by itself. The scripts join what they start, and wait for nothing without a limit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from conformance.cases import scripts
from conformance.cases.case import Outcome
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "multiprocessing"
HELPER = "shown"  # which the scripts import
EVERY = 3  # of the scripts, where they are sampled: each process that imports torch takes 2 s


@dataclass
class Program(scripts.Script):
    """A script that starts processes."""

    neighbours = 0

    def computed(self, torch: ModuleType, double: bool, seed: int | None = None) -> Outcome:
        """Runs the script once more with real torch: its numbers are exact in either precision."""
        return self.run(torch)


def keys(options: Options) -> list[str]:
    """Returns the scripts by name; where they are sampled, a part of them."""
    names = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != HELPER)
    return names[options.seed % EVERY :: EVERY] if options.sampled else names


def cases(key: str, options: Options) -> Iterator[Program]:
    """Yields the one script of this name."""
    yield Program(FOLDER / f"{key}.py")
