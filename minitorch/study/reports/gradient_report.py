"""The size of gradients: by parameter, by layer along the depth, and where they vanish."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minitorch.study.libraries.kinds import is_module
from minitorch.study.reports.case_table import GRAD
from minitorch.study.reports.checkpoint_choices import module_calls
from minitorch.study.reports.history import History, module_text
from minitorch.study.reports.reasons import tensor_reason, why
from minitorch.study.reports.report_text import (
    Column,
    Report,
    Table,
    count_text,
    first_rows,
    number_text,
    shortened,
)
from minitorch.study.reports.subjects import TensorSubject, is_zero
from minitorch.study.tape.recording import Recording

# Gradients of the first layer a thousand times smaller or larger than those of the last one.
FADED, BLOWN_UP = 1e-3, 1e3
_RECTIFIERS = ("relu", "relu_", "relu6", "threshold", "hardtanh")


@dataclass(slots=True)
class ParameterGradient:
    """Says how large the last .grad of a leaf is.

    Attributes:
        name, shape: of the leaf.
        norm: Euclidean norm of .grad; None if there is none.
        ratio: norm of .grad to that of the value; None where one of them is not known or 0.
        zeros: share of zeros in .grad.
        reason: why .grad is None or all 0, else "".
        event: when .grad received something last; None without a recording.
    """

    name: str
    shape: tuple[int, ...]
    norm: float | None
    ratio: float | None
    zeros: float | None
    reason: str = ""
    event: int | None = None


@dataclass(slots=True)
class LayerGradient:
    """Says how large the gradient of a layer's result was in the last backward.

    Several calls of a layer in one forward are numbered: "cell Cell 1", "cell Cell 2".
    """

    name: str
    spot: str
    norm: float
    event: int


@dataclass(slots=True)
class DeadUnits:
    """Says how many units of a rectifier gave 0 for all that came since the last update."""

    name: str
    spot: str
    dead: int
    units: int
    event: int

    @property
    def text(self) -> str:
        """The finding in words: "1 of 6 units dead"."""
        return f"{self.dead} of {count_text(self.units, 'unit')} dead"


@dataclass(slots=True, repr=False)
class GradientReport(Report):
    """Says how large gradients are; prints itself, in notebooks as tables.

    Attributes:
        parameters: leaves in the order in which they were used.
        layers: results of layers, from the first to the last of the forward.
        dead: rectifiers with dead units.
        trend: "vanish" or "explode" if gradients do along the depth, else "".
    """

    parameters: list[ParameterGradient]
    layers: list[LayerGradient] = field(default_factory=list)
    dead: list[DeadUnits] = field(default_factory=list)
    trend: str = ""

    @property
    def trend_text(self) -> str:
        """The trend as a sentence, "" if there is none."""
        if not self.trend:
            return ""
        first, last = self.layers[0], self.layers[-1]
        return (
            f"Gradients {self.trend} on the way back: norm {number_text(last.norm)} at "
            f"{last.name}, {number_text(first.norm)} at {first.name}."
        )

    def blocks(self) -> Iterable[str | Table]:
        """Returns the sentences and tables of the report."""
        if not self.parameters:
            yield "No parameters: nothing requires grad."
            return
        yield Table(
            [
                Column("leaf"),
                Column("shape"),
                Column("‖grad‖", True),
                Column("to value", True),
                Column("zeros", True),
            ],
            [
                (
                    each.name,
                    str(each.shape),
                    "None" if each.norm is None else number_text(each.norm),
                    number_text(each.ratio),
                    _share_text(each.zeros),
                )
                for each in self.parameters
            ],
        )
        yield "\n".join(dict.fromkeys(each.reason for each in self.parameters if each.reason))
        if self.layers:
            rows = [
                (each.name, each.spot.removeprefix("line "), number_text(each.norm))
                for each in self.layers
            ]
            columns = [Column("result of"), Column("line"), Column("‖grad‖", True)]
            yield first_rows(columns, rows, 24)
        yield self.trend_text
        yield "\n".join(f"{each.name}, {each.spot}: {each.text}." for each in self.dead)


def gradients(recording_or_model: Any) -> GradientReport:
    """Returns how large gradients are, where they fade or grow, and why some are None or 0.

    Args:
        recording_or_model: a Recording, or a module with its parameters' .grad as they are now; of
            a module the layers and dead units are not known.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(recording_or_model, Recording):
        return recorded_gradients(History(recording_or_model))
    if is_module(recording_or_model):
        return _model_gradients(recording_or_model)
    kind = type(recording_or_model).__name__
    raise TypeError(f"gradients takes a recording or a model, not {kind}")


def _model_gradients(model: Any) -> GradientReport:
    found = []
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        reason = "" if grad is not None else f"{name}: {why(parameter, 'grad')}"
        norm = value = zeros = None
        if grad is not None:
            norm, value = float(grad.norm()), float(parameter.detach().norm())
            zeros = float((grad == 0).sum()) / max(grad.numel(), 1)
        shape = tuple(parameter.shape)
        found.append(ParameterGradient(name, shape, norm, _ratio(norm, value), zeros, reason))
    return GradientReport(found)


def recorded_gradients(history: History) -> GradientReport:
    """Returns the gradient report of a recording.

    Args:
        history: of the recording.
    """
    layers = _layers(history)
    return GradientReport(_leaves(history), layers, dead_units(history), _trend(layers))


def _leaves(history: History) -> list[ParameterGradient]:
    """Returns the leaves that require grad and have a name or came to a graph."""
    leaves = [
        tensor
        for tensor, about in enumerate(history.tensors)
        if about.leaf
        and history.requires_grad(tensor)
        and (about.name or tensor in history.accumulators)
    ]
    totals = {}
    for tensor in leaves:
        events = history.accumulations.get(tensor)
        totals[tensor] = history.events[events[-1]].total if events else None
    silent = [
        tensor
        for tensor in leaves
        if tensor not in history.accumulations or is_zero(history, totals[tensor])
    ]
    reasons = {
        tensor: text for text, _, tensors in _shared_reasons(history, silent) for tensor in tensors
    }
    values, found = _last_values(history), []
    for tensor in leaves:
        norm = history.norm(totals[tensor])
        events = history.accumulations.get(tensor, [])
        found.append(
            ParameterGradient(
                history.name(tensor),
                tuple(history.tensors[tensor].shape),
                norm,
                _ratio(norm, history.norm(values.get(tensor))),
                history.zero_share(totals[tensor]),
                reasons.get(tensor, ""),
                events[-1] if events else None,
            )
        )
    return found


def _last_values(history: History) -> dict[int, int | None]:
    """Returns the value of each tensor that was seen last; that before an update, not after it."""
    found: dict[int, int | None] = {}
    for event in history.events:
        if event.kind == "op":
            found.update((out.tensor, out.value) for out in event.outs)
        elif event.kind == "update":
            found.update((change.tensor, change.before) for change in event.params)
    return found


def _layers(history: History) -> list[LayerGradient]:
    """Returns the gradients of the results of modules, or of named tensors if there are none.

    A container that gives the result of its last module is shown as that module.
    """
    last_events = [(call.name, call.events[-1]) for call in module_calls(history)]
    results = {event: name for name, event in last_events}  # inner calls come after outer ones
    if not results:
        results = {
            number: name
            for number, event in history.operators()
            if event.outs and (name := history.tensors[event.outs[0].tensor].name)
        }
    into = _last_gradients(history)
    found = []
    for number, name in sorted(results.items()):
        norm = history.norm(_gradient_of_result(history, number, into))
        if norm is not None:
            found.append(LayerGradient(name, history.spot(number), norm, number))
    counts = Counter(each.name for each in found)
    numbers: Counter[str] = Counter()
    for each in found:
        if counts[each.name] > 1:
            numbers[each.name] += 1
            each.name = f"{each.name} {numbers[each.name]}"
    return found


def _last_gradients(history: History) -> dict[int, list[int | None]]:
    """Returns, for each node of the last whole backward, the gradients that came into it."""
    walks = [walk for walk in history.backwards if history.backward_of(walk.begin) is None]
    events = history.events[walks[-1].begin : walks[-1].end] if walks else []
    return {event.node: event.into for event in events if event.kind == "node"}


def _gradient_of_result(
    history: History, number: int, into: dict[int, list[int | None]]
) -> int | None:
    """Returns the value of the gradient that came to the first result of an operator."""
    for edge in history.events[number].fn[:1]:
        if edge is not None and edge.node in into:
            values = into[edge.node]
            return values[edge.output] if edge.output < len(values) else None
    return None


def _trend(layers: list[LayerGradient]) -> str:
    """Returns "vanish" or "explode" for gradients that do from the last layer to the first."""
    if len(layers) < 3 or not layers[-1].norm:
        return ""
    change = layers[0].norm / layers[-1].norm
    if change < FADED:
        return "vanish"
    return "explode" if change > BLOWN_UP else ""


def dead_units(history: History) -> list[DeadUnits]:
    """Returns the rectifiers some of whose units returned 0 for every example.

    Units lie along the last dimension of a result, along dimension 1 of images. Looked at are the
    calls since the last update but one, so that a unit counts as dead if it was in the last step.

    Args:
        history: of the recording.
    """
    updates = [number for number, event in enumerate(history.events) if event.kind == "update"]
    since = updates[-2] if len(updates) > 1 else -1
    until = updates[-1] if updates else len(history.events)
    alive: dict[Any, np.ndarray[Any, Any]] = {}
    last: dict[Any, int] = {}
    for number, event in history.operators():
        if event.name not in _RECTIFIERS or not since < number < until or not event.outs:
            continue
        if history.backward_of(number) is not None:
            continue  # a checkpoint computes it again
        numbers = history.numbers(event.outs[0].value)
        if numbers is None or numbers.ndim < 2 or not numbers.size:
            continue
        unit = 1 if numbers.ndim == 4 else numbers.ndim - 1
        others = tuple(each for each in range(numbers.ndim) if each != unit)
        works = (numbers > 0).any(axis=others)
        key = tuple(event.module or ()), history.place(number)
        if key in alive and alive[key].shape == works.shape:
            works = works | alive[key]
        alive[key], last[key] = works, number
    found = []
    for key, works in alive.items():
        count = int(works.size - works.sum())
        if count:
            event = history.events[last[key]]
            name = module_text(event.module[-1]) if event.module else history.expression(last[key])
            found.append(DeadUnits(name, history.spot(last[key]), count, works.size, last[key]))
    return found


def _ratio(norm: float | None, value: float | None) -> float | None:
    return norm / value if norm is not None and value else None


def _share_text(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def reasons_for_none(history: History) -> list[SharedReason]:
    """Returns why named leaves have no .grad though a backward ran, alike ones together.

    Left out are leaves that plainly were to have none: those that a program only writes into, as a
    running mean of weights, those whose gradient it took from autograd.grad or did not ask a
    backward for, and parameters of no optimizer, where there are optimizers, that are used only
    where grad mode is off.

    Args:
        history: of the recording.
    """
    if not any(walk.name == "backward" for walk in history.backwards):
        return []
    leaves = [
        tensor
        for tensor, about in enumerate(history.tensors)
        if about.leaf
        and about.name
        and history.requires_grad(tensor)
        and tensor not in history.accumulations
        and not _is_meant_to_have_none(TensorSubject(history, tensor))
    ]
    shared = _shared_reasons(history, leaves)
    return [each for each in shared if each.case not in ("returned", "left_out")]


def _is_meant_to_have_none(subject: TensorSubject) -> bool:
    """Returns whether the uses of a leaf show that no backward was to come to it."""
    if subject.is_only_written:
        return True
    trained = subject.history.trained
    if not subject.about.param or not trained or subject.tensor in trained or not subject.uses:
        return False
    return not any(subject.operator(use).grad_mode for use in subject.uses)


class SharedReason(NamedTuple):
    """Gives a sentence, the name of its case, and the leaves that it is true of."""

    text: str
    case: str
    leaves: list[int]


_ANY_NAME = "\0"  # stands in a sentence for the name of one of several leaves


def _shared_reasons(history: History, leaves: list[int]) -> list[SharedReason]:
    """Returns why leaves have no gradient; the sentence is one where only the name differs."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for leaf in leaves:
        reason = tensor_reason(history, leaf, GRAD, _ANY_NAME)
        groups[str(reason), reason.case].append(leaf)
    found = []
    for (text, case), members in groups.items():
        names = [history.name(leaf) for leaf in members]
        text = text.replace(_ANY_NAME, names[0])
        if len(names) > 1:
            text = f"{text} It is so for {shortened(names[1:])} too."
        found.append(SharedReason(text, case, members))
    return found
