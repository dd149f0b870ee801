"""python -m minitorch.core.declare NAME: the row of an operator and the code assembled from it."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from minitorch.core.declare.codegen import assemble
from minitorch.core.declare.codegen.node import node_source
from minitorch.core.declare.registry import PLACES, ROWS, is_installed, load_families
from minitorch.core.declare.row import Row

_ROOT = Path(__file__).resolve().parents[3]


def place_of(row: Row) -> str:
    """The file and line that declare a row, 'minitorch/aten/elementwise/arithmetic.py:88'."""
    if row.key in PLACES:
        code, instruction = PLACES[row.key]
        line = next(n for first, last, n in code.co_lines() if first <= instruction < last)
    else:  # a row without a function, which is not installed
        code = next(inspect.unwrap(each).__code__ for each in row.formulas.values())
        line = code.co_firstlineno
    path = Path(code.co_filename)
    inside = path.is_relative_to(_ROOT)
    return f"{path.relative_to(_ROOT).as_posix() if inside else path}:{line}"


def assembled(row: Row) -> str:
    """The text of a row's node and public function; of the node alone if it has no function."""
    texts = []
    if row.node:
        texts.append(node_source(row))
    if is_installed(row):
        texts.append(
            assemble.function_source(row, assemble.prepare(row), assemble.path_of(row.name))
        )
    else:
        texts.insert(0, f"# The method {row.name} is written by hand.")
    return "\n\n".join(texts)


def main(names: list[str]) -> int:
    """Prints every row whose name or key is among `names`. Returns the exit status."""
    load_families()
    found = False
    for key, row in sorted(ROWS.items()):
        if key in names or row.name in names:
            found = True
            saved = ", ".join(row.saved) or "nothing"
            print(f"# {place_of(row)}\n# {row.schema.text}\n# node {row.node}; saves {saved}")
            for argument, formula in row.formulas.items():
                print(f"# d {argument}:")
                try:
                    print(inspect.getsource(formula).rstrip())
                except OSError:
                    print("# (no source)")
            print(f"\n{assembled(row)}")
    if not found:
        print(f"no row is called {' or '.join(names) or '(nothing)'}", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
