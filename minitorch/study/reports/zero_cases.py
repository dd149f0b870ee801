"""Why a .grad is 0 everywhere, or not finite: cases of the question "grad", asked first."""

from __future__ import annotations

from minitorch.study.reports.case_table import GRAD, Words, case, total_of
from minitorch.study.reports.history import History, module_text
from minitorch.study.reports.report_text import number_text
from minitorch.study.reports.subjects import (
    TensorSubject,
    is_zero,
    runs_before,
    value_range,
    zero_gradient,
)


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
