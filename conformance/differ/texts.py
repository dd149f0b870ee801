"""Differences as people read them: both sides cut to one window, and their parts that differ."""

import re
from difflib import SequenceMatcher
from typing import Any

LENGTH = 1200
ALIKE = 0.2  # the share of two texts that is the same, at least, where the rest is marked
TOKEN = re.compile(r"[\w.+-]+|\s+|.")


def text(thing: Any) -> str:
    """Returns plain data as text: a list of lines as lines, everything else as Python writes it."""
    if isinstance(thing, str):
        return thing or "''"
    if isinstance(thing, list) and thing and all(isinstance(item, str) for item in thing):
        return "\n".join(thing)
    return repr(thing)


def texts(theirs: Any, ours: Any, length: int = LENGTH) -> tuple[str, str]:
    """Returns both sides as text, of bounded length: around the first place where they differ."""
    both = text(theirs), text(ours)
    if max(map(len, both)) <= length:
        return both
    pairs = enumerate(zip(*both, strict=False))
    longest = min(map(len, both)) if both[0] != both[1] else 0
    apart = next((place for place, (a, b) in pairs if a != b), longest)
    start = max(0, apart - length // 3)
    if start:
        start = both[0].find("\n", start, apart) + 1 or start
    return _window(both[0], start, length), _window(both[1], start, length)


def _window(whole: str, start: int, length: int) -> str:
    before = "... " if start else ""
    after = " ..." if len(whole) > start + length else ""
    return before + whole[start : start + length] + after


def parts(theirs: str, ours: str) -> tuple[list[str], list[str]]:
    """Returns each text in parts: one that the other has too, one that it has not, and so on.

    Texts that have next to nothing in common are one part each: to mark it all says nothing.
    """
    left, right = TOKEN.findall(theirs), TOKEN.findall(ours)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [theirs], [ours]
    found: tuple[list[str], list[str]] = ([], [])
    for tag, a, b, c, d in matcher.get_opcodes():
        for side, piece in zip(found, ("".join(left[a:b]), "".join(right[c:d])), strict=True):
            differs = tag != "equal"
            if len(side) % 2 != differs:  # the part in between is empty
                side.append("")
            side.append(piece)
    return found
