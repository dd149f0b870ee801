"""The pages about explain and make_dot: their code runs, and prints what they say."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.study.pages import blocks_of, output_of, rewrite

PAGES = [
    Path(__file__).parents[2] / "docs" / "study" / name for name in ("explain.md", "make_dot.md")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    variables: dict[str, Any] = {}
    for block in blocks_of(page):
        assert output_of(block.code, variables) == (block.printed or "\n")


if __name__ == "__main__":
    for each in PAGES:
        seen: dict[str, Any] = {}
        rewrite(each, lambda block, seen=seen: seen)
