"""The pages on semantics: with minitorch as torch they print the shown output, and are short."""

import re
from pathlib import Path

import pytest

from minitorch import installed_as_torch
from tests.docs.pages import QUESTIONS, SEMANTICS, blocks_of, faults_of

ROOT = SEMANTICS.parents[1]
FULL_SCREEN = 75  # lines
QUESTION = pytest.mark.parametrize("page", QUESTIONS, ids=lambda page: page.stem)


@QUESTION
def test_a_page_on_semantics_prints_what_it_says(page: Path):
    with installed_as_torch():
        assert faults_of(page) == []


def test_a_page_that_prints_something_else_is_found(tmp_path: Path):
    page = tmp_path / "page.md"
    code = "```python\nimport torch\n\nprint(torch.ones(2).sum())\n```\n\n```text\n{}\n```\n"
    with installed_as_torch():
        page.write_text(code.format("tensor(2.)"), encoding="utf-8")
        assert faults_of(page) == []
        page.write_text(code.format("tensor(3.)"), encoding="utf-8")
        assert faults_of(page) == ["page.md:1 prints\ntensor(2.)\nnot\ntensor(3.)\n"]
        page.write_text(code.format("tensor(2.)").partition("```text")[0], encoding="utf-8")
        assert len(faults_of(page)) == 1


@QUESTION
def test_a_page_on_semantics_is_a_screen_of_blocks_that_print(page: Path):
    assert len(page.read_text(encoding="utf-8").splitlines()) <= FULL_SCREEN
    assert blocks_of(page)
    assert all(block.printed for block in blocks_of(page))


@QUESTION
def test_a_page_on_semantics_names_files_that_exist(page: Path):
    text = page.read_text(encoding="utf-8")
    where = text.partition("\nWhere: ")[2]
    named = re.findall(r"`(minitorch/[\w/.]+)`", where)
    linked = re.findall(r"\]\(([^)#:]+)\)", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [name for name in linked if not (page.parent / name).exists()] == []


def test_the_list_of_pages_on_semantics_names_each_with_its_question():
    rows = re.findall(
        r"^\| \[[\w-]+\]\(([\w-]+)\.md\) \| (.+) \|$",
        (SEMANTICS / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    titles = {page.stem: page.read_text(encoding="utf-8").partition("\n")[0] for page in QUESTIONS}
    assert {name: f"# {question}" for name, question in rows} == titles
