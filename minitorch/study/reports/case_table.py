"""The table of reasons, and what several of its cases ask.

A case is a text and a function. The function looks at a subject and returns the words that the text
needs, or None where the case does not apply. A word that is an event prints as its line; its
attributes are the source there: "{use.expression} in {use}". The cases of one question are tried in
the order in which they stand in the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from minitorch.study.reports.history import PARAMETERS, History
from minitorch.study.reports.subjects import (
    COPIES,
    DETACHES,
    At,
    TensorSubject,
    is_whole_number,
)

Words = dict[str, Any]

GRAD, REQUIRES_GRAD, VIEW, VERSION = "grad", "requires_grad", "view", "version"
NODE, ERROR = "node", "error"


class Case(NamedTuple):
    """Answers one question in one situation; `key` names the situation."""

    question: str
    key: str
    text: str
    words: Callable[[Any], Words | None]


CASES: list[Case] = []


def case(question: str, key: str, *text: str) -> Callable[[Any], Any]:
    """Puts a function into the table, with the text that it gives the words for."""

    def add(words: Callable[[Any], Words | None]) -> Callable[[Any], Words | None]:
        CASES.append(Case(question, key, " ".join(text), words))
        return words

    return add


def total_of(subject: TensorSubject) -> int | None:
    value: int | None = subject.history.events[subject.accumulations[-1]].total
    return value


def mode_text(history: History, at: At) -> str:
    mode = history.grad_mode_off(at.event)
    return "" if mode is None else f" ({mode.text}, line {mode.line})"


def cut_text(history: History, event: int) -> str:
    """Returns how an operator gave a result without a history, as "where grad mode was off"."""
    operator = history.events[event]
    dtypes = {history.tensors[out.tensor].dtype for out in operator.outs}
    if not operator.grad_mode:
        return f"where grad mode was off{mode_text(history, At(history, event))}"
    if operator.name in {*DETACHES, "data"}:
        return "which takes it out of its history"
    if operator.name in COPIES:
        return "which copied numbers into a new tensor"
    if "bool" in dtypes:
        return "which gives truth values"
    whole = sorted(filter(is_whole_number, dtypes))
    return f"which gives {whole[0]}" if whole else "which has no history"


def operands_with_grad(subject: TensorSubject, event: int | None) -> list[str]:
    if event is None:
        return []
    tensors = subject.history.tensors
    operands = subject.operator(event).ins
    return [subject.history.name(each) for each in operands if tensors[each].grad]


def conflict_words(history: History, found: Any) -> Words:
    """Returns the words for a node that kept a tensor, and a write into it.

    Args:
        history: of the recording.
        found: a Conflict.
    """
    node = history.nodes[found.node]
    event = history.events[found.write]
    written = (event.writes or [None])[0] if event.kind == "op" else None
    kept = "its result" if found.saved.tensor is None else history.name(found.saved.tensor)
    return {
        "node": node.name,
        "made": At(history, node.event),
        "kept": kept,
        "write": At(history, found.write),
        "written": "" if written is None else history.name(written),
    }


CONFLICT = (
    "{node}, made by {made.expression} in {made}, kept {kept}. {write.statement} in {write} wrote "
    "into it after that: write into {kept}.clone()."
)
CONFLICT_UPDATE = (
    "{node}, made by {made.expression} in {made}, kept {kept}. {write.statement} in {write} "
    "changed it after that: compute the result anew before the next backward."
)
CONFLICT_VIEW = (
    "{node}, made by {made.expression} in {made}, kept {kept}. {write.statement} in {write} wrote "
    "into the same memory through {written}: write into a clone()."
)


def is_update(history: History, write: int) -> bool:
    """Returns whether a write is a step of an optimizer, or one into a parameter by hand."""
    event = history.events[write]
    if event.kind == "update":
        return True
    kinds = [history.storage_kinds[history.tensors[each].storage] for each in event.writes or ()]
    return PARAMETERS in kinds


def is_through_view(history: History, found: Any) -> bool:
    """Returns whether a write went through another tensor than the one that was kept."""
    event = history.events[found.write]
    if event.kind != "op" or not event.writes or found.saved.tensor is None:
        return False
    written = history.tensors[event.writes[0]]
    kept = history.tensors[found.saved.tensor]
    return written.base is not None and written.shape != kept.shape
