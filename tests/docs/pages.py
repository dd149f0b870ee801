"""Pages of programs and what they print: found in Markdown, run, and compared."""

import contextlib
import io
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


SEMANTICS = Path(__file__).resolve().parents[2] / "docs" / "semantics"
QUESTIONS = sorted(set(SEMANTICS.glob("*.md")) - {SEMANTICS / "README.md"})


class Block(NamedTuple):
    """A block of code of a page, what it is said to print, and where it stands."""

    code: str
    printed: str | None
    line: int


def blocks_of(page: Path) -> list[Block]:
    """The blocks of Python of a page, each with the block of text that follows it."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    for match in _BLOCK.finditer(text):
        if match[1] == "python":
            line = text[: match.start()].count("\n") + 1
            found.append(Block(match[2], None, line))
        else:
            found[-1] = found[-1]._replace(printed=match[2])
    return found


def output_of(code: str, variables: dict[str, Any], name: str = "train.py") -> str:
    """What code prints.

    Args:
        variables: of the code, which adds to them.
        name: the file that the code seems to be in.
    """
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), variables)
    return "\n".join([line.rstrip() for line in printed.getvalue().splitlines()] + [""])


def faults_of(page: Path) -> list[str]:
    """Runs the blocks of a page in one namespace, and returns those that print something else.

    `import torch` in a block gets whichever library goes by that name now.
    """
    variables: dict[str, Any] = {"__name__": "page"}
    return [
        f"{page.name}:{block.line} prints\n{printed}not\n{block.printed}"
        for block in blocks_of(page)
        if (printed := output_of(block.code, variables, page.name)) != (block.printed or "")
    ]


def rewrite(page: Path, variables_of: Callable[[Block], dict[str, Any]]) -> None:
    """Puts what the blocks of a page print now into the page.

    Args:
        variables_of: gives the variables that a block is run with.
    """
    text = page.read_text(encoding="utf-8")
    for block in blocks_of(page):
        shown = output_of(block.code, variables_of(block))
        if block.printed is not None:
            text = text.replace(
                f"{block.code}```\n\n```text\n{block.printed}",
                f"{block.code}```\n\n```text\n{shown}",
            )
    page.write_text(text, encoding="utf-8")
