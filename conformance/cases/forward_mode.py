"""Forward mode of an operator: the tangents of its results, and those of its gradients."""

import warnings
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from conformance.cases.case import Outcome
from conformance.cases.experiments import Run, cotangents
from conformance.oracle import record

if TYPE_CHECKING:
    from conformance.cases.trial import Trial


def prepare_torch() -> None:
    """Imports what torch imports at the first make_dual, and shows warnings of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_module("torch._decomp.decompositions_for_jvp")


def forward_mode(torch: ModuleType, trial: "Trial") -> Outcome:
    """Tangents of the results; and of the gradients, where forward mode goes over a backward."""
    outcome = {"tangents": record.attempt(lambda: _pushed(torch, trial))}
    if trial.twice:
        outcome["twice"] = record.attempt(lambda: _pushed_over_backward(torch, trial))
    return {"jvp": outcome}


def forward_mode_in_place(torch: ModuleType, trial: "Trial") -> Outcome:
    """The tangents after a write in place: of the written tensor and of its base."""
    return {"jvp": {"in place": record.attempt(lambda: _written(torch, trial))}}


def _pushed(torch: ModuleType, trial: "Trial") -> dict:
    with torch.autograd.forward_ad.dual_level():
        run = _run(torch, trial)
        return {
            "tangents": [
                _tangent(torch, output, turn)
                for output, turn in zip(run.outputs, run.turns, strict=True)
            ],
            "primals": [
                record.full(_primal(torch, output), turn=turn)
                for output, turn in zip(run.outputs, run.turns, strict=True)
            ],
        }


def _pushed_over_backward(torch: ModuleType, trial: "Trial") -> Any:
    with torch.autograd.forward_ad.dual_level():
        run = _run(torch, trial)
        outputs = run.differentiable
        if not outputs:
            return None
        wanted = [tensor for tensor in run.inputs if tensor.requires_grad]
        given = cotangents(torch, outputs, 1, run.differentiable_turns)
        found = torch.autograd.grad(outputs, wanted, given, allow_unused=True, create_graph=True)
        return [None if each is None else _tangent(torch, each) for each in found]


def _written(torch: ModuleType, trial: "Trial") -> dict:
    with torch.autograd.forward_ad.dual_level():
        run = _run(torch, trial, lambda target: target.clone())
        target = run.arguments[0]
        return {
            "returns its input": run.output is target,
            "result": record.full(_primal(torch, target)),
            "tangent": _tangent(torch, target),
        }


def _run(torch: ModuleType, trial: "Trial", prepare: Any = None) -> Run:
    return Run(torch, trial, prepare, lambda inputs: _dual(torch, inputs))


def _dual(torch: ModuleType, inputs: list) -> dict[int, Any]:
    """Returns dual tensors for the inputs that want a gradient, by the ids of these."""
    wanted = [tensor for tensor in inputs if tensor.requires_grad]
    tangents = cotangents(torch, wanted, 3)
    make = torch.autograd.forward_ad.make_dual
    return {id(tensor): make(tensor, t) for tensor, t in zip(wanted, tangents, strict=True)}


def _tangent(torch: ModuleType, tensor: Any, turn: Any = None) -> Any:
    tangent = torch.autograd.forward_ad.unpack_dual(tensor).tangent
    if tangent is None:
        return None
    numbers = record.values(tangent, turn=turn)
    return record.short_dtype(tangent), tuple(tangent.shape), numbers


def _primal(torch: ModuleType, tensor: Any) -> Any:
    return torch.autograd.forward_ad.unpack_dual(tensor).primal
