"""python -m minitorch.study.exercises [FILE]: the exercises, or the five steps of a file."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from . import EXERCISES, check, micro, show


def main(arguments: list[str]) -> int:
    """Runs the command line.

    Args:
        arguments: nothing, to list the exercises and print the first; or a Python file with `Value`
            and `order`.

    Returns:
        The exit status: 0 if all steps are right, 1 if one is not, 2 for wrong arguments.
    """
    if not arguments:
        print("exercises: " + ", ".join(EXERCISES))
        print()
        show("value and graph")
        return 0
    if len(arguments) > 1 or not Path(arguments[0]).is_file():
        print("usage: python -m minitorch.study.exercises [FILE.py]", file=sys.stderr)
        return 2
    names = runpy.run_path(arguments[0])
    for exercise in micro.STATEMENTS:
        needed = "order" if exercise == "order of the walk" else "Value"
        if needed not in names:
            print(f"{exercise}: {arguments[0]} has no {needed}.\n")
            show(exercise)
            return 1
        verdict = check(exercise, names[needed])
        print(verdict)
        if not verdict:
            print()
            show(exercise)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
