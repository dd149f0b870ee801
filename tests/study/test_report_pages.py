"""The examples in the pages about reports: each prints what the page says."""

import code
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["memory", "gradients", "why", "compare"]
BLOCK = re.compile(r"```(python|pycon)\n(.*?)```", re.DOTALL)
TIME = re.compile(r"-?\d+\.\d\d m?s\b")


def words(text: str) -> str:
    """Returns a text with its times left out and its white space made plain: pages wrap lines."""
    return " ".join(TIME.sub("TIME", text).split())


@pytest.mark.parametrize("page", PAGES)
def test_an_example_of_a_page_prints_what_the_page_says(page: str, tmp_path: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = BLOCK.findall((ROOT / "docs" / "study" / f"{page}.md").read_text())
    assert {kind for kind, _ in blocks} == {"python", "pycon"}
    for number, (kind, text) in enumerate(blocks):
        if kind == "python":
            path = tmp_path / f"part{number}" / "train.py"
            path.parent.mkdir()
            path.write_text(text)
            linecache.checkcache(str(path))
            exec(compile(text, path, "exec"), names)
            continue
        for example in text.split(">>> ")[1:]:
            source, _, wanted = example.partition("\n")
            assert code.compile_command(source, symbol="eval") is not None
            assert words(repr(eval(source, names))) == words(wanted)
