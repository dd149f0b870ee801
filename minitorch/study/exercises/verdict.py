"""The verdict of a checker: right, wrong with the first mistake, or not answered yet."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass

from minitorch.study import page
from minitorch.study.tape.recording import Recording

from . import mistake


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one check. True if the answer is right.

    Args:
        exercise: the name of the exercise.
        right: whether the answer is right; None if there is no answer yet.
        text: one or two sentences: what was compared, or the first mistake.
        program: the lines that show the mistake, for readers to run; "" if there are none.
        value: the name of the first wrong value in these lines; "" if they have none.
    """

    exercise: str
    right: bool | None
    text: str
    program: str = ""
    value: str = ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a page that marks the first wrong value and shows how the right one comes about.

        Args:
            path: the file, which ends in ".html"; one that is there is replaced.

        Raises:
            ValueError: there is no wrong value to show, or the file has another ending.
        """
        if not os.fspath(path).endswith(".html"):
            raise ValueError(f"a verdict is saved as .html, not as {os.fspath(path)!r}")
        if not self.value:
            raise ValueError(f"this verdict has no value to show: {self!r}")
        recording, mark = self._recording()
        page.write(recording, path, mark)

    def _repr_html_(self) -> str | None:
        """The verdict and its page, as notebooks show them; None where there is no page."""
        if not self.value:
            return None
        recording, mark = self._recording()
        return f"<pre>{html.escape(repr(self))}</pre>{page.frame(recording, mark)}"

    def _recording(self) -> tuple[Recording, page.Mark]:
        recording = mistake.recording_of(self.program)
        return recording, mistake.mark_of(recording, self.value, self.text)

    def __bool__(self) -> bool:
        return self.right is True

    def __repr__(self) -> str:
        head = {True: "right", False: "not yet", None: "no answer"}[self.right]
        lines = [f"{self.exercise}: {head}. {self.text}".rstrip()]
        lines += ["    " + line for line in self.program.splitlines()]
        return "\n".join(lines)


class WrongAnswer(Exception):
    """The first mistake of an answer.

    Args:
        text: one or two sentences.
        program: the lines that show the mistake.
        value: the name of the wrong value in these lines.
    """

    def __init__(self, text: str, program: str = "", value: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.program = program
        self.value = value


def number(value: object) -> str:
    """A number or an array, as short as it reads: "9", "-0.25", "[1, 2.5]"."""
    if value is None:
        return "None"
    tolist = getattr(value, "tolist", None)
    if tolist is not None:
        value = tolist()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(number, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def enumeration(words: list[str], conjunction: str = "and") -> str:
    """Words in a row: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
