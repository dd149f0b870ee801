"""The index of families that wait (minitorch/aten/index.py), written by tools/write_stubs.py.

It is found out in a process of its own, in which the families are imported one after the other and
nothing stands in for them.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]

_HEADER = '''"""The families of operators that wait for their first use, and the names they declare.

Written by `python -m tools.write_stubs`; a test keeps it up to date.
"""

# family -> where its names are: m methods, o operators of formulas, f functions of `torch`
INDEX: dict[str, dict[str, str]] = {
'''
_PROGRAM = """\
import sys, types
blank = sys.modules["minitorch.aten.index"] = types.ModuleType("index")
blank.INDEX = {}
from tools import write_index
print(write_index.written(), end="")
"""


def index() -> str:
    """The text of the index."""
    command = [sys.executable, "-c", _PROGRAM]  # which looks for modules where it starts
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def written() -> str:
    """The index of operators, read while no stand-ins are installed."""
    aten = import_module("minitorch.aten")
    text, tables = _HEADER, _tables()
    for family in aten.WAITING:
        early = _families()
        aten.load(family)
        if also := _families() - early - {f"minitorch.aten.{family}"}:
            raise ValueError(f"{family} imports families that wait after it: {sorted(also)}")
        early_tables, tables = tables, _tables()
        both = list(zip(early_tables, tables, strict=True))
        if changed := [name for old, new in both for name in old if old[name] is not new[name]]:
            raise ValueError(f"{family} declares what others have: {changed}")
        methods, *_ = fresh = [{n: new[n] for n in new if n not in old} for old, new in both]
        if dunders := [name for name in methods if name.startswith("__")]:
            raise ValueError(f"{family} must not wait, because of {dunders}")
        if attributes := [name for name, method in methods.items() if not callable(method)]:
            raise ValueError(f"{family} must not wait, because of the attributes {attributes}")
        if len(set(map(id, methods.values()))) < len(methods):
            raise ValueError(f"{family} must not wait, because methods are the same object")
        groups: dict[str, list[str]] = {}
        for name in sorted(set().union(*fresh)):
            places = "".join(
                [place for place, names in zip("mof", fresh, strict=True) if name in names]
            )
            groups.setdefault(places, []).append(name)
        text += f'    "{family}": {{\n'
        text += "".join([_lines(*group) for group in sorted(groups.items())]) + "    },\n"
    return text + "}\n"


def _tables() -> tuple[dict[str, Any], ...]:
    """The methods of Tensor, the operators of formulas and the functions, by name, as they are."""
    install = sys.modules["minitorch.core.declare.expose"]
    raw = dict.fromkeys(install.RAW.__dict__)
    return dict(install.Tensor.__dict__), {**raw, **install.OPS.__dict__}, dict(install.FUNCTIONS)


def _families() -> set[str]:
    """The families that were imported."""
    waiting = import_module("minitorch.aten").WAITING
    return {f"minitorch.aten.{name}" for name in waiting} & set(sys.modules)


def _lines(places: str, names: list[str]) -> str:
    """Names as a string, as ruff formats it."""
    text = " ".join(names)
    if len(places) + len(text) <= 84:
        return f'        "{places}": "{text}",\n'
    lines = [f'            "{line} "' for line in textwrap.wrap(text, 85)]
    lines[-1] = lines[-1].removesuffix(' "') + '"'
    return f'        "{places}": (\n' + "\n".join(lines) + "\n        ),\n"
