"""Lines of nodes: while `lines()` is open, each new node notes the expression that made it.

In minitorch the order of a new node is an int that carries the note, as in anomaly mode. Under
torch a mode sees each call, and the nodes that a call made get the note into their `metadata`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.graph.anomaly import NotedOrder
from minitorch.study.libraries.kinds import is_tensor, real_torch
from minitorch.study.libraries.own_code import is_own
from minitorch.study.libraries.swapping import swapped_apply
from minitorch.study.tape.sources import Text, position_of

NOTE = "study_place"  # the key in a node's metadata
_ENTRY = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')


class Place(NamedTuple):
    """An instruction of the reader's own code."""

    code: CodeType
    instruction: int


class Line(NamedTuple):
    """The place in the reader's code where a node was made.

    text: the expression, or the line if columns are not known; "" if the source is not to be had.
    """

    file: str
    number: int
    text: str


@contextmanager
def lines() -> Iterator[None]:
    """Lets new nodes note the line and expression that made them, for `explain`.

    In both libraries, and for torch on this thread. A Function of torch's is seen where it is
    called as `MyFunction.apply`.
    """
    with ExitStack() as stack:
        stack.enter_context(_noting_orders())
        torch = real_torch()
        if torch is not None:
            stack.enter_context(_noting_functions(torch))
            stack.enter_context(_mode_of(torch)())
        yield


def line_of(node: Any) -> Line | None:
    """The place where a node was made, noted by `lines()` or anomaly mode; None without them."""
    notes = node.metadata
    place = notes.get(NOTE)
    if place is not None:
        return _line_at(place)
    return _line_in(notes.get("traceback_", ()))


# ---- Whose code

_own: dict[int, tuple[CodeType, bool]] = {}  # by the id of the code, which is held


def place_of(frame: FrameType | None) -> Place | None:
    """The innermost place of the reader's own code in the calls that led to a frame."""
    while frame is not None:
        code = frame.f_code
        known = _own.get(id(code))
        if known is None:
            module = frame.f_globals.get("__name__") or ""
            known = _own[id(code)] = (code, is_own(code.co_filename, module))
        if known[1]:
            return Place(code, frame.f_lasti)
        frame = frame.f_back
    return None


_lines: dict[tuple[int, int], tuple[CodeType, Line]] = {}  # by the id of the code, which is held


def _line_at(place: Place) -> Line:
    """The line of a place, and its expression. Equal code of two files is not the same place."""
    key = id(place.code), place.instruction
    if key not in _lines:
        _lines[key] = place.code, _line_found(*place)
    return _lines[key][1]


def _line_found(code: CodeType, instruction: int) -> Line:
    text = Text(code.co_filename)
    at = position_of(next(islice(code.co_positions(), instruction // 2, None), (None,) * 4), text)
    if not at.line:
        at = text.whole_line(code.co_firstlineno)
    return Line(Path(text.name).name, at.line, text.whole_expression(at))


def _line_in(traceback: Any) -> Line | None:
    """The innermost line of the reader's own in what anomaly mode noted."""
    for entry in reversed(traceback):
        head, *text = entry.strip().splitlines()
        found = _ENTRY.search(head)
        if found and is_own(found["file"]):
            return Line(
                Path(found["file"]).name, int(found["line"]), text[0].strip() if text else ""
            )
    return None


# ---- minitorch


@contextmanager
def _noting_orders() -> Iterator[None]:
    """Puts another function in the place of `next_order`."""
    before: Callable[[], int] = ASSEMBLED_GLOBALS["next_order"]
    frame_of = sys._getframe

    def noted_order() -> NotedOrder:
        number = before()
        order = NotedOrder(number)
        order.notes = {**getattr(number, "notes", {}), NOTE: place_of(frame_of(1))}
        return order

    ASSEMBLED_GLOBALS["next_order"] = noted_order
    try:
        yield
    finally:
        # Else anomaly mode has been switched since.
        if ASSEMBLED_GLOBALS["next_order"] is noted_order:
            ASSEMBLED_GLOBALS["next_order"] = before


# ---- torch


@cache
def _mode_of(torch: Any) -> type:
    """The mode that sees calls of torch's functions."""
    next_number = torch.autograd._get_sequence_nr

    class NotingMode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        """Notes the place of each call at the nodes that it made."""

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            before = next_number()
            result = function(*args, **(kwargs or {}))
            if next_number() != before:
                place = place_of(sys._getframe(1))
                _note(args[:1] if result is None else result, before, place)
            return result

    return NotingMode


@contextmanager
def _noting_functions(torch: Any) -> Iterator[None]:
    """Lets calls of the reader's Functions be seen, which no mode sees."""

    def noting(cls: Any, apply: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        start = torch.autograd._get_sequence_nr()
        result = apply(*args, **kwargs)
        _note(result, start, place_of(sys._getframe(1)))
        return result

    swap = swapped_apply(torch.autograd.Function, noting)
    try:
        yield
    finally:
        swap.undo()


def _note(result: Any, start: int, place: Place | None) -> None:
    """Notes a place at the nodes behind a result that were made since `start`."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    waiting = []
    for each in results:
        if is_tensor(each):
            waiting.append(each.grad_fn)
            if each._is_view() and each._base is not None:  # which a write has given a new history
                waiting.append(each._base.grad_fn)
    while waiting:
        node = waiting.pop()
        if node is None or hasattr(node, "variable") or node._sequence_nr() < start:
            continue
        notes = node.metadata
        if NOTE not in notes:
            notes[NOTE] = place
            waiting += [following for following, _ in node.next_functions]
