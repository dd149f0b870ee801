"""The reports of twelve programs, as text: what memory, gradients and findings say of each.

`python -m tests.study.test_report_goldens` writes the expected texts anew; read the difference.
"""

import re
from pathlib import Path

import pytest

from minitorch import study
from minitorch.study.reports.findings import findings

HERE = Path(__file__).parent
PROGRAMS = [
    HERE / "programs" / f"{golden.stem}.py" for golden in sorted((HERE / "goldens").glob("*.txt"))
]


def report_of(program: Path, library: str = "minitorch") -> str:
    """Returns the three reports of a program, with the times left out."""
    code = compile(program.read_text(), program, "exec")
    tape = None
    try:
        with study.record(library=library, title=program.name) as tape:
            exec(code, {"__name__": "__main__"})
    except RuntimeError:
        assert program.stem == "failing"
    assert tape is not None
    memory = re.sub(r" +[\d.]+ m?s$", "", str(study.memory(tape)), flags=re.MULTILINE)
    found = [f"{each.kind}: {each.text}" for each in findings(tape)]
    parts = [memory, str(study.gradients(tape)), "\n".join(found) or "No findings."]
    return "\n\n".join(parts) + "\n"


def golden_of(program: Path) -> Path:
    return HERE / "goldens" / f"{program.stem}.txt"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_reports_of_a_program_are_as_written_down(program: Path) -> None:
    assert report_of(program) == golden_of(program).read_text()


def test_there_are_twelve_programs() -> None:
    assert len(PROGRAMS) == 12


if __name__ == "__main__":
    for each in PROGRAMS:
        golden_of(each).write_text(report_of(each))
