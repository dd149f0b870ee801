"""Checkpoints that one library writes and the other reads, both ways, in both file formats.

A family is a file of `snippets/checkpoints/`: each piece leaves in `thing` what is saved. On the
other side stands real torch, so an implementation is held to torch's files, not to its own.
"""

import io
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance.cases.case import Outcome
from conformance.cases.graphs import families, pieces
from conformance.cases.snippet import HEADER, LOOKED_AT, SEED, Snippet, namespace
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
        """Makes, saves and loads the thing, and looks at what was loaded."""
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


def keys(options: Options) -> list[str]:
    """Returns the families."""
    return families(FOLDER)


def cases(key: str, options: Options) -> Iterator[Checkpoint]:
    """Yields every piece, both ways and in both formats."""
    loadings = LOADINGS[options.profile]
    if key == "modules":
        loadings = [{"weights_only": False}]
    for piece in pieces(FOLDER / f"{key}.py"):
        for way, old, how in product(WAYS, FORMATS, loadings):
            told = "".join(f", {name}={value!r}" for name, value in how.items())
            label = f"{piece.label} ({old}{way}{told})"
            yield Checkpoint(piece.source, label, way=way, old=old, loading=tuple(how.items()))
