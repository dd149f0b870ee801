"""minitorch.study under real torch: the answers of the notebooks, and what readers are shown."""

import importlib.util
from pathlib import Path

import pytest

from minitorch.study.check import result_of
from minitorch.study.check_rows import ROWS

pytest.importorskip("torch")

HELPER = Path(__file__).parents[2] / "tests" / "study" / "notebooks.py"
spec = importlib.util.spec_from_file_location("notebooks", HELPER)
notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebooks)


@pytest.mark.parametrize(
    "path", sorted(notebooks.FOLDER.glob("*.ipynb")), ids=lambda path: path.stem
)
def test_the_answers_of_a_notebook_are_right_under_torch(path):
    cells = notebooks.run_notebook(path, "torch")
    answers = [cell for cell in cells if "answer" in cell.tags]
    assert len(answers) >= 2
    for cell in answers:
        assert cell.value.right is True, f"{cell.source}\n{cell.value}"


@pytest.mark.parametrize("number", range(1, len(ROWS) + 1))
def test_what_readers_are_shown_is_seen_under_torch(number):
    assert result_of(number, "torch").problem == ""
