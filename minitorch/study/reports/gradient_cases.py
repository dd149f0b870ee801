"""Why a .grad is None, and why one is 0: the cases of the question "grad"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.study.reports.case_table import (
    GRAD,
    Words,
    case,
    mode_text,
    total_of,
)
from minitorch.study.reports.history import History
from minitorch.study.reports.report_text import count_text, number_text
from minitorch.study.reports.subjects import (
    COPIES,
    DETACHES,
    TO_PYTHON,
    TensorSubject,
    is_differentiable,
    is_whole_number,
    is_zero,
    value_range,
    zero_gradient_node,
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
    "non_leaf",
    "{name}.grad is None because {name} is no leaf but the result of {made.expression} in {made}:",
    "a backward fills .grad of leaves only. Call {name}.retain_grad() before the backward.",
)
def _non_leaf(subject: TensorSubject) -> Words | None:
    if subject.about.leaf or subject.maker is None or subject.settings("retain_grad"):
        return None
    return {"made": subject.at(subject.maker)}


# ---- grad: gradients that are there, but 0


def _zeroed(subject: TensorSubject, *names: str) -> Words | None:
    """Returns the words for a gradient that became 0 in a node of one of some names."""
    if not subject.has_grad or not is_zero(subject.history, total_of(subject)):
        return None
    event = zero_gradient_node(subject)
    if event is None:
        return None
    number = subject.history.events[event].node
    node = subject.history.nodes[number]
    if (names and not node.name.startswith(names)) or node.event is None:
        return None
    operator = subject.operator(node.event)
    shown = [out.value for out in operator.outs[:1]]
    extent = value_range(subject.history, shown[0] if shown else None)
    return {
        "node": node.name,
        "made": subject.at(node.event),
        "extent": "is not known" if extent is None else extent_text(*extent),
    }


def extent_text(low: float, high: float) -> str:
    """Returns where numbers lie: "is 1 everywhere" or "lies from 0 to 1"."""
    if low == high:
        return f"is {number_text(low)} everywhere"
    return f"lies from {number_text(low)} to {number_text(high)}"


@case(
    GRAD,
    "cleared_to_zeros",
    "{name}.grad is 0 everywhere because {clear.statement} in {clear} cleared it, after the",
    "backward in {last} had filled it.",
)
def _cleared_to_zeros(subject: TensorSubject) -> Words | None:
    return _clearing_words(subject) if subject.has_grad else None


@case(
    GRAD,
    "zero_root",
    "{name}.grad is 0 everywhere because the backward in {walk} began with a gradient of 0.",
)
def _zero_root(subject: TensorSubject) -> Words | None:
    if not subject.has_grad or not is_zero(subject.history, total_of(subject)):
        return None
    walk = subject.history.backward_of(subject.accumulations[-1])
    if walk is None or zero_gradient_node(subject) is not None:
        return None
    return {"walk": subject.at(walk.begin)}


@case(
    GRAD,
    "dead_relu",
    "{name}.grad is 0 everywhere: {made.expression} in {made} passes a gradient only where its",
    "result is above 0, and it was above 0 nowhere.",
)
def _dead_relu(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "ReluBackward", "ThresholdBackward")


@case(
    GRAD,
    "saturated",
    "{name}.grad is 0 everywhere: {made.expression} in {made} is saturated. Its result {extent},",
    "where the slope rounds to 0.",
)
def _saturated(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "SigmoidBackward", "TanhBackward", "SoftmaxBackward")


@case(
    GRAD,
    "clamped",
    "{name}.grad is 0 everywhere: the input of {made.expression} in {made} lies outside of its",
    "bounds, where no gradient passes.",
)
def _clamped(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "Clamp", "HardtanhBackward", "HardsigmoidBackward")


@case(
    GRAD,
    "times_zero",
    "{name}.grad is 0 everywhere: {made.expression} in {made} multiplies by {other}, which is 0",
    "everywhere.",
)
def _times_zero(subject: TensorSubject) -> Words | None:
    words = _zeroed(subject, "MulBackward", "MmBackward", "AddmmBackward", "BmmBackward")
    if words is None:
        return None
    operator = subject.operator(words["made"].event)
    others = [
        subject.history.name(tensor)
        for tensor in operator.ins
        if is_zero(subject.history, _value_before(subject.history, tensor, words["made"].event))
    ]
    return {**words, "other": others[0] if others else operator.scalars or "a number"}


@case(
    GRAD,
    "steps",
    "{name}.grad is 0 everywhere: {made.expression} in {made} goes in steps, and is flat between",
    "them.",
)
def _steps(subject: TensorSubject) -> Words | None:
    names = ("RoundBackward", "FloorBackward", "CeilBackward", "TruncBackward", "SignBackward")
    return _zeroed(subject, *names)


@case(
    GRAD,
    "not_chosen",
    "{name}.grad is 0 everywhere: {made.expression} in {made} chose other elements, and a gradient",
    "goes only to what was chosen.",
)
def _not_chosen(subject: TensorSubject) -> Words | None:
    names = "Max Min Amax Amin Where MaskedFill Select Index Slice Gather Sort Topk".split()
    return _zeroed(subject, *names)


@case(
    GRAD,
    "zeroed",
    "{name}.grad is 0 everywhere: {node}, made by {made.expression} in {made}, gave 0 although the",
    "gradient that came to it was not 0.",
)
def _zeroed_elsewhere(subject: TensorSubject) -> Words | None:
    return _zeroed(subject)


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
        "function": subject.operator(cut.event).name,
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
    made = [subject.history.makers.get(end) for end in subject.flow.ends]
    ends = [event for event in made if event is not None]
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


def _value_before(history: History, tensor: int, event: int) -> int | None:
    """Returns the last value that a tensor was given before an event."""
    found = None
    for number, operator in history.operators():
        if number >= event:
            break
        for out in operator.outs:
            if out.tensor == tensor:
                found = out.value
    return found
