"""python -m minitorch.study.check [--minitorch | --torch]: whether readers see what they should.

Runs a small program for each of the things that the tools show (check_rows.py), and checks what is
seen of it. Without an option it runs under minitorch, and under real torch if that is installed.
"""

from __future__ import annotations

import contextlib
import io
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from minitorch import study
from minitorch.study.check_rows import ROWS, Failed, Row, Run

USAGE = "usage: python -m minitorch.study.check [--minitorch | --torch]"


class Result(NamedTuple):
    """The outcome of one row; `problem` is "" if all is well."""

    number: int
    library: str
    problem: str


def run_of(row: Row, library: str, folder: Path) -> Run:
    """Runs the program of a row, and records it.

    Args:
        row: the row.
        library: "minitorch" or "torch".
        folder: where the program and its pages are written.
    """
    path = folder / "program.py"
    source = f"import {library} as torch{row.program}"  # the program begins with a line's end
    path.write_text(source, encoding="utf-8")
    code = compile(source, str(path), "exec")
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), study.record(library=library) as tape:
        exec(code, names)
    return Run(import_module(library), tape, names, folder)


def result_of(number: int, library: str) -> Result:
    """Runs one row in one library.

    Args:
        number: of the row, from 1.
        library: "minitorch" or "torch".
    """
    row = ROWS[number - 1]
    try:
        with TemporaryDirectory() as folder:
            row.check(run_of(row, library, Path(folder)))
    except Failed as error:
        return Result(number, library, str(error))
    except Exception as error:  # a tool that raises has failed, and the other rows go on
        return Result(number, library, f"{type(error).__name__}: {error}")
    return Result(number, library, "")


def main(arguments: list[str]) -> int:
    """Runs the command line.

    Args:
        arguments: nothing, "--minitorch" or "--torch".

    Returns:
        The exit status: 0 if every row passed, 1 if one failed, 2 for wrong arguments.
    """
    if arguments not in ([], ["--minitorch"], ["--torch"]):
        print(USAGE, file=sys.stderr)
        return 2
    if arguments:
        libraries = [arguments[0].removeprefix("--")]
    else:
        libraries = ["minitorch", *(["torch"] if find_spec("torch") else [])]
    for library in libraries:
        import_module(library)  # ModuleNotFoundError here rather than in every row
    width = max(len(row.title) for row in ROWS)
    print("   ", "shown".ljust(width), *[library.ljust(9) for library in libraries])
    problems = []
    for number, row in enumerate(ROWS, 1):
        results = [result_of(number, library) for library in libraries]
        marks = ["failed" if result.problem else "ok" for result in results]
        print(f"{number:3}", row.title.ljust(width), *[mark.ljust(9) for mark in marks])
        problems += [result for result in results if result.problem]
    for result in problems:
        print(f"{result.number} under {result.library}: {result.problem}")
    count = len(ROWS) * len(libraries)
    print(f"{count - len(problems)} of {count} passed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
