"""Pages of programs and their output: found in Markdown, run, and compared."""

import contextlib
import io
import linecache
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_EXCERPT = re.compile(r"^ *```py\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)

DOCS = Path(__file__).resolve().parents[2] / "docs"
SEMANTICS = DOCS / "semantics"
QUESTIONS = sorted(set(SEMANTICS.glob("*.md")) - {SEMANTICS / "README.md"})
GUIDES = sorted(DOCS.glob("*.md"))


class Block(NamedTuple):
    """A block of code of a page, the output that the page shows, and its place."""

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


def is_for_either(page: Path) -> bool:
    """Whether a page has code, which says torch and no more, so that either library runs it."""
    codes = [block.code for block in blocks_of(page)]
    return bool(codes) and not any("minitorch" in code for code in codes)


class Command(NamedTuple):
    """A command of a page and the output shown there; a line of dots stands for any lines."""

    words: str
    printed: str


def commands_of(page: Path) -> list[Command]:
    """The commands in a page's blocks of a console: lines that begin with a dollar."""
    found: list[Command] = []
    for match in _CONSOLE.finditer(page.read_text(encoding="utf-8")):
        for line in match[1].splitlines(keepends=True):
            if line.startswith("$ "):
                found.append(Command(line[2:].partition("  #")[0].strip(), ""))
            else:
                found[-1] = found[-1]._replace(printed=found[-1].printed + line)
    return found


def excerpts_of(page: Path) -> list[str]:
    """The blocks of a page that are said to stand in a file of the package, as they stand there."""
    text = page.read_text(encoding="utf-8")
    return [textwrap.dedent(match[1]) for match in _EXCERPT.finditer(text)]


def is_printed(said: str, printed: str) -> bool:
    """Whether a text is what a page says, where a line `...` of the page stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", said, flags=re.MULTILINE)]
    plain = "\n".join([line.rstrip() for line in printed.splitlines()] + [""])
    return re.fullmatch(r"(?:.*\n)*?".join(parts), plain) is not None


def output_of(code: str, variables: dict[str, Any], name: str = "train.py") -> str:
    """The output of code.

    Args:
        variables: the names that the code finds, and to which it adds.
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
