"""The guides: their code prints the shown output; excerpts and commands exist."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from minitorch import installed_as_torch
from tests.docs.pages import (
    DOCS,
    GUIDES,
    blocks_of,
    commands_of,
    excerpts_of,
    faults_of,
    is_printed,
)

ROOT = DOCS.parent
FULL_SCREEN = 75  # lines
LONGER = {"tour-of-one-call": 120}  # sixty lines of it are a program
GUIDE = pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)


@GUIDE
def test_a_guide_is_one_screen(page: Path):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LONGER.get(page.stem, FULL_SCREEN)
    assert lines[0].startswith("# ")
    assert [line for line in lines if len(line) > 140 and not line.startswith("|")] == []


@GUIDE
def test_the_code_of_a_guide_prints_what_it_says(page: Path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with installed_as_torch():
        assert faults_of(page) == []


@GUIDE
def test_the_excerpts_of_a_guide_stand_in_the_package(page: Path):
    if not (excerpts := excerpts_of(page)):
        return
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("minitorch", "tests", "conformance")
        for path in (ROOT / folder).rglob("*.py")
    ]
    missing = [
        each
        for each in excerpts
        for spellings in [[textwrap.indent(each, " " * n) for n in (0, 4, 8, 12)]]
        if not any(each in source for source in sources for each in spellings)
    ]
    assert missing == []


def ran(words: str) -> str:
    """The output of a command that starts with `python`, errors included."""
    done = subprocess.run(
        [sys.executable, *shlex.split(words)[1:]],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout


@GUIDE
def test_the_commands_of_a_guide_do_what_it_says(page: Path):
    tox = (ROOT / "tox.ini").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for command in commands_of(page):
        program, *words = command.words.split()
        if program == "python" and command.printed:
            assert is_printed(command.printed, printed := ran(command.words)), printed
        elif program == "python" and words[0] == "-m" and words[1] != "venv":
            assert (ROOT / words[1].replace(".", "/")).is_dir() or words[1] == "build", command
        elif program == "tox":
            for name in words[words.index("-e") + 1].split(",") if "-e" in words else ():
                assert name == "py" or f"[testenv:{name}]" in tox, command
        elif program == "pip":
            for extra in re.findall(r"\[([\w,]+)\]", command.words):
                assert set(extra.split(",")) <= set(project["optional-dependencies"]), command
        elif program == "pytest":
            assert all((ROOT / word).exists() for word in words if "/" in word), command


def test_a_line_of_dots_stands_for_any_lines():
    assert is_printed("a\n...\nd\n", "a\nb\nc\nd\n")
    assert is_printed("a\n...\n", "a\n")
    assert not is_printed("a\n...\nd\n", "a\nb\n")
    assert not is_printed("a.c\n", "abc\n")


def test_the_code_of_a_guide_that_prints_something_else_is_found(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```console\n$ python -V\nno\n```\n", "utf-8")
    assert len(faults_of(page)) == 1
    assert [command.printed for command in commands_of(page)] == ["no\n"]
    assert not is_printed("no\n", ran("python -V"))
    assert [block.printed for block in blocks_of(page)] == [None]


def test_what_where_is_says_stands_in_the_file_that_it_names():
    text = (DOCS / "where-is.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`minitorch/" in line]
    assert len(rows) > 20
    for row in rows:
        file = None
        for word in re.findall(r"`([^`]+)`", row.split("|")[2]):
            if word.startswith("minitorch/"):
                file = ROOT / word
                assert file.exists(), row
            elif file is not None:
                assert file.is_file(), row
                source = file.read_text(encoding="utf-8")
                assert re.search(rf"\b{re.escape(word)}\b", source), f"{word} is not in {file}"
