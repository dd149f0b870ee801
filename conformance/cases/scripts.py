"""Whole scripts, each in a process of its own: their printed text.

The scripts are those of the folder `examples/` of this repository and, after published programs of
many kinds, those of `snippets/scripts/`. What they are run by is

- `python script.py` with real torch,
- `python -m NAME script.py` with an implementation whose module is called NAME: its `__main__` must
  then let `import torch` find the implementation, and run the script.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from conformance import limits
from conformance.cases.case import Case, Outcome
from conformance.options import Options
from conformance.oracle.record import Failure

ROOT = Path(__file__).parents[2]
EXAMPLES, PUBLISHED = ROOT / "examples", Path(__file__).parent / "snippets" / "scripts"
EVERY = 4  # of the published programs: torch takes 2 s to start each


@dataclass
class Script(Case):
    """A file that is run from its first line to its last."""

    file: Path
    main: str = "text"
    properties: frozenset[str] = frozenset(("text", "error"))

    @property
    def label(self) -> str:
        """The file's name."""
        return self.file.name

    neighbours = 3  # a run of torch in double takes ten times as long as one of torch

    def run(self, torch: ModuleType) -> Outcome:
        """Returns the lines it prints, and the error that ends it if one does.

        Raises:
            RuntimeError: real torch does not run it to its end, so that it compares little.
        """
        outcome = self._ended(command(torch.__name__))
        if torch.__name__ == "torch" and outcome["error"] is not None:
            raise RuntimeError(f"{self.label} fails under torch: {outcome['error']}")
        return outcome

    def computed(self, torch: ModuleType, double: bool, seed: int | None = None) -> Outcome:
        """Runs the script with real torch in another way, in a process of its own."""
        options = ["--double"] * double + ["--moved", str(seed)] * (seed is not None)
        return self._ended([sys.executable, "-m", "conformance.oracle.run_double", *options])

    def _ended(self, runner: list[str]) -> Outcome:
        ended = limits.run([*runner, str(self.file), *self.arguments()], cwd=ROOT)
        error = None
        if ended.returncode:
            kind, _, text = ended.stderr.strip().rpartition("\n")[2].partition(": ")
            error = Failure(kind, text)
        return {"text": ended.stdout.splitlines(), "error": error}

    def arguments(self) -> list[str]:
        """The arguments of the script."""
        return []

    def script(self, impl: str) -> str:
        """Returns the script with the two commands that run it."""
        file = self.file.relative_to(ROOT)
        line = " ".join(["python", *command(impl)[1:], str(file), *self.arguments()])
        plain = " ".join(["python", str(file), *self.arguments()])
        return f"# {line}\n# {plain}\n{self.file.read_text()}"

    @property
    def title(self) -> str:
        """The file's name."""
        return self.label

    @property
    def size(self) -> int:
        """The length of the file."""
        return self.file.stat().st_size


class Starter(Script):
    """A script that starts processes, which real torch runs once more as it is."""

    neighbours = 0

    def computed(self, torch: ModuleType, double: bool, seed: int | None = None) -> Outcome:
        """Runs the script once more with real torch: its numbers are exact in either precision."""
        return self.run(torch)


def command(name: str) -> list[str]:
    """Returns what runs a script with the library of this name."""
    return [sys.executable] if name == "torch" else [sys.executable, "-m", name]


def keys(options: Options) -> list[str]:
    """Returns the scripts by name; where they are sampled, all examples and some of the others."""
    others = sorted(_named(PUBLISHED))
    if options.sampled:
        others = others[options.seed % EVERY :: EVERY]
    return sorted([*_named(EXAMPLES), *others])


def cases(key: str, options: Options) -> Iterator[Script]:
    """Yields the one script of this name."""
    yield Script(files()[key])


def files() -> dict[str, Path]:
    """Returns the scripts by name."""
    return _named(EXAMPLES) | _named(PUBLISHED)


def _named(folder: Path) -> dict[str, Path]:
    return {file.stem: file for file in folder.glob("*.py")}
