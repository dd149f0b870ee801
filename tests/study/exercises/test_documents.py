"""The pages on exercises: their lines of Python run, and print what stands below them."""

import re
from pathlib import Path

import pytest

from minitorch.study.exercises.quiz import QUIZ

DOCS = Path(__file__).parents[3] / "docs" / "study"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["exercises.md"])
def test_the_code_of_a_page_runs_and_prints_what_it_says(name, capsys):
    names = {"__name__": "page"}
    printed, outputs = "", 0
    for language, text in BLOCK.findall((DOCS / name).read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(text, name, "exec"), names)
            printed = capsys.readouterr().out
        else:
            assert printed == text
            outputs += 1
    assert outputs == 3


def test_the_page_names_all_questions():
    text = (DOCS / "exercises.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in QUIZ)


def test_the_gallery_names_all_notebooks():
    folder = DOCS.parents[1] / "examples" / "study"
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "gallery.md").read_text(encoding="utf-8"), re.M)
    assert sorted(rows) == sorted(path.stem for path in folder.glob("*.ipynb"))
