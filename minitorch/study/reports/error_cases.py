"""Why an exception was raised: the cases of the question "error", known by torch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.study.reports.case_table import (
    CONFLICT,
    CONFLICT_UPDATE,
    CONFLICT_VIEW,
    ERROR,
    Words,
    case,
    conflict_words,
    is_through_view,
    is_update,
)
from minitorch.study.reports.history import History
from minitorch.study.reports.subjects import Conflict, ErrorSubject, conflicts_of
from minitorch.study.tape.recording import Edge

_WRITTEN = "modified by an inplace operation"
_NUMBERS = ("float", "int")


def _culprit(subject: ErrorSubject, is_kind: Callable[[Conflict], bool]) -> Words | None:
    """Returns the words for the write that made a backward fail, if it is of a kind.

    Of several it is that into what the youngest node kept: the engine comes to it first.
    """
    walk = subject.failed_walk
    if _WRITTEN not in subject.text or walk is None:
        return None
    history = subject.history
    reached = history.reached(walk)
    found = [
        each
        for storage in set(history.holders) & set(history.writes)
        for each in conflicts_of(history, storage)
        if each.node in reached and history.nodes[each.node].event is not None
    ]
    if not found:
        return None
    first = max(found, key=lambda each: history.nodes[each.node].seq)
    return conflict_words(history, first) if is_kind(first) else None


@case(ERROR, "updated", CONFLICT_UPDATE)
def _updated(subject: ErrorSubject) -> Words | None:
    return _culprit(subject, lambda found: is_update(subject.history, found.write))


@case(ERROR, "through_view", CONFLICT_VIEW)
def _through_view(subject: ErrorSubject) -> Words | None:
    return _culprit(subject, lambda found: is_through_view(subject.history, found))


@case(ERROR, "conflict", CONFLICT)
def _conflict(subject: ErrorSubject) -> Words | None:
    return _culprit(subject, lambda found: True)


def _name_of_result(history: History, edge: Edge, tensors: list[int]) -> str:
    """Returns the name of that one of some tensors which is an output of a node."""
    for _, event in history.operators():
        for out, made_by in zip(event.outs, event.fn):
            if made_by == edge and out.tensor in tensors:
                return history.name(out.tensor)
    return "h"


@case(
    ERROR,
    "builds_on_released",
    "{use.expression} in {use} builds on the graph that the backward in {first} let go of. Take",
    "{taken}.detach() there, or pass retain_graph=True to that backward.",
)
def _builds_on_released(subject: ErrorSubject) -> Words | None:
    walk, first = subject.failed_walk, subject.releasing_walk
    if walk is None or first is None:
        return None
    history = subject.history
    for node in sorted(history.reached(walk)):
        made = history.nodes[node].event
        if made is None or made < first.begin:
            continue
        for edge in history.nodes[node].edges:
            into = edge.node
            made_at = None if into is None else history.nodes[into].event
            if into is None or made_at is None or made_at >= first.begin:
                continue
            if history.releases.get(into, walk.begin) < walk.begin:
                taken = _name_of_result(history, edge, history.events[made].ins)
                return {
                    "use": subject.at(made),
                    "first": subject.at(first.begin),
                    "taken": taken,
                }
    return None


@case(
    ERROR,
    "second_backward",
    "The backward in {first} let go of what the graph kept, and that in {second} needed it again.",
    "Pass retain_graph=True to the first, or compute the result anew.",
)
def _second_backward(subject: ErrorSubject) -> Words | None:
    walk, first = subject.failed_walk, subject.releasing_walk
    if walk is None or first is None:
        return None
    return {"first": subject.at(first.begin), "second": subject.at(walk.begin)}


def _said(subject: ErrorSubject, *texts: str) -> Words | None:
    """Returns the words of a case that is known by what the exception says."""
    if subject.where is None or not any(text in subject.text for text in texts):
        return None
    return {"where": subject.where}


@case(
    ERROR,
    "view_of_leaf",
    "{where.statement} in {where} writes into a view of a leaf that requires grad. Write inside of",
    "torch.no_grad(), or into a clone().",
)
def _view_of_leaf(subject: ErrorSubject) -> Words | None:
    return _said(subject, "a view of a leaf Variable that requires grad")


@case(
    ERROR,
    "leaf",
    "{where.statement} in {where} writes into a leaf that requires grad. Write inside of",
    "torch.no_grad(), or into a clone().",
)
def _leaf(subject: ErrorSubject) -> Words | None:
    return _said(subject, "a leaf Variable that requires grad")


@case(
    ERROR,
    "overlap",
    "{where.statement} in {where} writes into a tensor of which several elements are one place in",
    "memory, as after expand(). Write into a clone().",
)
def _overlap(subject: ErrorSubject) -> Words | None:
    return _said(subject, "more than one element of the written-to tensor refers to a single")


@case(
    ERROR,
    "number",
    "{where.expression} in {where} asks a Python number for a backward. Start at the tensor:",
    "item() and float() leave autograd.",
)
def _number(subject: ErrorSubject) -> Words | None:
    return _said(subject, *[f"'{kind}' object has no attribute 'backward'" for kind in _NUMBERS])


@case(
    ERROR,
    "one_of_many_views",
    "{where.statement} in {where} writes into one of several views that one operator gave, whose",
    "histories would no longer fit together. Write into a clone().",
)
def _one_of_many_views(subject: ErrorSubject) -> Words | None:
    return _said(subject, "is a view and is being modified inplace")


@case(
    ERROR,
    "no_history",
    "{where.expression} in {where} starts a backward at a tensor that does not require",
    "grad.{reason}",
)
def _no_history(subject: ErrorSubject) -> Words | None:
    words = _said(subject, "does not require grad and does not have a grad_fn")
    if words is None:
        return None
    name = words["where"].expression.partition(".backward")[0]
    reason = subject.reason_for(name)
    return {**words, "reason": f" {reason}" if reason else ""}


@case(
    ERROR,
    "not_scalar",
    "{where.expression} in {where} starts at a tensor of several elements, which have no single",
    "derivative. Call .sum() or .mean() first, or pass gradient=.",
)
def _not_scalar(subject: ErrorSubject) -> Words | None:
    return _said(subject, "grad can be implicitly created only for")


@case(
    ERROR,
    "unused",
    "{where.expression} in {where} asks for the gradient of a tensor that the result was not made",
    "of. Pass allow_unused=True to get None for it.",
)
def _unused(subject: ErrorSubject) -> Words | None:
    return _said(subject, "to not have been used in the graph")


@case(
    ERROR,
    "to_numpy",
    "{where.expression} in {where} would leave autograd unnoticed. Write .detach().numpy().",
)
def _to_numpy(subject: ErrorSubject) -> Words | None:
    return _said(subject, "Can't call numpy() on Tensor that requires grad")


@case(
    ERROR,
    "shapes",
    "{where.expression} in {where} got operands whose sizes do not fit: {text}.",
)
def _shapes(subject: ErrorSubject) -> Words | None:
    words = _said(subject, "shapes cannot be multiplied", "must match the size of tensor")
    return words and {**words, "text": subject.text.partition("\n")[0].rstrip(".")}


@case(
    ERROR,
    "integers",
    "{where.expression} in {where} asks for gradients of whole numbers or truth values, which have",
    "none. Make the tensor of a floating-point dtype.",
)
def _integers(subject: ErrorSubject) -> Words | None:
    return _said(subject, "can require gradients", "can only backward through")


@case(ERROR, "elsewhere", "{where.statement} in {where} raised it: {text}.")
def _elsewhere(subject: ErrorSubject) -> Words | None:
    words: dict[str, Any] = {"where": subject.where, "text": subject.text.partition("\n")[0]}
    return None if subject.where is None else {**words, "text": words["text"].rstrip(".")}


@case(ERROR, "not_known", "Where this was raised is not known: {text}.")
def _not_known(subject: ErrorSubject) -> Words | None:
    return {"text": subject.text.partition("\n")[0].rstrip(".")}
