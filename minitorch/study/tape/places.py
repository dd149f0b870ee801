"""Places: whose code runs, which expression of it, and in which round of its loops.

A place is a code object and an offset into it, which Python knows the line and the columns of. A
call of a function is an activation: a marker in its frame's `f_trace`, a free place that dies with
the frame, tells one from the next. Within an activation an offset that goes back, or the same
offset with another callee, is another round of the innermost loop that holds both lines.
"""

from __future__ import annotations

import os
import sys
from dis import opname
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

from minitorch.study.libraries.own_code import LIBRARIES, is_own
from minitorch.study.tape.recording import File, Place, Recording, Round, Visit
from minitorch.study.tape.sources import Position, Source, position_of, source_named

# Whose code it is: the reader's; a library's, whose operators are steps of the reader's call; one
# whose operators are not shown; and what runs the reader's forward again.
OWN, OTHER, HIDING, REPEATING = "own", "other", "hiding", "repeating"

_ITERATE = frozenset(("FOR_ITER", "SEND"))
# Operators that these call on their own account are no steps of the program.
_HIDING = (
    "optim.",
    "core.graph.",
    "autograd.graph",
    "core.tensor.printing",
    "core.tensor.pickling",
    "serialization",
    "_tensor_str",
    "func.",
    "_functorch",
    "_dynamo",
    "amp.grad_scaler",
    "utils.data.",
)
# Among them, what calls the operators of others.
_SHOWING = frozenset(("optim.swa_utils", "core.base.formulas"))


class Activation:
    """A call of a function, as a marker in the frame's f_trace."""

    __slots__ = ("number",)
    made = 0

    def __init__(self) -> None:
        Activation.made += 1
        self.number = Activation.made

    def __call__(self, *event: Any) -> None:
        """Traces nothing."""


def activation_of(frame: FrameType) -> Any:
    """The identity of one call of a function, which no other call has: the number of a marker,
    or the ids of frame and code while a debugger or coverage traces the frame."""
    marker = frame.f_trace
    if type(marker) is Activation:
        return marker.number
    if marker is not None or sys.gettrace() is not None:
        return id(frame), id(frame.f_code)
    marker = frame.f_trace = Activation()
    return marker.number


def remove_markers(frame: FrameType | None) -> None:
    """Takes the markers out of a frame and of those that led to it."""
    while frame is not None:
        if type(frame.f_trace) is Activation:
            frame.f_trace = None
        frame = frame.f_back


class Step(NamedTuple):
    """A frame of the reader's: its code, the offset of the running instruction, the activation,
    and the activation of the function that it calls."""

    code: CodeType
    offset: int
    activation: Any
    callee: Any


class Places:
    """The places of a recording, found as they come."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.sources: list[Source] = []
        self.positions: list[Position] = []  # of the places,
        self.loops: list[tuple[int, ...]] = []  # and the loops that these are in
        # By the id of a code: to hash one takes up to 2 us, and codes of two files may be equal.
        self._kinds: dict[int, str] = {}
        self._met: list[CodeType] = []  # all of them, so that no id is given to another
        self._codes: dict[int, list[Any]] = {}  # the positions of its instructions
        self._files: dict[str, int] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._last: dict[Any, tuple[Step, tuple[int, ...]]] = {}  # activation -> step and loops
        self._rounds: dict[tuple[Any, int], int] = {}  # activation, loop -> round

    def kind_of(self, frame: FrameType) -> str:
        """OWN for the reader's code, HIDING for code whose operators are not shown, else OTHER."""
        code = frame.f_code
        kind = self._kinds.get(id(code))
        if kind is None:
            self._met.append(code)
            kind = self._kinds[id(code)] = _kind(frame.f_globals.get("__name__") or "", code)
        return kind

    def stack(self, frame: FrameType | None, may_hide: bool = False) -> list[Step] | None:
        """The reader's frames that led to `frame`, outermost first; [] if there are none.

        may_hide: whether it is None if what calls there is hidden.
        """
        found: list[Step] = []
        callee: Any = None
        kinds = self._kinds
        while frame is not None:
            kind = kinds.get(id(frame.f_code)) or self.kind_of(frame)
            if kind is OWN:
                code = frame.f_code
                called = None if callee is None else activation_of(callee)
                found.append(Step(code, frame.f_lasti, activation_of(frame), called))
                may_hide = False
                if code.co_name == "<module>":
                    break
            elif kind is HIDING and may_hide:
                return None
            elif kind is REPEATING:
                may_hide = False
            callee, frame = frame, frame.f_back
        found.reverse()
        return found

    def stack_of_error(self, trace: TracebackType | None) -> list[Step]:
        """The reader's frames that an exception came through, outermost first."""
        found: list[Step] = []
        while trace is not None:
            frame = trace.tb_frame
            if frame.f_code.co_name == "<module>":
                found.clear()
            if self.kind_of(frame) is OWN:
                found.append(Step(frame.f_code, trace.tb_lasti, activation_of(frame), None))
            trace = trace.tb_next
        return found

    def visits(self, steps: list[Step]) -> list[Visit]:
        """Frames as an event keeps them, with the rounds of their loops."""
        return [self._visit(step) for step in steps]

    def _visit(self, step: Step) -> Visit:
        number = self.place(step.code, step.offset)
        now = self.loops[number]
        before = self._last.get(step.activation)
        self._last[step.activation] = step, now
        counts = self._rounds
        if before is not None:
            last, then = before
            again = step.offset < last.offset or (
                step.offset == last.offset and (step.callee is None or step.callee != last.callee)
            )
            both = [each for each in then if each in now]
            if again and both:
                innermost = both[-1]
                counts[step.activation, innermost] = counts.get((step.activation, innermost), 0) + 1
                both = both[: both.index(innermost) + 1]
            for each in {*then, *now}:
                if each not in both:
                    counts[step.activation, each] = 0
        rounds = [Round(each, counts.get((step.activation, each), 0)) for each in now]
        return Visit(number, tuple(rounds))

    def place(self, code: CodeType, offset: int) -> int:
        """The number of a place."""
        key = id(code)
        number = self._places.get((key, offset))
        if number is None:
            number = self._places[key, offset] = len(self.recording.places)
            file = self._file(code.co_filename)
            source = self.sources[file]
            if key not in self._codes:
                self._codes[key] = list(code.co_positions())
            at = position_of(self._codes[key][max(offset, 0) // 2], source)
            self.positions.append(at)
            iterates = offset >= 0 and opname[code.co_code[offset]] in _ITERATE
            self.loops.append(source.loops_at(at, iterates))
            columns = [
                source.characters(at.line, at.column),
                source.characters(at.end_line, at.end_column),
            ]
            self.recording.places.append(
                Place(
                    *(file, at.line, columns[0], at.end_line, columns[1]),
                    code.co_name,
                    source.expression(at),
                )
            )
        return number

    def _file(self, name: str) -> int:
        number = self._files.get(name)
        if number is None:
            number = self._files[name] = len(self.sources)
            source = source_named(name)
            self.sources.append(source)
            self.recording.files.append(File(os.path.basename(name), source.text, [*source.loops]))
        return number

    def source_of(self, visit: Visit) -> tuple[Source, Position]:
        """The source and the position of a place."""
        return self.sources[self.recording.places[visit.place].file], self.positions[visit.place]


def _kind(module: str, code: CodeType) -> str:
    top, _, rest = module.partition(".")
    if top in LIBRARIES:
        if rest.startswith("utils.checkpoint"):
            return REPEATING
        return HIDING if rest.startswith(_HIDING) and rest not in _SHOWING else OTHER
    return OWN if is_own(code.co_filename, module) else OTHER
