"""The pages of the repository: the targets of links, and the files that they name, exist.

So do the files that comments and docstrings name.
"""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from tests.docs.pages import SEMANTICS

ROOT = SEMANTICS.parents[1]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / ".github").rglob("*.md"),
        *(
            page
            for name in ("benchmarks", "conformance", "docs")
            for page in (ROOT / name).rglob("*.md")
        ),
    ]
)
# Pages name files from the root, from their own folder, or from the package that they are about.
STARTS = [ROOT, ROOT / "minitorch", ROOT / "minitorch" / "study", ROOT / "conformance"]

BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(r"`([\w.-]+/[\w./-]+\.(?:py|toml|md))`")


def missing_from(page: Path) -> list[str]:
    """The links and the names of files in a page, outside its code, that lead nowhere."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    links = [link for link in LINK.findall(text) if not link.startswith(("http", "#"))]
    return [
        *(link for link in links if not (page.parent / link.partition("#")[0]).exists()),
        *(
            name
            for name in FILE.findall(text)
            if not any((start / name).exists() for start in [page.parent, *STARTS])
        ),
    ]


# Paths in comments may start at their subject's folder, too. These are torch's:
COMMENTED = [*STARTS, ROOT / "minitorch" / "core", ROOT / "tests"]
OF_TORCH = ("torch/", "tools/autograd/")
PLACEHOLDER = re.compile(r"\b[A-Z]+\.\w+$")
PATH = re.compile(r"(?<![\w/.:<>*{}-])((?:[\w.-]+/)+[\w-]+\.(?:py|pyi|md|toml|txt))\b")


def remarks(source: str) -> list[tuple[int, str]]:
    """Line and text of the comments and docstrings of a source."""
    found = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            found.append((node.body[0].lineno, text))
    return found


def absent_files(path: Path, source: str) -> list[str]:
    """The files that comments and docstrings of a source name, and that are nowhere here."""
    if not PATH.search(source):  # to take a source apart takes 10 ms
        return []
    return [
        f"{path.relative_to(ROOT).as_posix()}:{line} {name}"
        for line, text in remarks(source)
        for name in PATH.findall(text)
        if not (name.startswith(OF_TORCH) or PLACEHOLDER.search(name))
        and not any((start / name).exists() for start in [path.parent, *COMMENTED])
    ]


def test_the_files_that_comments_name_exist():
    folders = ("benchmarks", "conformance", "docs", "examples", "minitorch", "tests", "tools")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    found = [
        line
        for path in sources
        if path != Path(__file__)
        for line in absent_files(path, path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_file_that_a_comment_names_and_that_is_not_there_is_found():
    source = '"""See core/gone.py and torch/here.py."""\nx = 1  # as core/__init__.py, b/lost.md\n'
    assert absent_files(ROOT / "minitorch" / "example.py", source) == [
        "minitorch/example.py:2 b/lost.md",
        "minitorch/example.py:1 core/gone.py",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_and_names_exists(page: Path):
    assert missing_from(page) == []


def test_a_link_and_a_file_that_are_not_there_are_found(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        "[a](page.md) [b](gone.md#part) [c](https://example.org) `core/gone.py` `core/__init__.py`",
        encoding="utf-8",
    )
    assert missing_from(page) == ["gone.md#part", "core/gone.py"]
