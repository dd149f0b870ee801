"""The pages about graphs and the page: their code runs, and prints the shown output."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import blocks_of, output_of, rewrite

DOCS = Path(__file__).resolve().parents[2] / "docs" / "study"
PAGES = [DOCS / f"{name}.md" for name in ("explain", "make_dot", "page")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    variables: dict[str, Any] = {}
    for block in blocks_of(page):
        assert output_of(block.code, variables) == (block.printed or "")


if __name__ == "__main__":
    for each in PAGES:
        seen: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            rewrite(each, lambda block, seen=seen: seen)
