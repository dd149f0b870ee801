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
from minitorch.study.reports.subjects import Conflict, ErrorSubject, conflicts_of

_WRITTEN = "modified by an inplace operation"


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


@case(
    ERROR,
    "second_backward",
    "The backward in {first} let go of what the graph kept, and that in {second} needed it again.",
    "Pass retain_graph=True to the first, or compute the result anew.",
)
def _second_backward(subject: ErrorSubject) -> Words | None:
    walk = subject.failed_walk
    if "second time" not in subject.text or walk is None:
        return None
    history = subject.history
    before = [
        history.releases[node]
        for node in history.reached(walk)
        if history.nodes[node].leaf is None and history.releases.get(node, walk.begin) < walk.begin
    ]
    if not before:
        return None
    first = history.backward_of(min(before))
    if first is None:
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
