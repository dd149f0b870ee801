"""The verdict of a checker: right, wrong with the first mistake, or not answered yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one check. True if the answer is right.

    Args:
        exercise: the name of the exercise.
        right: whether the answer is right; None if there is no answer yet.
        text: one or two sentences: what was compared, or the first mistake.
        program: the lines that show the mistake, for readers to run; "" if there are none.
    """

    exercise: str
    right: bool | None
    text: str
    program: str = ""

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
    """

    def __init__(self, text: str, program: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.program = program


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
