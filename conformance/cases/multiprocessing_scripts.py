"""torch.multiprocessing and the workers of DataLoader: scripts that start processes.

Each file of `snippets/multiprocessing/` is run as a process, as source `scripts` does, and starts
further ones by fork or spawn; what is printed is compared text for text. A started process imports
the library by itself. The scripts join what they start, and wait for nothing without a limit.
"""

from collections.abc import Iterator
from pathlib import Path

from conformance.cases import scripts
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "multiprocessing"
HELPER = "shown"  # which the scripts import
EVERY = 3  # of the scripts, where they are sampled: each process that imports torch takes 2 s


def keys(options: Options) -> list[str]:
    """Returns the scripts by name; where they are sampled, a part of them."""
    names = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != HELPER)
    return names[options.seed % EVERY :: EVERY] if options.sampled else names


def cases(key: str, options: Options) -> Iterator[scripts.Starter]:
    """Yields the one script of this name."""
    yield scripts.Starter(FOLDER / f"{key}.py")
