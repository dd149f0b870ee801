"""Operators on meta tensors: torch's own samples, moved to the meta device in either library.

Many of torch's kernels for meta are decompositions in Python, which behave by accident in places:

- They lay results out in another order than torch's kernels for the CPU, which minitorch follows on
  every device: where the call works on the CPU, torch's strides are those that it gives there.
  Strides that no address depends on are left out. `OWN_LAYOUT` names what follows meta.
- Written in place, a tensor that has to be broadcast is resized by some of them, and refused by
  others as by every other device: either counts as refused.
- What they refuse is worded as the decomposition is, and not as the operator: of errors of in-place
  calls, the type alone is compared.
- Some write floating-point numbers into integers, or masks that do not fit: `UNCHECKED`.

Operators for which torch has no kernel for meta say so in either library where their result cannot
be known. Gradients for which it has none, though their shapes are known, are left out: `NO_KERNEL`.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from zlib import crc32

import torch as real_torch

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
MOST = {"quick": 4, "full": 200}
UNCHECKED = ("ldexp", "logit", "masked_scatter")
NO_KERNEL = (
    "index_fill",
    "nn.functional.ctc_loss",
    "nn.functional.fractional_max_pool3d",
    "nn.functional.multi_margin_loss",
    "nn.functional.multilabel_margin_loss",
)
# Of half types it gives statistics in single precision, and in evaluation some that nothing needs.
OTHER_STATISTICS = frozenset(
    "_batch_norm_with_update _native_batch_norm_legit native_batch_norm native_layer_norm".split()
)
# They do not move a tensor that their CPU kernel takes, or do move it, or refuse a copy.
ACCIDENTS = frozenset(
    "_segment_reduce.lengths istft linspace.tensor_overload logspace.tensor_overload to_sparse"
    " view_copy".split()
)
# Where minitorch too lays results out on meta as torch does there, and not as on the CPU.
OWN_LAYOUT = ("angle", "nn.functional.logsigmoid", "nonzero_static")
LOOKS = ("shape", "dtype", "stride", "requires_grad")


def keys(options: Options) -> list[str]:
    """Returns the operators of op_db; the quick profile takes a quarter, by the seed."""
    keys = [key for key in opinfo.keys(options) if key not in ACCIDENTS]
    return keys if options.profile == "full" else keys[options.seed % 4 :: 4]


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields calls of an operator on meta tensors, and of its in-place variant."""
    op = opinfo.operators()[key]
    supported = {str(dtype).removeprefix("torch.") for dtype in op.supported_dtypes("cpu")}
    backward = {str(dtype).removeprefix("torch.") for dtype in op.supported_backward_dtypes("cpu")}
    most = MOST[options.profile] if options.limit is None else options.limit
    dtypes = DTYPES
    if options.profile == "quick":  # float32, and each operator with one of the others
        others = [each for each in DTYPES[1:] if each in supported] or [DTYPES[1]]
        dtypes = (DTYPES[0], others[crc32(key.encode()) % len(others)])
    for dtype in options.dtypes or dtypes:
        if dtype not in supported:
            continue
        graph = op.supports_autograd and dtype in backward and dtype in DIFFERENTIATED
        calls = opinfo.Calls(list(opinfo.samples_of(op, dtype, graph, options.seed, "cpu")))
        texts = [expression(key, op.name)]
        if op.inplace_variant is not None and op.name not in UNCHECKED:
            texts.append(inplace_expression(op.name, op.inplace_variant))
        looks = looks_of(key)
        for label, call in calls.spread(most if dtype == "float32" else most // 2):
            for text in texts:
                first, own = key in OTHER_STATISTICS, key in OWN_LAYOUT
                yield OnMeta(label, "shape", looks, text, call, first, own)


def looks_of(key: str) -> frozenset[str]:
    """Returns the compared properties of an operator's results."""
    looks = {*LOOKS, "grad"}
    if key in NO_KERNEL:
        looks.discard("grad")
    return frozenset(looks)


@dataclass
class OnMeta(Case):
    """One call on meta tensors."""

    label: str
    main: str
    properties: frozenset[str]
    expression: str
    call: Call
    first: bool = False  # whether the first result alone is compared
    own_layout: bool = False  # whether torch's strides are those that it gives on meta

    def run(self, torch: ModuleType) -> Outcome:
        """Makes the call, and runs backward through it."""
        try:
            leaves, shape, outputs = self.made(torch, emptied)
        except Exception as error:
            return {EVERY: type(error).__name__ if self.is_in_place else record.failure(error)}
        if self.is_in_place and outputs[0].shape != shape:
            return {EVERY: "RuntimeError"}
        strides = list(map(busy_strides, outputs))
        if torch is real_torch and not self.own_layout:
            with contextlib.suppress(Exception):
                there = list(map(busy_strides, self.made(torch, copied)[2]))
                strides = there if len(there) == len(strides) else strides
        outcome: Outcome = {
            "shape": [(tuple(each.shape), str(each.device)) for each in outputs],
            "dtype": [record.short_dtype(each) for each in outputs],
            "stride": strides,
            "requires_grad": [(each.requires_grad, each.is_leaf) for each in outputs],
        }
        wanting = [each for each in outputs if each.requires_grad]
        if wanting and "grad" in self.properties:
            outcome["grad"] = record.attempt(lambda: gradients(torch, wanting, leaves))
        return {name: value for name, value in outcome.items() if name in self.properties}

    def made(self, torch: ModuleType, leaf: Callable[[Any], Any]) -> tuple[list, Any, list]:
        """Returns leaves made of the inputs, the first argument's shape, and the call's result.

        leaf: makes a leaf of an input.
        """
        function = reach(torch, self.expression)
        arguments, keywords, inputs = build(torch, self.call)
        others = {id(each): leaf(each) for each in inputs}
        arguments, keywords = replaced(arguments, others), replaced(keywords, others)
        if self.is_in_place:
            arguments = (arguments[0].clone(), *arguments[1:])
        shape = getattr(arguments[0], "shape", None) if arguments else None
        outputs, _ = record.flatten(torch, function(*arguments, **keywords))
        leaves = [each for each in others.values() if each.requires_grad]
        return leaves, shape, outputs[:1] if self.first else outputs

    @property
    def is_in_place(self) -> bool:
        """Whether the call writes into its first argument."""
        return self.expression.startswith("torch.Tensor.") and self.expression.endswith("_")

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


def busy_strides(tensor: Any) -> Any:
    """Returns the strides that addresses depend on, None for the others."""
    strides = record.strides(tensor)
    if isinstance(strides, str):
        return strides
    busy = tensor.numel() > 1
    return tuple(s if busy and n > 1 else None for n, s in zip(tensor.shape, strides, strict=True))


def emptied(tensor: Any) -> Any:
    """Returns a leaf on the meta device of the same geometry."""
    made = tensor.detach().to("meta")
    if made.stride() != tensor.stride():
        made = made.new_empty_strided(tensor.shape, tensor.stride())
    return made.requires_grad_(tensor.requires_grad)


def copied(tensor: Any) -> Any:
    """Returns a leaf of the same device, geometry and numbers."""
    made = tensor.new_empty_strided(tensor.shape, tensor.stride()).copy_(tensor.detach())
    return made.detach().requires_grad_(tensor.requires_grad)


def gradients(torch: ModuleType, outputs: list, leaves: list) -> list:
    """Returns shape, dtype and device of the gradients of the leaves."""
    found = torch.autograd.grad(
        outputs, leaves, [torch.ones_like(each) for each in outputs], allow_unused=True
    )
    return [
        None if grad is None else (tuple(grad.shape), record.short_dtype(grad), str(grad.device))
        for grad in found
    ]
