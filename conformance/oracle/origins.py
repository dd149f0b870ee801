"""Writes minitorch/_public/origins.txt: where torch defines what minitorch has elsewhere.

python -m conformance.oracle.origins      for the torch that is installed

A line is a module of minitorch and one of torch, and the functions and classes that the former
defines and the latter has: `name`, or `name=other` where torch's own name is another.
"""

import contextlib
import importlib
import io
import sys
import types
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

from conformance.oracle.imported_names import modules

FILE = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "origins.txt"


def place(thing: Any) -> tuple[str, str] | None:
    """The module and the qualified name of a function or class; None for other things."""
    if not isinstance(thing, (type, types.FunctionType, types.BuiltinFunctionType)):
        return None
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    return module, name


def origins() -> dict[tuple[str, str], dict[str, str]]:
    """The names by module of minitorch and module of torch."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    taken: set[tuple[str, str]] = set()
    for canonical in (True, False):  # a thing's own name before the names that others give it
        for module in modules():
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    theirs = importlib.import_module(module)
                    ours = importlib.import_module(f"mini{module}")
            except ImportError:  # its requirements are not installed
                continue
            for name, thing in sorted(vars(theirs).items()):
                there = place(thing)
                here = place(_attribute(ours, name))
                if there is None or here is None or here in taken or "<locals>" in here[1]:
                    continue
                if canonical and (there[0] != module or here[1] != name):
                    continue
                if not here[0].startswith("minitorch") or not there[0].startswith("torch"):
                    continue
                taken.add(here)
                public = (
                    there[1] if "." not in there[1] else name
                )  # of a class of torch's, or local
                if here[1].rpartition(".")[2] == public:
                    public = here[1]
                if here != (f"mini{there[0]}", public):
                    found[here[0], there[0]][here[1]] = public
    return found


def _attribute(module: types.ModuleType, name: str) -> Any:
    try:
        return getattr(module, name)
    except Exception:
        return None


def main() -> None:
    """Writes the table."""
    warnings.simplefilter("ignore")
    lines = []
    for (here, there), names in sorted(origins().items()):
        entries = [
            own if own == other else f"{own}={other}" for own, other in sorted(names.items())
        ]
        lines.append(f"{here} {there}: {' '.join(entries)}\n")
    FILE.write_text("".join(lines), encoding="utf-8")
    print(len(lines), "lines", FILE.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
