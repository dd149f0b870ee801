"""Small programs, and recordings of them, for the tests of the reports."""

import io
import linecache
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from minitorch import study
from minitorch.study.tape.recording import Recording


class Recorded(NamedTuple):
    """A recording of a program, the names that the program left, and the error that ended it."""

    tape: Recording
    names: dict[str, Any]
    error: Exception | None


class Example(NamedTuple):
    """A program, the tensor or node that is asked about, and the answer that it has to get.

    case: the key of the case that answers.  before: what runs before the recording begins.
    """

    case: str
    name: str
    program: str
    answer: str
    before: str = ""
    question: str = "grad"


def recorded(folder: Path, program: str, before: str = "") -> Recorded:
    """Records a program as train.py in a folder.

    Line 1 imports minitorch as torch; `before` follows, and runs before the recording begins.
    """
    first = "import minitorch as torch\n" + before.lstrip("\n")
    path = folder / "train.py"
    path.write_text(first + program.lstrip("\n"))
    linecache.checkcache(str(path))  # a test may record several programs
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(first, path, "exec"), names)
    lines = "\n" * first.count("\n") + program.lstrip("\n")
    error = None
    with redirect_stdout(io.StringIO()):
        try:
            with study.record(library="minitorch", title="train.py") as tape:
                exec(compile(lines, path, "exec"), names)
        except Exception as raised:
            error = raised
    return Recorded(tape, names, error)
