"""Why a tensor requires grad, is a view, was written: three questions; and how a node stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.study.reports.case_table import (
    CONFLICT,
    CONFLICT_UPDATE,
    CONFLICT_VIEW,
    NODE,
    REQUIRES_GRAD,
    VERSION,
    VIEW,
    Words,
    case,
    conflict_words,
    cut_text,
    is_through_view,
    is_update,
    mode_text,
    operands_with_grad,
)
from minitorch.study.reports.report_text import series_text
from minitorch.study.reports.subjects import (
    COPIES,
    DETACHES,
    NodeSubject,
    TensorSubject,
    is_differentiable,
    is_seen_by_autograd,
)

# ---- requires_grad


@case(REQUIRES_GRAD, "asked_later", "{name} requires grad because of {call.statement} in {call}.")
def _asked_later(subject: TensorSubject) -> Words | None:
    settings = subject.settings("requires_grad")
    return {"call": subject.statement(settings[-1])} if settings and settings[-1].value else None


@case(REQUIRES_GRAD, "frozen", "{name} requires no grad because of {call.statement} in {call}.")
def _frozen(subject: TensorSubject) -> Words | None:
    settings = subject.settings("requires_grad")
    return {"call": subject.statement(settings[-1])} if settings else None


@case(
    REQUIRES_GRAD,
    "parameter",
    "{name} requires grad because it is an nn.Parameter, and those do unless told otherwise.",
)
def _parameter(subject: TensorSubject) -> Words | None:
    return {} if subject.about.param and subject.requires_grad else None


@case(
    REQUIRES_GRAD,
    "frozen_parameter",
    "{name} requires no grad though it is an nn.Parameter: the program froze it, as with",
    "requires_grad_(False).",
)
def _frozen_parameter(subject: TensorSubject) -> Words | None:
    return {} if subject.about.param else None


@case(
    REQUIRES_GRAD,
    "asked",
    "{name} requires grad because {made.expression} in {made} made it with requires_grad=True.",
)
def _asked(subject: TensorSubject) -> Words | None:
    if not (subject.about.leaf and subject.about.grad) or subject.maker is None:
        return None
    made = subject.operator(subject.maker)
    at_once = dict(zip((out.tensor for out in made.outs), made.requires_grad))
    return {"made": subject.at(subject.maker)} if at_once.get(subject.tensor) else None


@case(
    REQUIRES_GRAD,
    "asked_at_some_time",
    "{name} requires grad because the program asked it to, after {made.expression} in {made} had",
    "made it without.",
)
def _asked_at_some_time(subject: TensorSubject) -> Words | None:
    if not subject.about.leaf or not subject.requires_grad or subject.maker is None:
        return None
    return {"made": subject.at(subject.maker)}


@case(
    REQUIRES_GRAD,
    "spread",
    "{name} requires grad because {source}, an operand of {made.expression} in {made}, does.",
)
def _spread(subject: TensorSubject) -> Words | None:
    if not subject.about.grad or subject.maker is None:
        return None
    sources = operands_with_grad(subject, subject.maker)
    if not sources:
        return None
    return {"made": subject.at(subject.maker), "source": sources[0]}


@case(
    REQUIRES_GRAD,
    "brought_along",
    "{name} requires grad, and was made before the recording began.",
)
def _brought_along(subject: TensorSubject) -> Words | None:
    return {} if subject.about.grad else None


@case(
    REQUIRES_GRAD,
    "detached_in_place",
    "{name} requires no grad because {call.expression} in {call} took its history away.",
)
def _detached_in_place(subject: TensorSubject) -> Words | None:
    calls = [each for each in subject.uses if subject.is_detaching(each)]
    if not calls or subject.about.grad:
        return None
    return {"call": subject.at(calls[-1])}


@case(
    REQUIRES_GRAD,
    "integers",
    "{name} requires no grad because {made.expression} in {made} gives {dtype}, and only",
    "floating-point and complex tensors can.",
)
def _integer_dtype(subject: TensorSubject) -> Words | None:
    if is_differentiable(subject.about.dtype) or subject.maker is None:
        return None
    return {"made": subject.at(subject.maker), "dtype": subject.about.dtype}


def _made_by(subject: TensorSubject, is_kind: Callable[[Any], bool]) -> Words | None:
    """Returns the words for a tensor whose operator is of a kind."""
    if subject.maker is None or not is_kind(subject.operator(subject.maker)):
        return None
    operands = [subject.history.name(each) for each in subject.sources]
    taken = subject.operator(subject.maker).ins
    return {
        "made": subject.at(subject.maker),
        "source": subject.history.name(taken[0]) if taken else "",
        "operands": series_text(list(dict.fromkeys(operands))),
    }


@case(
    REQUIRES_GRAD,
    "detached",
    "{name} requires no grad because {made.expression} in {made} takes it out of the history of",
    "{source}.",
)
def _detached_result(subject: TensorSubject) -> Words | None:
    return _made_by(subject, lambda operator: operator.name in {*DETACHES, "data"})


@case(
    REQUIRES_GRAD,
    "no_grad",
    "{name} requires no grad although {source} does: grad mode was off for {made.expression} in",
    "{made}{mode}.",
)
def _no_grad_result(subject: TensorSubject) -> Words | None:
    words = _made_by(subject, lambda operator: not operator.grad_mode and operator.ins)
    sources = operands_with_grad(subject, subject.maker) if words else []
    if not words or not sources:
        return None
    return {**words, "source": sources[0], "mode": mode_text(subject.history, words["made"])}


@case(
    REQUIRES_GRAD,
    "copied",
    "{name} requires no grad because {made.expression} in {made} copied numbers into a new tensor.",
)
def _copied_result(subject: TensorSubject) -> Words | None:
    return _made_by(subject, lambda operator: operator.name in COPIES and operator.ins)


@case(
    REQUIRES_GRAD,
    "made_of_cut",
    "{name} requires no grad because it was made of the result of {cut.expression} in {cut},",
    "{how}.",
)
def _made_of_cut(subject: TensorSubject) -> Words | None:
    event = subject.cut_before
    if event is None:
        return None
    return {"cut": subject.at(event), "how": cut_text(subject.history, event)}


@case(
    REQUIRES_GRAD,
    "operands",
    "{name} requires no grad because none of the operands of {made.expression} in {made} does:",
    "{operands}.",
)
def _operands(subject: TensorSubject) -> Words | None:
    return _made_by(subject, lambda operator: operator.ins)


@case(
    REQUIRES_GRAD,
    "not_asked",
    "{name} requires no grad because {made.expression} in {made} made it without",
    "requires_grad=True.",
)
def _not_asked(subject: TensorSubject) -> Words | None:
    return _made_by(subject, lambda operator: True)


@case(REQUIRES_GRAD, "not_seen", "{name} requires no grad, and was made before the recording.")
def _not_seen(subject: TensorSubject) -> Words | None:
    return {}


# ---- view


@case(
    VIEW,
    "view",
    "{name} is a view of {base}: {made.expression} in {made} shares its memory, and a write into",
    "one is seen in both.",
)
def _view(subject: TensorSubject) -> Words | None:
    if subject.about.base is None or subject.maker is None:
        return None
    history, base = subject.history, subject.about.base
    taken = subject.operator(subject.maker).ins[:1]
    if not history.tensors[base].name and taken:  # then the view that the program has a name for
        is_shared = history.tensors[taken[0]].storage == subject.about.storage
        base = taken[0] if is_shared else base
    return {"base": history.name(base), "made": subject.at(subject.maker)}


@case(
    VIEW,
    "detached",
    "{name} is no view for autograd, but {made.expression} in {made} shares the memory of",
    "{source}: a write into one is seen in both.",
)
def _shares_memory(subject: TensorSubject) -> Words | None:
    if subject.maker is None:
        return None
    for tensor in subject.operator(subject.maker).ins:
        if subject.history.tensors[tensor].storage == subject.about.storage:
            source = subject.history.name(tensor)
            return {"made": subject.at(subject.maker), "source": source}
    return None


@case(
    VIEW,
    "had_to_copy",
    "{name} is no view: {made.expression} in {made} had to copy, because the elements of {source}",
    "do not lie in that order.",
)
def _had_to_copy(subject: TensorSubject) -> Words | None:
    may_view = {"reshape", "flatten", "contiguous", "ravel", "reshape_as"}
    return _made_by(subject, lambda operator: operator.name in may_view)


@case(
    VIEW,
    "new_memory",
    "{name} is no view: {made.expression} in {made} gave it memory of its own.",
)
def _new_memory(subject: TensorSubject) -> Words | None:
    return _made_by(subject, lambda operator: True)


@case(VIEW, "not_seen", "{name} is no view; it was made before the recording.")
def _view_not_seen(subject: TensorSubject) -> Words | None:
    return {}


# ---- version


def _conflict_words(subject: TensorSubject, is_kind: Callable[[int], bool]) -> Words | None:
    """Returns the words for a write into what a node kept, if the write is of a kind."""
    for found in subject.conflicts:
        if is_kind(found.write):
            return conflict_words(subject.history, found)
    return None


@case(
    VERSION,
    "unseen",
    "{write.statement} in {write} wrote into {name} through .data, which autograd does not notice:",
    "{node}, made by {made.expression} in {made}, will use the new numbers.",
)
def _unseen(subject: TensorSubject) -> Words | None:
    history = subject.history
    return _conflict_words(subject, lambda write: not is_seen_by_autograd(history, write))


@case(VERSION, "updated", CONFLICT_UPDATE)
def _updated(subject: TensorSubject) -> Words | None:
    return _conflict_words(subject, lambda write: is_update(subject.history, write))


@case(VERSION, "through_view", CONFLICT_VIEW)
def _through_view(subject: TensorSubject) -> Words | None:
    for found in subject.conflicts:
        if is_through_view(subject.history, found):
            return conflict_words(subject.history, found)
    return None


@case(VERSION, "conflict", CONFLICT)
def _conflict(subject: TensorSubject) -> Words | None:
    return _conflict_words(subject, lambda write: True)


@case(VERSION, "never_written", "{name} was never written in place.")
def _never_written(subject: TensorSubject) -> Words | None:
    return None if subject.writes else {}


@case(
    VERSION,
    "let_go",
    "{write.statement} in {write} wrote into {name} when the backward in {released} had let go of",
    "it, so no gradient suffers.",
)
def _let_go(subject: TensorSubject) -> Words | None:
    history = subject.history
    for write in subject.writes:
        for node in history.holders.get(subject.about.storage, ()):
            released = history.releases.get(node)
            if released is not None and released < write:
                return {"write": subject.at(write), "released": subject.at(released)}
    return None


@case(
    VERSION,
    "kept_later",
    "{write.statement} in {write} wrote into {name} before {node} of {made.expression} in {made}",
    "kept it, so no gradient suffers.",
)
def _kept_later(subject: TensorSubject) -> Words | None:
    history = subject.history
    for node in history.holders.get(subject.about.storage, ()):
        event = history.nodes[node].event
        if event is not None and event >= subject.writes[0]:
            return {
                "write": subject.at(subject.writes[0]),
                "node": history.nodes[node].name,
                "made": subject.at(event),
            }
    return None


@case(
    VERSION,
    "not_kept",
    "{name} was written in place {times}, the last by {write.statement} in {write}; no node keeps",
    "it.",
)
def _not_kept(subject: TensorSubject) -> Words | None:
    times = len(subject.writes)
    return {
        "times": "once" if times == 1 else f"{times} times",
        "write": subject.at(subject.writes[-1]),
    }


# ---- node


@case(
    NODE,
    "ran_and_let_go",
    "{node} was made by {made.expression} in {made}, ran in the backward of {ran}, and let go of",
    "what it kept.",
)
def _ran_and_let_go(subject: NodeSubject) -> Words | None:
    released = subject.history.releases.get(subject.node)
    return _node_words(subject, released)


@case(
    NODE,
    "ran_and_keeps",
    "{node} was made by {made.expression} in {made} and ran in the backward of {ran}, which kept",
    "the graph.",
)
def _ran_and_keeps(subject: NodeSubject) -> Words | None:
    runs = subject.history.runs.get(subject.node)
    return _node_words(subject, runs[-1] if runs else None)


@case(NODE, "waits", "{node} was made by {made.expression} in {made}; no backward came to it.")
def _waits(subject: NodeSubject) -> Words | None:
    return _node_words(subject, -1)


@case(NODE, "leaf", "{node} adds what comes to it to .grad of {leaf}.")
def _leaf(subject: NodeSubject) -> Words | None:
    about = subject.history.nodes[subject.node]
    if about.leaf is None:
        return None
    return {"node": about.name, "leaf": subject.history.name(about.leaf)}


@case(NODE, "not_seen", "{node} was made before the recording.")
def _node_not_seen(subject: NodeSubject) -> Words | None:
    return {"node": subject.history.nodes[subject.node].name}


def _node_words(subject: NodeSubject, ran: int | None) -> Words | None:
    about = subject.history.nodes[subject.node]
    if ran is None or about.event is None:
        return None
    words: Words = {"node": about.name, "made": subject.at(about.event)}
    return words if ran < 0 else {**words, "ran": subject.at(ran)}
