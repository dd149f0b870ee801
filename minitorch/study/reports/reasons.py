"""Answers to "why": why is .grad None or 0, why does it require grad, is it a view, was it written.

The answers are in the tables of zero_cases, gradient_cases, tensor_cases, error_cases and
live_cases; here the question is matched with a subject, and the first case that applies answers.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minitorch.study.libraries.kinds import is_module, is_node, is_tensor, node_name
from minitorch.study.reports import (
    error_cases,
    gradient_cases,
    live_cases,
    tensor_cases,
    zero_cases,
)
from minitorch.study.reports.case_table import (
    CASES,
    ERROR,
    GRAD,
    NODE,
    REQUIRES_GRAD,
    VERSION,
    VIEW,
)
from minitorch.study.reports.history import History
from minitorch.study.reports.live_cases import LIVE, LiveSubject
from minitorch.study.reports.report_text import Report, Table, series_text
from minitorch.study.reports.subjects import At, ErrorSubject, Line, NodeSubject, TensorSubject
from minitorch.study.tape.recording import Place, Recording

TABLES = (zero_cases, gradient_cases, tensor_cases, error_cases, live_cases)
# Tables are asked in this order, whichever was imported first.
_ORDER = [table.__name__ for table in TABLES]
CASES.sort(key=lambda each: _ORDER.index(each.words.__module__))

QUESTIONS = (GRAD, REQUIRES_GRAD, VIEW, VERSION)
_LIBRARIES = ("minitorch", "torch")


@dataclass(slots=True, repr=False)
class Reason(Report):
    """One or two sentences that answer why; prints itself.

    Attributes:
        question: "grad", "requires_grad", "view", "version", "node" or "error".
        case: the name of the case, as "no_grad".
        sentences: the answer.
        places: the places in the reader's code that it names, in the order of the words.
    """

    question: str
    case: str
    sentences: str
    places: list[Place] = field(default_factory=list)

    def blocks(self) -> Iterable[str | Table]:
        """Returns the sentences."""
        yield self.sentences


def why(x: Any, question: str | None = None, tape: Recording | None = None) -> Reason:
    """Returns the reason why a tensor, a node or an exception is as it is.

    Args:
        x: a tensor, a node, an exception, or the name that a tensor has in the recording.
        question: "grad", "requires_grad", "view" or "version"; by default "grad" for what requires
            grad, else "requires_grad". Not asked of nodes and exceptions.
        tape: the recording of the program; by default the last one that a variable of the caller
            holds. Without any, the answer says what the tensor itself knows.

    Raises:
        TypeError: for None, which has no history, and for other things.
        ValueError: for an unknown question, or a name that the recording has not.
    """
    if x is None:
        raise TypeError("None has no history: ask about the tensor, why(w) instead of why(w.grad)")
    if question is not None and question not in QUESTIONS:
        raise ValueError(f"question is one of {series_text(QUESTIONS)}, not {question!r}")
    frame = sys._getframe(1)
    scope = {**frame.f_globals, **frame.f_locals}
    recording = _recording_in(scope) if tape is None else tape
    history = None if recording is None else History(recording)
    if isinstance(x, BaseException):
        return _error_reason(x, history)
    if isinstance(x, str):
        if history is None:
            raise ValueError("a name is looked for in a recording: pass tape=")
        return tensor_reason(history, _number_of_name(history, x), question)
    if is_node(x):
        number = None if history is None else recorded_node(history, x)
        if history is None or number is None:
            text = f"{node_name(x)} is in no recording: record the program to learn what made it."
            return Reason(NODE, "not_recorded", text)
        return node_reason(history, number)
    if not is_tensor(x):
        raise TypeError(f"why takes a tensor, a node or an exception, not {type(x).__name__}")
    names = names_of(x, scope)
    number = None if history is None else recorded_tensor(history, x, names)
    name = names[0].text if names else "the tensor"
    if history is None or number is None:
        default = GRAD if x.requires_grad else REQUIRES_GRAD
        return answer(LIVE + (question or default), LiveSubject(x, name))
    return tensor_reason(history, number, question, history.tensors[number].name or name)


def tensor_reason(
    history: History, tensor: int, question: str | None = None, name: str = ""
) -> Reason:
    """Returns the reason for a tensor of a recording.

    Args:
        history: of the recording.
        tensor: its number.
        question: as of why().
        name: what the reader calls it, if not as in the recording.
    """
    subject = TensorSubject(history, tensor, name)
    if question is None:
        question = GRAD if subject.requires_grad else REQUIRES_GRAD
    return answer(question, subject)


def answer(question: str, subject: Any) -> Reason:
    """Returns the first case of a question that applies to a subject."""
    for each in CASES:
        words = each.words(subject) if each.question == question else None
        if words is None:
            continue
        named = {"name": getattr(subject, "name", ""), **words}
        places = [word.place for word in words.values() if isinstance(word, (At, Line))]
        return Reason(
            question.removeprefix(LIVE),
            each.key,
            each.text.format(**named),
            [place for place in places if place is not None],
        )
    raise AssertionError(f"the cases of {question!r} end in one that always applies")


def _error_reason(error: BaseException, history: History | None) -> Reason:
    """Returns the reason for an exception."""
    empty = History(Recording("", "", ""))
    return recorded_error_reason(history or empty, str(error), _line_of(error))


def recorded_error_reason(history: History, text: str, line: Line | None = None) -> Reason:
    """Returns the reason for an exception that a recorded program raised.

    Args:
        history: of the recording.
        text: what the exception says.
        line: where its traceback ends in the reader's code, if that is known.
    """

    def reason_for(name: str) -> str:
        known = {tensor.name for tensor in history.tensors}
        if name not in known:
            return ""
        return str(tensor_reason(history, _number_of_name(history, name), REQUIRES_GRAD))

    return answer(ERROR, ErrorSubject(history, text, line, reason_for))


def node_reason(history: History, node: int) -> Reason:
    """Returns how a node of a recording stands: made where, run, let go.

    Args:
        history: of the recording.
        node: its number.
    """
    return answer(NODE, NodeSubject(history, node))


def _number_of_name(history: History, name: str) -> int:
    """Returns the last tensor of a name."""
    numbers = {tensor.name: number for number, tensor in enumerate(history.tensors)}
    if name not in numbers:
        known = series_text(sorted(each for each in numbers if each))
        raise ValueError(f"no tensor of the recording is called {name!r}; there are {known}")
    return numbers[name]


def _line_of(error: BaseException) -> Line | None:
    """Returns the last line of the reader's code in a traceback."""
    found, trace = None, error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] not in _LIBRARIES:
            found = trace
        trace = trace.tb_next
    if found is None:
        return None
    text = linecache.getline(found.tb_frame.f_code.co_filename, found.tb_lineno)
    return Line(f"line {found.tb_lineno}", text.split("  #")[0].strip())


def _recording_in(scope: dict[str, Any]) -> Recording | None:
    """Returns the recording that was last put into a variable of the caller, if any."""
    found = [value for value in scope.values() if isinstance(value, Recording)]
    return found[-1] if found else None


class Name(NamedTuple):
    """Says what a tensor is called: a variable, or a parameter of a module that is a variable."""

    variable: str
    path: str = ""

    @property
    def text(self) -> str:
        """The name as a recording has it: a module's own name is not part of it."""
        return self.path or self.variable


def names_of(tensor: Any, scope: dict[str, Any]) -> list[Name]:
    """Returns what a tensor is called by some variables, and by modules that they hold.

    Args:
        tensor: of either library.
        scope: the variables.
    """
    found = [Name(name) for name, value in scope.items() if value is tensor and name[0] != "_"]
    for variable, module in scope.items():
        if is_module(module):
            paths = [path for path, value in module.named_parameters() if value is tensor]
            found += [Name(variable, path) for path in paths]
    return found


def recorded_node(history: History, node: Any) -> int | None:
    """Returns the number of a node in a recording, or None if it is not there.

    Args:
        history: of the recording.
        node: of either library.
    """
    if hasattr(node, "variable"):
        return None  # every AccumulateGrad has the same sequence number
    wanted = node_name(node), node._sequence_nr()
    for number, about in enumerate(history.nodes):
        if (about.name, about.seq) == wanted:
            return number
    return None


def recorded_tensor(history: History, tensor: Any, names: list[Name]) -> int | None:
    """Returns the number of a tensor in a recording, or None if it is not there for certain.

    A tensor with a node is known by it. A leaf is known by its names, if shape and dtype agree: a
    recording holds no tensors. Of several leaves of one name it is that which was used where the
    source names its module.

    Args:
        history: of the recording.
        tensor: of either library.
        names: what it may be called.
    """
    if tensor.grad_fn is not None:
        return _given_by(history, recorded_node(history, tensor.grad_fn), tensor.output_nr)
    like = list(tensor.shape), str(tensor.dtype).rpartition(".")[2]
    texts = {name.text for name in names}
    found = {
        about.storage: number  # the last one of each storage
        for number, about in enumerate(history.tensors)
        if about.name in texts and about.leaf and (list(about.shape), about.dtype) == like
    }
    if len(found) > 1:
        calls = [f"{name.variable}(" for name in names if name.path]
        found = {
            storage: number
            for storage, number in found.items()
            if any(
                history.expression(use).startswith(tuple(calls))
                for use in history.uses.get(number, ())
            )
        }
    return found.popitem()[1] if len(found) == 1 else None


def _given_by(history: History, node: int | None, output: int) -> int | None:
    """Returns the tensor that is an output of a node."""
    for _, event in history.operators():
        for out, edge in zip(event.outs, event.fn):
            if edge is not None and edge == (node, output):
                return out.tensor
    return None
