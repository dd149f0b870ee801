"""The experiments with an operator: each is a function of the module `torch` and a trial.

An experiment returns an outcome: property -> plain data (see oracle/record.py). Where an experiment
fails altogether, its outcome has a Failure under every name (`EVERY`).
"""

from collections.abc import Callable
from functools import lru_cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy

from conformance.cases.case import EVERY, SEED, Outcome
from conformance.cases.reach import reach
from conformance.oracle import record
from conformance.oracle.build import PACKED, build
from conformance.oracle.device import is_host, placed, refused_at_once
from conformance.oracle.turns import turned, turns

if TYPE_CHECKING:
    from conformance.cases.trial import Trial


class Run:
    """A call that has been made: its inputs, outputs, and the output's structure."""

    def __init__(
        self,
        torch: ModuleType,
        trial: "Trial",
        prepare: Callable | None = None,
        replace: Callable | None = None,
        watched: bool = False,
    ):
        function = reach(torch, trial.expression)
        self.arguments, self.keywords, self.inputs = build(torch, trial.call)
        if replace is not None:
            others = replace(self.inputs)
            self.arguments = replaced(self.arguments, others)
            self.keywords = replaced(self.keywords, others)
        if "out" in self.keywords:
            self.keywords["out"] = _resizable(self.keywords["out"])
        if prepare is not None:
            self.arguments = (prepare(self.arguments[0]), *self.arguments[1:])
        kept = self.inputs if watched else []  # copied: only where they are compared later
        self.before = [record.attempt(lambda t=t: record.values(t)) for t in kept]
        torch.manual_seed(SEED)
        self.state = record.random_state(torch) if watched else None
        self.output = function(*self.arguments, **self.keywords)
        self.state_after = record.random_state(torch) if watched else None
        self.outputs, self.structure = record.flatten(torch, self.output)
        self.turns = turns(trial.expression, self.outputs)
        self.is_exact = trial.exact

    @property
    def differentiable(self) -> list:
        """The outputs that want a gradient."""
        return [output for output in self.outputs if output.requires_grad]

    @property
    def differentiable_turns(self) -> list:
        """The turns of the outputs that want a gradient."""
        pairs = zip(self.outputs, self.turns, strict=True)
        return [turn for output, turn in pairs if output.requires_grad]

    def values(self) -> list:
        """The outputs' numbers."""
        return [
            record.attempt(partial(record.values, output, self.is_exact, turn))
            for output, turn in zip(self.outputs, self.turns, strict=True)
        ]


def replaced(value: Any, others: dict[int, Any]) -> Any:
    """Returns arguments with others in the place of some, by the ids of these."""
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(each, others) for each in value)
    if isinstance(value, dict):
        return {key: replaced(each, others) for key, each in value.items()}
    return others.get(id(value), value)


def _resizable(out: Any) -> Any:
    """Returns `out` in the library's own memory, for memory of NumPy's cannot be resized."""
    if isinstance(out, (tuple, list)):
        return type(out)(_resizable(each) for each in out)
    if out.numel() and not out.is_contiguous():
        return out  # it has the right size already
    return out.detach().clone().requires_grad_(out.requires_grad)


def forward(torch: ModuleType, trial: "Trial") -> Outcome:
    """The call itself, and everything that shows without a backward."""
    try:
        run = Run(torch, trial, watched=True)
    except Exception as error:
        return {EVERY: record.failure(error), "value": record.failure(error)}
    outputs, inputs = run.outputs, run.inputs
    each = _each(outputs)
    outcome: Outcome = {"value": [run.structure]}
    if not trial.uninitialised:
        outcome["value"] += run.values()
        outcome["effects"] = _effects(run)
    if outputs:
        outcome["dtype"] = each(record.short_dtype)
        outcome["shape"] = each(lambda output: tuple(output.shape))
        outcome["stride"] = each(record.strides)
        outcome["view"] = each(lambda output: record.view(output, inputs, outputs))
        outcome["requires_grad"] = each(record.autograd_state)
    if any(tensor.requires_grad for tensor in (*inputs, *outputs)):
        outcome["node"] = each(record.node)
        outcome["graph"] = record.attempt(lambda: record.graph(outputs, inputs))
        outcome["saved"] = record.attempt(
            lambda: record.saved(torch, outputs, not trial.saves_uninitialised)
        )
    return outcome


def _each(outputs: list) -> Callable:
    return lambda look: [record.attempt(partial(look, output)) for output in outputs]


def _effects(run: Run) -> dict:
    """Returns what the call did to its inputs and to the random state."""
    effects: dict[str, Any] = {}
    for number, tensor in enumerate(run.inputs):
        after = record.attempt(lambda tensor=tensor: record.values(tensor))
        version = record.attempt(lambda tensor=tensor: tensor._version)
        changed = not _same(run.before[number], after)
        effects[f"input {number}"] = (version, after if changed else "unchanged")
    if is_host():
        effects["random state"] = run.state_after if run.state_after != run.state else "unchanged"
    return effects


def _same(before: Any, after: Any) -> bool:
    if not isinstance(before, record.Values) or not isinstance(after, record.Values):
        return type(before) is type(after)
    left, right = before.array, after.array
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    both = [numpy.ascontiguousarray(each).reshape(-1).view(numpy.uint8) for each in (left, right)]
    return numpy.array_equal(*both)


def cotangents(torch: ModuleType, outputs: list, seed: int, turns: Any = None) -> list:
    """Returns one random cotangent an output: the same numbers for either library's, once these
    are turned."""
    made = []
    dtypes = [record.short_dtype(output) for output in outputs]
    kinds = [(tuple(out.shape), dtype[:7] == "complex") for out, dtype in zip(outputs, dtypes)]
    every = zip(dtypes, drawn(seed, tuple(kinds)), turns or [None] * len(outputs), strict=True)
    for dtype, numbers, turn in every:
        numbers = turned(numbers, None if turn is None else numpy.conj(turn))
        if dtype in PACKED:  # which NumPy has not
            wide = "complex64" if dtype == "complex32" else "float32"
            wider = torch.from_numpy(numpy.asarray(numbers, wide))
            made.append(placed(torch, wider.to(getattr(torch, dtype))))
        else:
            made.append(placed(torch, torch.from_numpy(_with_steps(numpy.array(numbers, dtype)))))
    return made


@lru_cache(maxsize=2)  # both libraries ask for the same, twice each: a draw takes 10 ns a number
def drawn(seed: int, kinds: tuple[tuple[tuple[int, ...], bool], ...]) -> list[numpy.ndarray]:
    """Returns random numbers for each kind: a shape, and whether they are complex."""
    random = numpy.random.default_rng(seed)
    made = []
    for shape, is_complex in kinds:
        numbers = numpy.asarray(random.standard_normal(shape))
        if is_complex:
            numbers = numbers + 1j * random.standard_normal(shape)
        made.append(numbers)
    return made


def _with_steps(array: numpy.ndarray) -> numpy.ndarray:
    """Returns an array; an empty one with the strides of a new tensor, where NumPy's are all 0."""
    if array.size:
        return array
    steps = array.itemsize * numpy.cumprod([1, *[max(n, 1) for n in array.shape[:0:-1]]])[::-1]
    content = numpy.empty(1, array.dtype)
    return numpy.ndarray(array.shape, array.dtype, content, 0, tuple(steps))


def gradient(torch: ModuleType, trial: "Trial") -> Outcome:
    """Gradients of all inputs by autograd.grad, and what backward leaves in `.grad`."""
    return {
        "grad": {
            "autograd.grad": record.attempt(lambda: _gradients(torch, trial)),
            "backward": record.attempt(lambda: _accumulated(torch, trial)),
        }
    }


def _gradients(torch: ModuleType, trial: "Trial") -> list:
    run = Run(torch, trial)
    outputs = run.differentiable
    wanted = [tensor for tensor in run.inputs if tensor.requires_grad]
    given = cotangents(torch, outputs, 1, run.differentiable_turns)
    found = torch.autograd.grad(outputs, wanted, given, allow_unused=True)
    return [record.full(gradient) for gradient in found]


def _accumulated(torch: ModuleType, trial: "Trial") -> list:
    run = Run(torch, trial)
    outputs = run.differentiable
    torch.autograd.backward(outputs, cotangents(torch, outputs, 1, run.differentiable_turns))
    return [record.full(tensor.grad) for tensor in run.inputs if tensor.is_leaf]


def second_gradient(torch: ModuleType, trial: "Trial") -> Outcome:
    """Gradients of the gradients, for the inputs and for the cotangents."""
    run = Run(torch, trial)
    outputs = run.differentiable
    wanted = [tensor for tensor in run.inputs if tensor.requires_grad]
    ways = run.differentiable_turns
    first = [given.requires_grad_(True) for given in cotangents(torch, outputs, 1, ways)]
    found = torch.autograd.grad(outputs, wanted, first, allow_unused=True, create_graph=True)
    outcome = {"gradients": [record.full(gradient) for gradient in found]}
    again = [gradient for gradient in found if gradient is not None and gradient.requires_grad]
    graph = {
        "nodes": record.graph(again, wanted + first),
        "saved": record.saved(torch, again, numbers=False),
    }
    if again:
        outcome["second gradients"] = record.attempt(
            lambda: [
                record.full(gradient, turn=turn)
                for turn, gradient in zip(
                    [None] * len(wanted) + ways,
                    torch.autograd.grad(
                        again, wanted + first, cotangents(torch, again, 2), allow_unused=True
                    ),
                    strict=True,
                )
            ]
        )
    return {"gradgrad": outcome, "gradgraph": graph}


def in_place(torch: ModuleType, trial: "Trial") -> Outcome:
    """The in-place variant: on a plain tensor, on one with a history, and on a leaf."""
    found = {}
    if any(spec.requires_grad for spec in trial.call.tensors):
        with_history = record.attempt(lambda: _written(torch, trial, lambda x: x.clone(), True))
        found["with history"] = with_history
        found["as it is"] = record.attempt(lambda: _written(torch, trial, lambda x: x, True))
    without = record.attempt(lambda: _written(torch, trial, lambda x: x.detach(), False))
    found["without gradient"] = without
    return {"in-place": found}


def _written(torch: ModuleType, trial: "Trial", prepare: Callable, backward: bool) -> dict:
    run = Run(torch, trial, prepare)
    target, result = run.arguments[0], run.output
    look = {
        "returns its input": result is target,
        "version": target._version,
        "result": record.full(target),
        "node": record.node(target),
        "graph": record.attempt(lambda: record.graph([target], run.inputs)),
    }
    wanted = [tensor for tensor in run.inputs if tensor.requires_grad]
    if backward and target.requires_grad and wanted:
        given = cotangents(torch, [target], 1)
        look["gradients"] = record.attempt(
            lambda: [
                record.full(gradient)
                for gradient in torch.autograd.grad([target], wanted, given, allow_unused=True)
            ]
        )
    return look


def out_argument(torch: ModuleType, trial: "Trial") -> Outcome:
    """The call with `out=`, which the description already holds."""
    made: list[Any] = []
    error = None
    try:
        run = Run(torch, trial)
        made = run.outputs
    except Exception as caught:
        error = record.failure(caught)
    if error is not None:
        return {"out": {trial.label: error}}
    given, _ = record.flatten(torch, run.keywords["out"])
    return {
        "out": {
            trial.label: {
                "structure": run.structure,
                "is what was given": [a is b for a, b in zip(made, given, strict=False)],
                "given": [
                    record.full(tensor, not trial.uninitialised, turn=turn)
                    for tensor, turn in zip(given, run.turns, strict=True)
                ],
                "version": [tensor._version for tensor in given],
                "offset": [tensor.storage_offset() for tensor in given],
            }
        }
    }


def variant(torch: ModuleType, trial: "Trial") -> Outcome:
    """Another spelling of the operator: its results, and the graph it makes."""
    run = Run(torch, trial)
    each = _each(run.outputs)
    look = {"structure": run.structure, "node": each(record.node)}
    look["outputs"] = each(lambda output: (record.short_dtype(output), tuple(output.shape)))
    if not trial.uninitialised:
        look["values"] = run.values()
    return {"variants": {trial.expression: look}}


def error(torch: ModuleType, trial: "Trial") -> Outcome:
    """A call that torch refuses: which exception it raises, and its text."""
    try:
        with refused_at_once():
            run = Run(torch, trial)
    except Exception as caught:
        return {"error": record.failure(caught)}
    return {"error": ("no error", run.structure)}


def refusal(torch: ModuleType, trial: "Trial") -> Outcome:
    """A call that torch refuses: that an exception is raised, whatever its words."""
    found = error(torch, trial)["error"]
    refused = isinstance(found, record.Failure)
    return {"error": "an exception" if refused else found}


EXPERIMENTS: dict[str, Callable[[ModuleType, "Trial"], Outcome]] = {
    "forward": forward,
    "gradient": gradient,
    "second gradient": second_gradient,
    "in-place": in_place,
    "out": out_argument,
    "variant": variant,
    "error": error,
    "refusal": refusal,
}
