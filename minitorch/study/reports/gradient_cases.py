"""Why a .grad is None, and why one is 0: the cases of the question "grad"."""

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
    total_of,
)
from minitorch.study.reports.history import History, module_text
from minitorch.study.reports.report_text import count_text, number_text
from minitorch.study.reports.subjects import (
    COPIES,
    DETACHES,
    TO_PYTHON,
    TensorSubject,
    is_differentiable,
    is_whole_number,
    is_zero,
    node_without_gradient,
    runs_before,
    value_range,
    zero_gradient,
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


# ---- grad: gradients that are there, but 0


def _zeroed(subject: TensorSubject, *names: str) -> Words | None:
    """Returns the words for a gradient that became 0 in a node of one of some names."""
    if not subject.has_grad or not is_zero(subject.history, total_of(subject)):
        return None
    loss = zero_gradient(subject)
    if loss is None or loss.ways:
        return None
    node = subject.history.nodes[subject.history.events[loss.event].node]
    if (names and not node.name.startswith(names)) or node.event is None:
        return None
    operator = subject.operator(node.event)
    shown = [out.value for out in operator.outs[:1]]
    extent = value_range(subject.history, shown[0] if shown else None)
    return {
        "node": node.name,
        "made": subject.at(node.event),
        "into": subject.history.events[loss.event].into[0],
        "what": _module_and_expression(subject.history, node.event),
        "extent": "is not known" if extent is None else extent_text(*extent),
    }


def _module_and_expression(history: History, event: int) -> str:
    """Returns "2 ReLU of net(x)" for an operator of a module that a call of another one called."""
    expression = history.expression(event)
    modules = history.events[event].module or []
    name = modules[-1].partition(":")[0] if len(modules) > 1 else ""
    is_named = not name or f".{name}(" in expression
    return expression if is_named else f"{module_text(modules[-1])} of {expression}"


def extent_text(low: float, high: float) -> str:
    """Returns where numbers lie: "is 1 everywhere" or "lies from 0 to 1"."""
    low, high = low + 0.0, high + 0.0  # no -0
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
    if walk is None or zero_gradient(subject) is not None:
        return None
    return {"walk": subject.at(walk.begin)}


@case(
    GRAD,
    "hooked",
    "{name}.grad is 0 everywhere: a hook set the gradient of {hooked} to 0.",
)
def _hooked(subject: TensorSubject) -> Words | None:
    words = _lost_words(subject)
    return words if words and words["ways"] == 1 else None


@case(
    GRAD,
    "cancelled",
    "{name}.grad is 0 everywhere: the gradients that came to {hooked} on {ways} ways add up to 0.",
)
def _cancelled(subject: TensorSubject) -> Words | None:
    words = _lost_words(subject)
    return words if words and words["ways"] > 1 else None


def _lost_words(subject: TensorSubject) -> Words | None:
    """Returns the words for a gradient that became 0 between nodes, on one way or several."""
    if not subject.has_grad or not is_zero(subject.history, total_of(subject)):
        return None
    loss = zero_gradient(subject)
    if loss is None or not loss.ways:
        return None
    event = subject.history.nodes[loss.node].event
    if event is None:
        return {"hooked": subject.name, "ways": loss.ways}
    made = subject.at(event)
    return {"hooked": f"{made.expression} in {made}", "made": made, "ways": loss.ways}


@case(
    GRAD,
    "dead_relu",
    "{name}.grad is 0 everywhere: {what} in {made} passes a gradient only where its",
    "result is above 0, and it was above 0 nowhere.",
)
def _dead_relu(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "ReluBackward", "ThresholdBackward")


@case(
    GRAD,
    "adds_up_to_one",
    "{name}.grad is 0 everywhere: the result of {what} in {made} adds up to 1 whatever {name} is,",
    "and all of it got the same gradient.",
)
def _adds_up_to_one(subject: TensorSubject) -> Words | None:
    words = _zeroed(subject, "SoftmaxBackward")
    extent = words and value_range(subject.history, words["into"])
    return words if extent and extent[0] == extent[1] else None


@case(
    GRAD,
    "saturated",
    "{name}.grad is 0 everywhere: {what} in {made} is saturated. Its result {extent},",
    "where the slope rounds to 0.",
)
def _saturated(subject: TensorSubject) -> Words | None:
    names = "Sigmoid Tanh Softmax LogSoftmax LogSigmoid Gelu Silu Mish Softplus Elu Erf"
    losses = "BinaryCrossEntropy"
    return _zeroed(subject, *[f"{name}Backward" for name in names.split()], losses)


@case(
    GRAD,
    "clamped",
    "{name}.grad is 0 everywhere: the input of {what} in {made} lies outside of its",
    "bounds, where no gradient passes.",
)
def _clamped(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "Clamp", "HardtanhBackward", "HardsigmoidBackward")


@case(
    GRAD,
    "times_zero",
    "{name}.grad is 0 everywhere: {what} in {made} multiplies by {other}, which is 0",
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
    if not others and not _is_zero_number(operator.scalars):
        return None
    return {**words, "other": others[0] if others else operator.scalars}


def _is_zero_number(scalars: str | None) -> bool:
    """Returns whether the arguments of an operator that are no tensors are a 0 alone."""
    try:
        return float(scalars or "nan") == 0
    except ValueError:
        return False


@case(
    GRAD,
    "corner",
    "{name}.grad is 0 everywhere: {what} in {made} has a corner at 0, where its slope counts as 0,",
    "and its input was 0 everywhere.",
)
def _corner(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "AbsBackward", "NormBackward", "LinalgVectorNormBackward")


@case(
    GRAD,
    "overwritten",
    "{name}.grad is 0 everywhere: {made.statement} in {made} wrote over what was made of {name}.",
)
def _overwritten(subject: TensorSubject) -> Words | None:
    return _zeroed(subject, "CopySlices", "FillBackward", "ZeroBackward", "CopyBackwards")


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
    "{name}.grad is 0 everywhere: {node}, made by {what} in {made}, gave 0 although the gradient",
    "that came to it was not 0.",
)
def _zeroed_elsewhere(subject: TensorSubject) -> Words | None:
    return _zeroed(subject)


@case(
    GRAD,
    "not_finite",
    "{name}.grad is not finite: {node}, made by {made.expression} in {made}, gave the first",
    "gradient that is not finite{reason}.",
)
def _not_finite(subject: TensorSubject) -> Words | None:
    history = subject.history
    if not subject.has_grad or not history.bad_count(total_of(subject)):
        return None
    for node, run in runs_before(history, subject.accumulations[-1]).items():
        event, about = history.events[run], history.nodes[node]
        is_first = not any(history.bad_count(value) for value in event.into)
        if is_first and any(history.bad_count(value) for value in event.out_of):
            if about.event is None:
                return None
            has_zeros = any(history.zero_share(value) for value in event.into)
            reason = ": where 0 came to it, 0 times infinity gives NaN" if has_zeros else ""
            return {"node": about.name, "made": subject.at(about.event), "reason": reason}
    return None


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
