"""Torch's own tests of several ranks, from its wheel: which of them pass with three ranks.

The tests of distributed_test.py run as they are; `snippets/rank_tests/` stands in for the part of
torch.testing._internal that they take their helpers from. A unit has the tests whose names begin
with one word. Those that need a GPU or more ranks skip themselves, with either library.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from conformance.cases import scripts
from conformance.options import Options

RUNNER = Path(__file__).parent / "snippets" / "rank_tests" / "run.py"


@dataclass
class Tests(scripts.Starter):
    """The tests whose names begin with one word."""

    word: str = ""

    @property
    def label(self) -> str:
        """The prefix of the tests' names."""
        return f"test_{self.word}"

    def arguments(self) -> list[str]:
        """The arguments of the runner."""
        return [str(_file()), self.word]


def keys(options: Options) -> list[str]:
    """Returns the words that names of tests begin with; none without an engine for ranks."""
    if find_spec("mpi4py") is None:
        return []
    names = re.findall(r"^ +def test_([A-Za-z]+)", _file().read_text(), re.MULTILINE)
    return sorted(set(names))


def cases(key: str, options: Options) -> Iterator[Tests]:
    """Yields the tests of one word."""
    yield Tests(RUNNER, word=key)


def remarks(seconds: dict[str, float]) -> Iterator[str]:
    """Yields why nothing was examined, where nothing was."""
    if find_spec("mpi4py") is None:
        yield "rank-tests: skipped, since mpi4py is not installed: pip install mpi4py mpich"


def _file() -> Path:
    import torch

    return Path(torch.__file__).parent / "testing/_internal/distributed/distributed_test.py"
