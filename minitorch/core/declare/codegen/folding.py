"""Lines of assembled code that end before column 100, folded as one would fold them by hand.

A part of a line is a text, or a call made by call(): (head with its bracket, parts, the whole on
one line). A condition is a text, or a tuple of a joining word and its conditions:
("or", "x", ("and", "y", "z")).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

WIDTH = 96  # of 100 columns: refusing() may put a function's body one step further in
STEP = "    "
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def call(head: str, parts: Sequence[Any]) -> tuple[str, Sequence[Any], str]:
    """A call, or a tuple, list or dictionary; its parts may be calls themselves."""
    inner = ", ".join([each if type(each) is str else each[2] for each in parts])
    if len(parts) == 1 and head[-1] == "(" and head[-2:-1] in ("", " "):
        inner += ","  # of a tuple: the bracket calls nothing
    return head, parts, f"{head}{inner}{_CLOSING[head[-1]]}"


def flat(part: Any) -> str:
    """A part on one line."""
    return part if type(part) is str else part[2]


def fold(step: str, part: Any, tail: str = "") -> list[str]:
    """The lines of a part: one if it fits; else the parts in brackets, indented one step further,
    on one line if they fit, or on one line each.

    step: the indent.
    tail: the text after the closing bracket.
    """
    if type(part) is str:
        return [f"{step}{part}{tail}"]
    head, parts, line = part
    if len(step) + len(line) + len(tail) <= WIDTH:
        return [f"{step}{line}{tail}"]
    inner, closing = line[len(head) : -1], f"{step}{line[-1]}{tail}"
    further = step + STEP
    if len(further) + len(inner) <= WIDTH:
        return [step + head, further + inner, closing]
    lines = [step + head]
    for each in parts:
        if type(each) is str:
            lines.append(f"{further}{each},")
        else:
            lines += fold(further, each, ",")
    lines.append(closing)
    return lines


def fold_clause(step: str, clause: str, action: Any, tail: str = "") -> list[str]:
    """The lines of a statement under a clause, `except Exception:`; one if they fit."""
    line = f"{step}{clause} {flat(action)}{tail}"
    if len(line) <= WIDTH:
        return [line]
    return [step + clause, *fold(step + STEP, action, tail)]


def fold_when(step: str, condition: Any, action: Any) -> list[str]:
    """The lines of a statement under a condition; one if they fit."""
    line = f"{step}if {stated(condition)}: {flat(action)}"
    if len(line) <= WIDTH:
        return [line]
    return [*fold_if(step, condition), *fold(step + STEP, action)]


def fold_if(step: str, condition: Any) -> list[str]:
    """The line `if condition:`, or several lines that each begin with the joining word."""
    line = f"{step}if {stated(condition)}:"
    if len(line) <= WIDTH or type(condition) is str:
        return [line]
    return [f"{step}if (", *_joined(step + STEP, condition), f"{step}):"]


def fold_choice(step: str, condition: Any, target: str, first: str, second: str) -> list[str]:
    """The lines that give `target` one value if a condition holds, else another."""
    line = f"{step}{target} = {first} if {stated(condition)} else {second}"
    if len(line) <= WIDTH:
        return [line]
    return [
        *fold_when(step, condition, f"{target} = {first}"),
        *fold_clause(step, "else:", f"{target} = {second}"),
    ]


def all_of(conditions: Sequence[Any]) -> Any:
    """The condition that all of these hold."""
    return _of_several("and", conditions)


def any_of(conditions: Sequence[Any]) -> Any:
    """The condition that one of these holds."""
    return _of_several("or", conditions)


def _of_several(word: str, conditions: Sequence[Any]) -> Any:
    """One condition of several; conditions that are joined by the same word are merged into it."""
    if len(conditions) == 1:
        return conditions[0]
    joined = [word]
    for each in conditions:
        joined += each[1:] if each[0] == word else [each]
    return tuple(joined)


def stated(condition: Any) -> str:
    """A condition on one line."""
    if type(condition) is str:
        return condition
    return f" {condition[0]} ".join(
        [each if type(each) is str else f"({stated(each)})" for each in condition[1:]]
    )


def _joined(step: str, condition: Any) -> list[str]:
    """The lines of a condition that needs several."""
    word, *joined = condition
    lines: list[str] = []
    for number, each in enumerate(joined):
        opened = f"{step}{word} " if number else step
        if type(each) is str:
            lines.append(opened + each)
            continue
        line = f"{opened}({stated(each)})"
        if len(line) <= WIDTH:
            lines.append(line)
        else:
            lines += [f"{opened}(", *_joined(step + STEP, each), f"{step})"]
    return lines
