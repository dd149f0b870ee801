"""vmap of an operator: its results for a batch of two examples."""

from types import ModuleType
from typing import TYPE_CHECKING

from conformance.cases.case import SEED, Outcome
from conformance.cases.experiments import replaced
from conformance.cases.reach import reach
from conformance.oracle import record
from conformance.oracle.build import build

if TYPE_CHECKING:
    from conformance.cases.trial import Trial


def mapped(torch: ModuleType, trial: "Trial") -> Outcome:
    """Each input with another beside it; and the first alone, the others being the same for all."""
    outcome = {"all": record.attempt(lambda: _batch(torch, trial, None))}
    if len(trial.call.tensors) > 1:
        outcome["first"] = record.attempt(lambda: _batch(torch, trial, 1))
    return {"vmap": outcome}


def _batch(torch: ModuleType, trial: "Trial", count: int | None) -> list:
    function = reach(torch, trial.expression)
    arguments, keywords, inputs = build(torch, trial.call)
    plain = [tensor.detach() for tensor in inputs]
    batches = [_twice(torch, tensor) for tensor in plain[:count]]

    def example(*given):
        others = {id(old): new for old, new in zip(inputs, given, strict=True)}
        output = function(*replaced(arguments, others), **replaced(keywords, others))
        return tuple(record.flatten(torch, output)[0])

    dims = tuple(0 if number < len(batches) else None for number in range(len(inputs)))
    torch.manual_seed(SEED)
    call = torch.vmap(example, in_dims=dims, randomness="different")
    found = call(*batches, *plain[len(batches) :])
    return [(record.short_dtype(each), tuple(each.shape), record.values(each)) for each in found]


def _twice(torch: ModuleType, tensor):
    """Returns a tensor and one half of it; the same where it holds positions or truths."""
    other = tensor * 0.5 if tensor.is_floating_point() or tensor.is_complex() else tensor
    return torch.stack([tensor, other])
