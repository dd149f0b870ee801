"""Reasons that a tensor itself can give, without a recording of the program that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minitorch.study.reports.case_table import GRAD, REQUIRES_GRAD, VERSION, VIEW, Words, case
from minitorch.study.reports.report_text import count_text
from minitorch.study.reports.subjects import is_differentiable

LIVE = "live "  # before the name of a question
_RECORD = "Record the program, with study.record() as tape, to learn which line it was."


@dataclass
class LiveSubject:
    """A tensor, and what the reader calls it."""

    tensor: Any
    name: str

    @property
    def dtype(self) -> str:
        """The tensor's dtype, as "float32"."""
        return str(self.tensor.dtype).rpartition(".")[2]


@case(
    LIVE + GRAD,
    "integers",
    "{name}.grad is None: {name} holds {dtype}, and only floating-point and complex tensors have",
    "gradients.",
)
def _integers(subject: LiveSubject) -> Words | None:
    return None if is_differentiable(subject.dtype) else {"dtype": subject.dtype}


@case(
    LIVE + GRAD,
    "does_not_require",
    "{name}.grad is None because {name} does not require grad. Call {name}.requires_grad_() before",
    "{name} is used, or make it with requires_grad=True.",
)
def _does_not_require(subject: LiveSubject) -> Words | None:
    return None if subject.tensor.requires_grad else {}


@case(
    LIVE + GRAD,
    "non_leaf",
    "{name}.grad is None because {name} is no leaf but was made by an operator, with {node}: a",
    "backward fills .grad of leaves only. Call {name}.retain_grad() before the backward.",
)
def _non_leaf(subject: LiveSubject) -> Words | None:
    if subject.tensor.is_leaf or subject.tensor.retains_grad:
        return None
    return {"node": subject.tensor.grad_fn.name()}


@case(LIVE + GRAD, "zero", "{name}.grad is there, and 0 everywhere.", _RECORD)
def _zero(subject: LiveSubject) -> Words | None:
    grad = _grad_of(subject.tensor)
    return {} if grad is not None and not bool((grad != 0).any()) else None


@case(LIVE + GRAD, "there", "{name}.grad is there.")
def _there(subject: LiveSubject) -> Words | None:
    return None if _grad_of(subject.tensor) is None else {}


@case(
    LIVE + GRAD,
    "no_gradient_came",
    "{name}.grad is None: {name} is a leaf that requires grad, but no backward came to it, or",
    "zero_grad() cleared it after that.",
    _RECORD,
)
def _no_gradient_came(subject: LiveSubject) -> Words | None:
    return {}


@case(LIVE + REQUIRES_GRAD, "leaf", "{name} requires grad: it is a leaf that was asked to.")
def _leaf(subject: LiveSubject) -> Words | None:
    return {} if subject.tensor.requires_grad and subject.tensor.is_leaf else None


@case(
    LIVE + REQUIRES_GRAD,
    "spread",
    "{name} requires grad because an operand of the operator that gave it, {node}, does.",
)
def _spread(subject: LiveSubject) -> Words | None:
    return {"node": subject.tensor.grad_fn.name()} if subject.tensor.requires_grad else None


case(
    LIVE + REQUIRES_GRAD,
    "integers",
    "{name} requires no grad: it holds {dtype}, and only floating-point and complex tensors can.",
)(_integers)


@case(
    LIVE + REQUIRES_GRAD,
    "no_history",
    "{name} requires no grad: it was made without requires_grad=True, of operands that require",
    "none, where grad mode was off, or by detach().",
    _RECORD,
)
def _no_history(subject: LiveSubject) -> Words | None:
    return {}


@case(
    LIVE + VIEW,
    "view",
    "{name} is a view of a tensor of shape {shape}: they share memory, and a write into one is",
    "seen in both.",
)
def _view(subject: LiveSubject) -> Words | None:
    base = subject.tensor._base
    return None if base is None else {"shape": tuple(base.shape)}


@case(
    LIVE + VIEW,
    "no_view",
    "{name} is no view for autograd; after detach(), .data or numpy() it may share memory still.",
)
def _no_view(subject: LiveSubject) -> Words | None:
    return {}


@case(LIVE + VERSION, "never_written", "{name} was never written in place.")
def _never_written(subject: LiveSubject) -> Words | None:
    return None if subject.tensor._version else {}


@case(
    LIVE + VERSION,
    "written",
    "The memory of {name} was written in place {times}: a backward refuses what a node kept of it",
    "before.",
    _RECORD,
)
def _written(subject: LiveSubject) -> Words | None:
    return {"times": count_text(subject.tensor._version, "time")}


def _grad_of(tensor: Any) -> Any | None:
    """Returns .grad; not asked of tensors that are no leaves, which would warn."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
