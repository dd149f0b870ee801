"""Checkpoints that one library writes and the other reads, both ways, in both file formats.

A family is a file of `snippets/checkpoints/`: each piece leaves in `thing` what is saved. On the
other side stands real torch, so an implementation is held to torch's files, not to its own. The
other units are batches of mutated files, which must do no harm.
"""

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance import limits
from conformance.cases.case import Case, Outcome
from conformance.cases.pieces import families, pieces
from conformance.cases.snippet import HEADER, LOOKED_AT, SEED, Snippet, namespace
from conformance.mutated_files import BATCH
from conformance.options import Options
from conformance.oracle import record
from conformance.oracle.scope import look

FOLDER = Path(__file__).parent / "snippets" / "checkpoints"
FORMATS = {"": {}, "old format, ": {"_use_new_zipfile_serialization": False}}
WAYS = ("load", "save")
LOADINGS: dict[str, list[dict]] = {
    "quick": [{}, {"mmap": True}],
    "full": [{}, {"mmap": True}, {"weights_only": False}, {"map_location": "cpu"}],
}
MUTATED = {"quick": (1, 500), "full": (50, BATCH)}  # batches, and files of each
SCRIPT = """
import importlib
import torch as real
other = importlib.import_module({impl!r})
{writer}.save(thing, "checkpoint.pt"{saving})  # thing was made by {writer}
print({reader}.load("checkpoint.pt"{loading}))
"""


@dataclass
class Checkpoint(Snippet):
    """A thing that is saved by one library and loaded by the other."""

    properties: frozenset[str] = LOOKED_AT - {"warnings", "text"}
    way: str = "load"
    old: str = ""  # which format
    loading: tuple = ()  # the arguments of `load`

    def run(self, torch: ModuleType) -> Outcome:
        """Makes, saves and loads the thing, and looks at the loaded object."""
        import torch as real

        writer, reader = (real, torch) if self.way == "load" else (torch, real)
        try:
            loaded = read(reader, self.written(writer), dict(self.loading))
        except Exception as caught:
            return {"error": record.failure(caught)}
        outcome = {"error": None, **look(reader, parts(reader, loaded))}
        return {name: seen for name, seen in outcome.items() if name in self.properties}

    def written(self, writer: ModuleType) -> bytes:
        """Returns the file that a library makes of the thing; one piece leaves a file itself."""
        names = namespace(writer)
        writer.manual_seed(SEED)
        exec(self.code, names)
        if isinstance(names["thing"], io.BytesIO):
            return names["thing"].getvalue()
        file = io.BytesIO()
        writer.save(names["thing"], file, **FORMATS[self.old])
        return file.getvalue()

    def script(self, impl: str) -> str:
        """Returns a script in which both libraries take part."""
        writer, reader = ("real", "other") if self.way == "load" else ("other", "real")
        header = HEADER.format(impl=impl, seed=SEED)
        if writer == "other":
            header = header.replace("torch  # or: import", "").replace("from torch", f"from {impl}")
        return (
            header
            + self.source
            + SCRIPT.format(
                impl=impl,
                writer=writer,
                reader=reader,
                saving="".join(f", {name}={value}" for name, value in FORMATS[self.old].items()),
                loading="".join(f", {name}={value!r}" for name, value in self.loading),
            )
        )


def read(reader: ModuleType, content: bytes, how: dict[str, Any]) -> Any:
    """Returns what a library reads from a file's content; from a true file where it is mapped."""
    if not how.get("mmap"):
        return reader.load(io.BytesIO(content), **how)
    file = Path(tempfile.gettempdir(), f"checkpoint-{os.getpid()}.pt")
    file.write_bytes(content)
    try:
        return reader.load(str(file), **how)
    except Exception as error:  # whose text may say the name, which is another in each process
        error.args = tuple([str(each).replace(str(file), "a file") for each in error.args])
        raise
    finally:
        file.unlink()


def parts(torch: ModuleType, loaded: Any) -> dict[str, Any]:
    """Returns the variables to look at: a module by its repr, training flag, and state."""
    if isinstance(loaded, torch.nn.Module):
        return {"repr": repr(loaded), "training": loaded.training, **loaded.state_dict()}
    return {"thing": loaded, "kind": type(loaded).__name__}


@dataclass
class Mutated(Case):
    """A batch of mutated files, loaded in processes of their own; torch's part is the promise."""

    label: str
    first: int
    count: int
    main: str = "effects"
    properties: frozenset[str] = frozenset({"effects"})

    def run(self, torch: ModuleType) -> Outcome:
        """Returns the ends that no file may have, and how often each was met."""
        if torch.__name__ == "torch":
            return {"effects": []}
        done = limits.run(self.command(torch.__name__))
        ends = [line.strip() for line in done.stdout.splitlines() if " BAD " in line]
        return {"effects": ends or ([done.stderr] if done.returncode else [])}

    def command(self, impl: str) -> list[str]:
        """Returns the command that loads the same files."""
        options = {"--impl": impl, "--files": self.count, "--seed": self.first}
        given = [str(each) for pair in options.items() for each in pair]
        return [sys.executable, "-m", "conformance.mutated_files", *given]

    def script(self, impl: str) -> str:
        """Returns a script that runs the command."""
        return f"import subprocess\n\nsubprocess.run({self.command(impl)})\n"

    @property
    def title(self) -> str:
        """The name of the batch of files."""
        return self.label

    @property
    def size(self) -> int:
        """The number of files."""
        return self.count


def keys(options: Options) -> list[str]:
    """Returns the families, and the batches of mutated files, which only minitorch reads."""
    batches, size = MUTATED[options.profile] if options.impl != "torch" else (0, 1)
    starts = range(0, batches * size, size)
    return [*families(FOLDER), *(f"mutated {start}-{start + size - 1}" for start in starts)]


def remarks(seconds: dict[str, float]) -> Iterator[str]:
    """Yields what a mutated file took, by the seconds that each unit did."""
    batches = {_numbers(key): took for key, took in seconds.items() if key.startswith("mutated ")}
    if files := sum(last - first + 1 for first, last in batches):
        took = sum(batches.values()) / files
        yield f"{files} mutated files: {1e6 * took:.0f} us a file, the start of processes included"


def _numbers(key: str) -> tuple[int, int]:
    first, last = key.removeprefix("mutated ").split("-")
    return int(first), int(last)


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields every piece, both ways and in both formats; or a batch of files."""
    if key.startswith("mutated "):
        first, last = _numbers(key)
        yield Mutated(f"{key} of seed {options.seed}", options.seed + first, last - first + 1)
        return
    loadings = LOADINGS[options.profile]
    if key == "modules":
        loadings = [{"weights_only": False}]
    for piece in pieces(FOLDER / f"{key}.py"):
        for way, old, how in product(WAYS, FORMATS, loadings):
            told = "".join(f", {name}={value!r}" for name, value in how.items())
            label = f"{piece.label} ({old}{way}{told})"
            yield Checkpoint(piece.source, label, way=way, old=old, loading=tuple(how.items()))
