"""Operators on meta tensors: torch's own samples, moved to the meta device in either library."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from conformance.cases import opinfo
from conformance.cases.case import EVERY, SEED, Case, Outcome
from conformance.cases.experiments import replaced
from conformance.cases.reach import expression, inplace_expression, reach
from conformance.cases.reproducer import making, name, written
from conformance.options import DIFFERENTIATED, Options
from conformance.oracle import record
from conformance.oracle.build import build
from conformance.oracle.describe import Call

DTYPES = ("float32", "int64", "complex64", "bool", "bfloat16")
MOST = {"quick": 12, "full": 200}
LOOKS = ("shape", "dtype", "stride", "requires_grad")


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db."""
    return opinfo.keys(options)


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields calls of an operator on meta tensors, and of its in-place variant."""
    op = opinfo.operators()[key]
    supported = {str(dtype).removeprefix("torch.") for dtype in op.supported_dtypes("cpu")}
    backward = {str(dtype).removeprefix("torch.") for dtype in op.supported_backward_dtypes("cpu")}
    most = MOST[options.profile] if options.limit is None else options.limit
    for dtype in options.dtypes or DTYPES:
        if dtype not in supported:
            continue
        graph = op.supports_autograd and dtype in backward and dtype in DIFFERENTIATED
        calls = opinfo.Calls(list(opinfo.samples_of(op, dtype, graph, options.seed, "cpu")))
        texts = [expression(key, op.name)]
        if op.inplace_variant is not None:
            texts.append(inplace_expression(op.name, op.inplace_variant))
        for label, call in calls.spread(most if dtype == "float32" else most // 3):
            for text in texts:
                yield OnMeta(label, "shape", frozenset((*LOOKS, "grad")), text, call)


@dataclass
class OnMeta(Case):
    """One call on meta tensors."""

    label: str
    main: str
    properties: frozenset[str]
    expression: str
    call: Call

    def run(self, torch: ModuleType) -> Outcome:
        """Makes the call, and runs backward through it."""
        function = reach(torch, self.expression)
        arguments, keywords, inputs = build(torch, self.call)
        others = {id(each): emptied(each) for each in inputs}
        arguments, keywords = replaced(arguments, others), replaced(keywords, others)
        if self.expression.startswith("torch.Tensor.") and self.expression.endswith("_"):
            arguments = (arguments[0].clone(), *arguments[1:])
        try:
            output = function(*arguments, **keywords)
        except Exception as error:
            return {EVERY: record.failure(error)}
        outputs, _ = record.flatten(torch, output)
        outcome: Outcome = {
            "shape": [(tuple(each.shape), str(each.device)) for each in outputs],
            "dtype": [record.short_dtype(each) for each in outputs],
            "stride": [record.strides(each) for each in outputs],
            "requires_grad": [(each.requires_grad, each.is_leaf) for each in outputs],
        }
        wanting = [each for each in outputs if each.requires_grad]
        if wanting:
            leaves = [each for each in others.values() if each.requires_grad]
            outcome["grad"] = record.attempt(lambda: gradients(torch, wanting, leaves))
        return outcome

    def script(self, impl: str) -> str:
        """Returns the call as a script."""
        lines = [f"import torch  # or: import {impl} as torch", f"torch.manual_seed({SEED})"]
        lines += [line for spec in self.call.tensors for line in making(spec, self.call)]
        for spec in self.call.tensors:
            lines.append(f"{name(spec)} = {name(spec)}.detach().to('meta')")
            if spec.requires_grad:
                lines.append(f"{name(spec)}.requires_grad_()")
        given = [written(each) for each in self.call.arguments]
        given += [f"{key}={written(value)}" for key, value in self.call.keywords.items()]
        lines += [f"out = ({self.expression})({', '.join(given)})", "print(out)"]
        return "\n".join(lines)

    @property
    def title(self) -> str:
        """The sample."""
        return f"on meta, {self.label}"

    @property
    def size(self) -> int:
        """The bytes of all inputs."""
        return sum(content.size for content in self.call.storages.values())


def emptied(tensor: Any) -> Any:
    """Returns a leaf on the meta device of the same geometry."""
    made = tensor.detach().to("meta")
    if made.stride() != tensor.stride():
        made = made.new_empty_strided(tensor.shape, tensor.stride())
    return made.requires_grad_(tensor.requires_grad)


def gradients(torch: ModuleType, outputs: list, leaves: list) -> list:
    """Returns shape, dtype and device of the gradients of the leaves."""
    found = torch.autograd.grad(
        outputs, leaves, [torch.ones_like(each) for each in outputs], allow_unused=True
    )
    return [
        None if grad is None else (tuple(grad.shape), record.short_dtype(grad), str(grad.device))
        for grad in found
    ]
