"""Writes minitorch/_public/asked_arguments.txt: which arguments torch's functions of Python ask.

A function that torch writes in Python looks for a `__torch_function__` at those that it hands to
has_torch_function; those of C++ look at all. A line has the path of a function and the names.

python -m conformance.oracle.asked_arguments      for the torch that is installed
"""

import ast
import inspect
import sys
import textwrap
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

import torch

FILE = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "asked_arguments.txt"
OWNERS = {
    "torch.Tensor": torch.Tensor,
    "torch.functional": torch.functional,
    "torch.nn.functional": torch.nn.functional,
}
# Where a function asks in another one, which it calls by whether indices or counts are asked for.
ELSEWHERE = frozenset(("pca_lowrank", "svd_lowrank"))  # of another module
INNER = {
    "torch.functional.lu": "_lu_no_infos",
    "torch.functional.unique": "_return_output",
    "torch.functional.unique_consecutive": "_consecutive_return_output",
}


def asked(function: Any) -> list[str] | None:
    """Returns the names that a function hands to has_torch_function; None if it does not ask."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError):
        return None
    taken = inspect.signature(function).parameters
    # Names that are no parameters stand for a tuple of those that are.
    sets = {
        node.targets[0].id: [each.id for each in _names(node.value)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id not in taken
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name.startswith("has_torch_function"):
                names = [each.id for arg in node.args for each in _names(arg)]
                return [name for each in names for name in sets.get(each, [each])]
    return None


def _names(node: ast.expr) -> list[ast.Name]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Name)]


def lines() -> list[str]:
    """Returns the lines of the table."""
    found = []
    for path, owner in OWNERS.items():
        for name in sorted(dir(owner)):
            function = getattr(owner, name)
            private = name.startswith("_") and not name.endswith("__")
            if private or not isinstance(function, FunctionType) or name in ELSEWHERE:
                continue
            inner = INNER.get(f"{path}.{name}", f"_{name}")
            names = asked(function) or asked(getattr(owner, inner, None))
            if names is not None:
                found.append(f"{path}.{name} {' '.join(names)}")
    return found


def main() -> None:
    """Writes the table."""
    warnings.simplefilter("ignore")
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    print(FILE.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
