"""Why a .grad is None, or there: the cases of the question "grad", but for gradients of 0."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from minitorch.study.reports.case_table import (
    GRAD,
    Words,
    case,
    cut_text,
    mode_text,
    operands_with_grad,
)
from minitorch.study.reports.report_text import count_text
from minitorch.study.reports.subjects import (
    COPIES,
    DETACHES,
    TO_PYTHON,
    TensorSubject,
    is_differentiable,
    is_whole_number,
    node_without_gradient,
)

# ---- grad: leaves that ask for nothing, and tensors that are no leaves


@case(
    GRAD,
    "late",
    "{name}.grad is None: {use.expression} in {use} used {name} before requires_grad_() was called",
    "in {call}, so no graph leads to it.",
)
def _late(subject: TensorSubject) -> Words | None:
    settings = [each for each in subject.settings("requires_grad") if each.value]
    if not settings or not subject.uses or subject.history.requires_grad(subject.tensor):
        return None
    return {"use": subject.at(subject.uses[0]), "call": subject.statement(settings[0])}


@case(
    GRAD,
    "integers",
    "{name}.grad is None: {name} holds {dtype}, and only floating-point and complex tensors have",
    "gradients.",
)
def _integers(subject: TensorSubject) -> Words | None:
    dtype = subject.about.dtype
    return None if is_differentiable(dtype) else {"dtype": dtype}


@case(
    GRAD,
    "made_without",
    "{name}.grad is None because {name} does not require grad: it is the result of",
    "{made.expression} in {made}, {how}.",
)
def _made_without(subject: TensorSubject) -> Words | None:
    if subject.requires_grad or subject.has_grad or subject.maker is None:
        return None
    if not operands_with_grad(subject, subject.maker):
        return None
    return {"made": subject.at(subject.maker), "how": cut_text(subject.history, subject.maker)}


@case(
    GRAD,
    "does_not_require",
    "{name}.grad is None because {name} does not require grad. Call {name}.requires_grad_() before",
    "{name} is used, or make it with requires_grad=True.",
)
def _does_not_require(subject: TensorSubject) -> Words | None:
    return None if subject.requires_grad or subject.has_grad else {}


@case(
    GRAD,
    "retained",
    "{name}.grad is there: {call.statement} in {call} asked for it, and the backward in {walk}",
    "came to {name}.",
)
def _retained(subject: TensorSubject) -> Words | None:
    settings = subject.settings("retain_grad")
    runs = [run for node in subject.nodes for run in subject.history.runs.get(node, ())]
    if subject.about.leaf or not settings or not runs:
        return None
    return {"call": subject.statement(settings[-1]), "walk": subject.at(max(runs))}


@case(
    GRAD,
    "replaced",
    "{name}.grad is None because {made.statement} in {made} put a result in the place of the leaf",
    "{name}. Write into the leaf inside of torch.no_grad(), as in {name} -= …",
)
def _replaced(subject: TensorSubject) -> Words | None:
    if subject.about.leaf or subject.maker is None or subject.settings("retain_grad"):
        return None
    tensors = subject.history.tensors
    taken = [tensors[each] for each in subject.operator(subject.maker).ins]
    is_replaced = any(each.leaf and each.grad and each.name == subject.name for each in taken)
    return {"made": subject.at(subject.maker)} if is_replaced else None


@case(
    GRAD,
    "of_unnamed_leaf",
    "{name}.grad is None because {name} is no leaf but the result of {made.expression} in {made}.",
    "The leaf has no name: ask for gradients last, as in {name} = {expression}.requires_grad_().",
)
def _of_unnamed_leaf(subject: TensorSubject) -> Words | None:
    if subject.about.leaf or subject.maker is None or subject.settings("retain_grad"):
        return None
    history = subject.history
    operator = subject.operator(subject.maker)
    sources = [each for each in operator.ins if history.tensors[each].grad]
    made = subject.at(subject.maker)
    bare = re.sub(r",? *requires_grad=True", "", made.expression)
    if bare == made.expression or any(
        not history.tensors[each].leaf
        or history.tensors[each].name
        or history.tensors[each].shape != subject.about.shape
        for each in sources
    ):
        return None
    is_call = bare.endswith(")")
    return {"made": made, "expression": bare if is_call else f"({bare})"}


@case(
    GRAD,
    "non_leaf",
    "{name}.grad is None because {name} is no leaf but the result of {made.expression} in {made}:",
    "a backward fills .grad of leaves only. Call {name}.retain_grad() before the backward.",
)
def _non_leaf(subject: TensorSubject) -> Words | None:
    if subject.about.leaf or subject.maker is None or subject.settings("retain_grad"):
        return None
    return {"made": subject.at(subject.maker)}


@case(
    GRAD,
    "cleared_to_zeros",
    "{name}.grad is 0 everywhere because {clear.statement} in {clear} cleared it, after the",
    "backward in {last} had filled it.",
)
def _cleared_to_zeros(subject: TensorSubject) -> Words | None:
    return _clearing_words(subject) if subject.has_grad else None


@case(GRAD, "there", "{name}.grad is there: {count} added to it, the last in {last}.")
def _there(subject: TensorSubject) -> Words | None:
    if not subject.has_grad:
        return None
    count = count_text(len(subject.accumulations), "backward")
    return {"count": count, "last": subject.at(subject.accumulations[-1])}


# ---- grad: None of a leaf that requires grad


@case(
    GRAD,
    "cleared",
    "{name}.grad is None because {clear.statement} in {clear} cleared it, after the backward in",
    "{last} had filled it.",
)
def _cleared(subject: TensorSubject) -> Words | None:
    return _clearing_words(subject)


@case(
    GRAD,
    "only_written",
    "{name}.grad is None because the program only wrote into {name}, last by {write.statement} in",
    "{write}, and made nothing of it that a backward could start at.",
)
def _only_written(subject: TensorSubject) -> Words | None:
    return {"write": subject.at(subject.uses[-1])} if subject.is_only_written else None


@case(GRAD, "never_used", "{name}.grad is None because no operator used {name}{origin}.")
def _never_used(subject: TensorSubject) -> Words | None:
    if subject.uses:
        return None
    maker = subject.maker
    return {"origin": "" if maker is None else f", which was made in {subject.at(maker)}"}


@case(
    GRAD,
    "returned",
    "{name}.grad is None because autograd.grad in {walk} returns gradients and puts none into",
    ".grad.",
)
def _returned(subject: TensorSubject) -> Words | None:
    return _walk_named(subject, "grad")


@case(
    GRAD,
    "none_given",
    "{name}.grad is None: {node}, made by {made.expression} in {made}, gave no gradient for its",
    "input, which led to {name}.",
)
def _none_given(subject: TensorSubject) -> Words | None:
    node = node_without_gradient(subject)
    about = None if node is None else subject.history.nodes[node]
    if about is None or about.event is None:
        return None
    return {"node": about.name, "made": subject.at(about.event)}


@case(
    GRAD,
    "cleared_by_hook",
    "{name}.grad is None: the backward in {walk} came to {name}, and a hook of it cleared .grad.",
)
def _cleared_by_hook(subject: TensorSubject) -> Words | None:
    history = subject.history
    for number, event in enumerate(history.events):
        if event.kind == "accumulate" and event.leaf == subject.tensor and event.gs is None:
            walk = history.backward_of(number)
            if walk is not None and walk.name == "backward":
                return {"walk": subject.at(walk.begin)}
    return None


@case(
    GRAD,
    "failed",
    "{name}.grad is None because the backward in {walk} failed before it came to {name}.",
)
def _failed(subject: TensorSubject) -> Words | None:
    words = _walk_named(subject, "backward")
    return None if words is None or "inputs" in words["walk"].expression else words


@case(
    GRAD,
    "left_out",
    "{name}.grad is None because the backward in {walk} was given inputs=, without {name} among",
    "them.",
)
def _left_out(subject: TensorSubject) -> Words | None:
    return _walk_named(subject, "backward")


@case(
    GRAD,
    "no_backward",
    "{name}.grad is None because no backward ran after {use.expression} in {use} used {name}.",
)
def _no_backward(subject: TensorSubject) -> Words | None:
    return None if subject.walks_after_use else {"use": subject.at(subject.uses[0])}


_NO_GRAPH = "{name}.grad is None: {count} ran, and no graph led to {name}."


def _cut_words(subject: TensorSubject, is_kind: Callable[[Any], bool]) -> Words | None:
    """Returns the words for the cut of a tensor's history, if its operator is of a kind."""
    cut = subject.cut
    if cut is None or not is_kind(subject.operator(cut.event)):
        return None
    return {
        "count": count_text(len(subject.walks_after_use), "backward"),
        "cut": subject.at(cut.event),
        "result": "" if cut.out is None else subject.history.tensors[cut.out].dtype,
        "function": subject.operator(cut.event).name.strip("_").replace("array", "numpy"),
    }


@case(
    GRAD,
    "left_for_python",
    _NO_GRAPH,
    "{cut.expression} in {cut} left autograd: {function}() gives numbers, not a tensor with a",
    "history.",
)
def _left_for_python(subject: TensorSubject) -> Words | None:
    return _cut_words(subject, lambda operator: operator.name in TO_PYTHON)


@case(
    GRAD,
    "detached",
    _NO_GRAPH,
    "{cut.expression} in {cut} cut it off: detach() gives a tensor without a history.",
)
def _detached(subject: TensorSubject) -> Words | None:
    return _cut_words(subject, lambda operator: operator.name in DETACHES)


@case(
    GRAD,
    "data",
    _NO_GRAPH,
    "{cut.expression} in {cut} cut it off: .data gives a tensor without a history.",
)
def _data(subject: TensorSubject) -> Words | None:
    return _cut_words(subject, lambda operator: operator.name == "data")


@case(
    GRAD,
    "no_grad",
    _NO_GRAPH,
    "{cut.expression} in {cut} used it where grad mode was off{mode}.",
)
def _no_grad(subject: TensorSubject) -> Words | None:
    words = _cut_words(subject, lambda operator: not operator.grad_mode)
    return words and {**words, "mode": mode_text(subject.history, words["cut"])}


@case(
    GRAD,
    "copied",
    _NO_GRAPH,
    "{cut.expression} in {cut} copied the numbers into a new tensor without a history.",
)
def _copied(subject: TensorSubject) -> Words | None:
    return _cut_words(subject, lambda operator: operator.name in COPIES)


@case(
    GRAD,
    "integer_result",
    _NO_GRAPH,
    "{cut.expression} in {cut} gives {result}, which has no gradient.",
)
def _integer_result(subject: TensorSubject) -> Words | None:
    words = _cut_words(subject, lambda operator: True)
    return words if words and is_whole_number(words["result"]) else None


@case(
    GRAD,
    "comparison",
    _NO_GRAPH,
    "{cut.expression} in {cut} gives truth values, which have no gradient.",
)
def _comparison(subject: TensorSubject) -> Words | None:
    words = _cut_words(subject, lambda operator: True)
    return words if words and words["result"] == "bool" else None


@case(
    GRAD,
    "no_derivative",
    _NO_GRAPH,
    "The result of {cut.expression} in {cut} does not require grad.",
)
def _no_derivative(subject: TensorSubject) -> Words | None:
    return _cut_words(subject, lambda operator: True)


@case(
    GRAD,
    "other_graph",
    "{name}.grad is None: {count} ran, but none from the graph of {end.expression} in {end}, which",
    "{name} led to.",
)
def _other_graph(subject: TensorSubject) -> Words | None:
    ends = [
        event
        for event, operator in subject.history.operators()
        if any(out.tensor in subject.flow.ends for out in operator.outs)
    ]
    if not ends:
        return None
    return {
        "count": count_text(len(subject.walks_after_use), "backward"),
        "end": subject.at(ends[-1]),
    }


@case(GRAD, "no_graph", _NO_GRAPH)
def _no_graph(subject: TensorSubject) -> Words | None:
    return {"count": count_text(len(subject.walks_after_use), "backward")}


def _clearing_words(subject: TensorSubject) -> Words | None:
    """Returns the words for what cleared a .grad that a backward had filled, if that happened."""
    if not subject.accumulations or subject.clearing is None:
        return None
    return {
        "clear": subject.at(subject.clearing),
        "last": subject.at(subject.accumulations[-1]),
    }


def _walk_named(subject: TensorSubject, name: str) -> Words | None:
    """Returns the words for the last backward of a name that leads to a leaf."""
    names = {walk.begin: walk.name for walk in subject.history.backwards}
    begins = [begin for begin in subject.walks_that_lead_here if names[begin] == name]
    return {"walk": subject.at(begins[-1])} if begins else None
