"""The notebooks of examples/study: all cells run, answers are right, and none holds outputs."""

import importlib.util
import json
from pathlib import Path

import pytest

from minitorch.study.exercises import Verdict

spec = importlib.util.spec_from_file_location("notebooks", Path(__file__).with_name("notebooks.py"))
notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebooks)

PATHS = sorted(notebooks.FOLDER.glob("*.ipynb"))
LARGE = 12_000  # bytes


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_all_cells_of_a_notebook_run_and_its_answers_are_right(path):
    cells = notebooks.run_notebook(path)
    for tags, source, value in cells:
        if "check(" in source:
            assert isinstance(value, Verdict), source
            is_question = "..." in source and "answer" not in tags
            assert value.right is (None if is_question else True), f"{source}\n{value}"
    assert sum("answer" in cell.tags for cell in cells) >= 2


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_holds_no_outputs(path):
    assert path.stat().st_size < LARGE
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code[0]["source"][0] == "import minitorch as torch\n"
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in cells}) == len(cells)


def test_there_is_a_notebook_for_each_thing_that_is_taught():
    assert [path.stem for path in PATHS] == [
        "accumulation",
        "activation_packing",
        "chain_rule",
        "checkpoint",
        "custom_functions",
        "dead_relu",
        "detach_and_no_grad",
        "gates",
        "leaves",
        "memory",
        "mixed_precision",
        "retain_graph",
    ]


def test_a_wrong_cell_is_named_by_notebook_and_number(tmp_path):
    path = tmp_path / "broken.ipynb"
    cells = [
        {"cell_type": kind, "metadata": {}, "source": [text]}
        for kind, text in (("markdown", "# title"), ("code", "x = 1"), ("code", "x / 0"))
    ]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        notebooks.run_notebook(path)
    assert str(caught.traceback[-1].path) == "broken, cell 3"


def test_reasons_in_a_notebook_name_the_lines_of_its_cells():
    cells = notebooks.run_notebook(notebooks.FOLDER / "detach_and_no_grad.ipynb")
    reasons = [str(cell.value) for cell in cells if "study.why(" in cell.source]
    pieces = ("(data @ second).detach() in line 6", "line 8", "argmax(1) in line 9", "line 4")
    assert len(reasons) == len(pieces)
    for reason, piece in zip(reasons, pieces):
        assert piece in reason
