"""The pages of the repository: what they link to, and the files that they name, exist."""

import re
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
