"""The reports of minitorch.study are the same for programs under real torch and minitorch."""

import io
import linecache
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import torch  # noqa: F401  the programs find it imported

from minitorch import study
from minitorch.study.reports import reasons
from minitorch.study.reports.case_table import NODE
from minitorch.study.reports.history import History
from tests.study import test_report_goldens
from tests.study.recorded_programs import Recorded
from tests.study.reports import (
    test_error_cases,
    test_gradient_cases,
    test_tensor_cases,
    test_zero_cases,
)

GRADIENTS = [*test_gradient_cases.EXAMPLES, *test_zero_cases.EXAMPLES]


def recorded(folder: Path, program: str, before: str = "") -> Recorded:
    """Records a program under real torch, with the lines of tests.study.recorded_programs."""
    first = "import torch\n" + before.lstrip("\n")
    text = program.lstrip("\n").replace("minitorch", "torch")
    path = folder / "train.py"
    path.write_text(first + text)
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"__name__": "__main__"}
    error = None
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(first, path, "exec"), names)
        try:
            with study.record(library="torch", title="train.py") as tape:
                exec(compile("\n" * first.count("\n") + text, path, "exec"), names)
        except Exception as raised:
            error = raised
    assert tape.library.startswith("torch ")
    return Recorded(tape, names, error)


@pytest.mark.parametrize("example", GRADIENTS, ids=lambda each: each.case)
def test_why_gives_its_answer_about_gradients_of_torch(example: Any, tmp_path: Path) -> None:
    tape = recorded(tmp_path, example.program, example.before).tape
    assert str(study.why(example.name, "grad", tape)) == example.answer


@pytest.mark.parametrize("example", test_tensor_cases.EXAMPLES, ids=test_tensor_cases.named)
def test_why_gives_its_answer_about_tensors_of_torch(example: Any, tmp_path: Path) -> None:
    tape = recorded(tmp_path, example.program, example.before).tape
    if example.question == NODE:
        number = [node.name for node in tape.nodes].index(example.name)
        answer = reasons.node_reason(History(tape), number)
    else:
        answer = study.why(example.name, example.question, tape)
    assert str(answer) == example.answer


@pytest.mark.parametrize("example", test_error_cases.EXAMPLES, ids=lambda each: each.case)
def test_why_gives_its_answer_about_errors_of_torch(example: Any, tmp_path: Path) -> None:
    run = recorded(tmp_path, example.program)
    assert str(study.why(run.error, tape=run.tape)) == example.answer


@pytest.mark.parametrize("program", test_report_goldens.PROGRAMS, ids=lambda program: program.stem)
def test_reports_of_a_program_under_torch_are_as_written_down(
    program: Path, tmp_path: Path
) -> None:
    text = program.read_text().replace("import minitorch as torch", "import torch")
    copy = tmp_path / program.name
    copy.write_text(text.replace("from minitorch", "from torch"))
    wanted = test_report_goldens.golden_of(program).read_text()
    assert test_report_goldens.report_of(copy, "torch") == wanted
