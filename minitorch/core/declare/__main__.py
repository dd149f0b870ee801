"""python -m minitorch.core.declare NAME: the row of an operator and the code assembled from it."""

from __future__ import annotations

import inspect
import sys

from minitorch.core.declare import assemble
from minitorch.core.declare.registry import ROWS, is_installed, load_families
from minitorch.core.declare.row import Row


def assembled(row: Row) -> str:
    """The text of a row's node and public function; of the node alone where no function is made."""
    if is_installed(row):
        assemble.assemble(row)
        return assemble.SOURCES[row.key]
    assemble.node_class(row)
    return f"# The method {row.name} is written by hand.\n{assemble.SOURCES[f'{row.key} node']}"


def main(names: list[str]) -> int:
    """Prints every row whose name or key is among `names`. Returns the exit status."""
    load_families()
    found = False
    for key, row in sorted(ROWS.items()):
        if key in names or row.name in names:
            found = True
            saved = ", ".join(row.saved) or "nothing"
            print(f"# {row.schema.text}\n# node {row.node}; saves {saved}")
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
