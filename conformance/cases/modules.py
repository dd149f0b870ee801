"""The modules of torch.nn, with the samples of torch's own `module_db`.

A key is a class. Its scenarios: construction, forward in each mode, gradients, second gradients,
loading and converting, and what it refuses.
"""

import random
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any

import numpy
import torch

from conformance.cases.database import FunctionInput, ModuleErrorEnum, module_db
from conformance.cases.more_modules import MORE
from conformance.cases.scenario import Scenario
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe
from conformance.oracle.written import written

DTYPES = ("float32", "float64", "complex64", "complex128", "float16", "bfloat16")
HALF = ("float16", "bfloat16")  # as in opinfo, their gradients are too coarse to compare
SAMPLES = {"quick": {"float32": 6, "float64": 2}, "full": dict.fromkeys(DTYPES, 40)}

FORWARD = frozenset(
    ("value", "dtype", "shape", "stride", "view", "requires_grad", "node", "graph", "saved")
) | {"effects", "state", "warnings"}

# Their nodes save memory that is written in part, or not at all: log_alpha, the workspace of
# oneDNN, the noise of evaluation.
SAVE_UNINITIALISED = frozenset(("nn.CTCLoss", "nn.LSTM", "nn.RReLU"))

STATE = """state = {
    "training": module.training,
    "state_dict": module.state_dict(),
    "metadata": module.state_dict()._metadata,
    "parameters": dict(module.named_parameters()),
    "buffers": dict(module.named_buffers()),
    "modules": [name for name, _ in module.named_modules()],
}
"""
GRADIENT = """torch.autograd.backward({outputs}, {cotangents})
grad = {{
    "inputs": [tensor.grad for tensor in {inputs}],
    "parameters": {{name: parameter.grad for name, parameter in module.named_parameters()}},
}}
"""
SECOND_GRADIENT = """wanted = [*{inputs}, *module.parameters()]
first = torch.autograd.grad(
    {outputs}, wanted, {cotangents}, create_graph=True, allow_unused=True
)
again = [g for g in first if g is not None and g.requires_grad]
given = [torch.arange(g.numel()).remainder(7).sub(3).to(g).reshape(g.shape) for g in again]
second = torch.autograd.grad(again, wanted, given, allow_unused=True) if again else None
gradgrad = [first, second]
"""
LOADING = """torch.manual_seed(1)
other = {construction}
print(other.load_state_dict(module.state_dict()))
module = copy.deepcopy(other).requires_grad_(False).eval().to({dtype})
print(module)
"""
MISLOADED = {
    "loading what is not there": 'module.load_state_dict({"nothing": torch.ones(2)})\n',
    "loading other sizes": (
        "module.load_state_dict({name: torch.ones(7, 1) for name in module.state_dict()})\n"
    ),
}


@dataclass
class Sample:
    """A construction and a forward, as source; `given` are the tensors that they name."""

    label: str
    construction: str
    forward: str
    given: Call
    dtype: str
    cotangents: list[str]
    outputs: list[str]  # the expressions of those that want a gradient


@cache
def modules() -> dict[str, Any]:
    """Returns every entry of module_db and our own by its key."""
    return {info.name.removeprefix("nn."): info for info in (*module_db, *MORE)}


def keys(options: Options) -> list[str]:
    """Returns the classes, without `nn.`."""
    return list(modules())


def cases(key: str, options: Options) -> Iterator[Scenario]:
    """Yields the scenarios of one class; the same ones for the same options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = list(_cases(key, options))
    yield from made


def _cases(key: str, options: Options) -> Iterator[Scenario]:
    info = modules()[key]
    counts = SAMPLES[options.profile]
    supported = {str(dtype).removeprefix("torch.") for dtype in info.dtypes}
    for dtype in options.dtypes or DTYPES:
        if dtype in supported and dtype in counts:
            count = min(counts[dtype], options.limit or counts[dtype])
            yield from _of_dtype(info, dtype, count, options)
    if info.module_error_inputs_func is not None and "float32" in (options.dtypes or DTYPES):
        yield from _refused(info, options.seed)


def _of_dtype(info: Any, dtype: str, count: int, options: Options) -> Iterator[Scenario]:
    modes = (True, False) if info.train_and_eval_differ else (True,)
    for training in modes:
        inputs = _seeded(info, info.module_inputs_func, dtype, training, options.seed)
        chosen = [
            sample
            for number, given in _spread(list(enumerate(inputs)), count)
            if (sample := _sample(info, given, dtype, f"{dtype} sample {number}", options.seed))
        ]
        if training:
            yield from _constructions(chosen, dtype)
        for sample in chosen:
            yield from _runs(info, sample, training)


def _spread(items: list, count: int) -> list:
    """Returns at most `count` items: the first, and others from everywhere; always the same."""
    if len(items) <= count:
        return items
    others = random.Random(len(items)).sample(range(1, len(items)), count - 1)
    return [items[number] for number in sorted([0, *others])]


def _seeded(info: Any, function: Any, dtype: str, training: bool, seed: int) -> list:
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)
    kinds = {"dtype": getattr(torch, dtype), "requires_grad": True, "training": training}
    return list(function(info, device="cpu", **kinds))


def _sample(info: Any, given: Any, dtype: str, label: str, seed: int) -> Sample | None:
    """Returns a sample of module_db as source; None for one which has no description."""
    constructor, forward = given.constructor_input, given.forward_input
    module = info.module_cls(*constructor.args, **constructor.kwargs).to(getattr(torch, dtype))
    if next(module.parameters(), None) is not None:
        forward = FunctionInput(*_rounded(forward.args), **_rounded(forward.kwargs))
    found = _outputs(module, forward)
    try:
        call = describe(
            (constructor.args, forward.args, [_numbers(output, seed) for output in found.values()]),
            {"constructor": _anywhere(constructor.kwargs), "forward": forward.kwargs},
        )
    except Unsupported:
        return None
    return Sample(
        label=f"{label} {given.desc}".strip(),
        construction=_construction(info, call, dtype),
        forward=f"module({_arguments(call.arguments[1], call.keywords['forward'])})",
        given=call,
        dtype=dtype,
        cotangents=[written(each) for each in call.arguments[2]],
        outputs=list(found),
    )


def _anywhere(options: dict) -> dict:
    """Returns options less the device, which one sample names: the suite says where tensors are."""
    return {name: each for name, each in options.items() if name != "device"}


def _rounded(value: Any) -> Any:
    """Returns inputs as eighths: their products with cotangents add up without rounding."""
    if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
        eighths = value.detach().clone()
        (torch.view_as_real(eighths) if value.is_complex() else eighths).mul_(8).round_().div_(8)
        return eighths.requires_grad_(value.requires_grad)
    if type(value) in (list, tuple):
        return type(value)(map(_rounded, value))
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return value


def _outputs(module: torch.nn.Module, forward: FunctionInput) -> dict[str, torch.Tensor]:
    """Returns the outputs that want a gradient, by the expression that finds them in `out`."""
    try:
        return dict(_tensors("out", module(*forward.args, **forward.kwargs)))
    except RuntimeError:  # the scenario shows in which words
        return {}


def _tensors(path: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor) and value.requires_grad:
        yield path, value.detach()
    if isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _tensors(f"{path}[{number}]", item)


def _numbers(output: torch.Tensor, seed: int) -> torch.Tensor:
    """Returns a cotangent of eighths."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(-16, 17, output.shape, generator=generator) / 8).to(output.dtype)


def _construction(info: Any, call: Call, dtype: str) -> str:
    """Returns the call of the class, with the dtype where that is not the default."""
    arguments = call.keywords["constructor"]
    text = f"torch.{info.name}({_arguments(call.arguments[0], arguments)})"
    if dtype == "float32" or "dtype" in arguments:
        return text
    takes = signature(info.module_cls).parameters
    if "dtype" not in takes and not issubclass(info.module_cls, torch.nn.RNNBase):
        return f"{text}.to(torch.{dtype})"
    return f"{text[:-1]}{'' if text.endswith('()') else ', '}dtype=torch.{dtype})"


def _arguments(arguments: Iterable, keywords: dict) -> str:
    texts = [*map(written, arguments), *(f"{n}={written(v)}" for n, v in keywords.items())]
    return ", ".join(texts)


def _constructions(samples: list[Sample], dtype: str) -> Iterator[Scenario]:
    """Yields the construction of every sample, and of the first one loading and converting."""
    different = {sample.construction: sample for sample in samples}
    for text, sample in different.items():
        yield Scenario(
            f"module = {text}\nprint(module)\n{STATE}",
            f"construction, {sample.label}",
            frozenset({"state", "text", "effects", "warnings"}),
            "state",
            sample.given,
            exact=True,
        )
    for text, sample in list(different.items())[:1]:
        other = "torch.float32" if dtype == "float64" else "torch.float64"
        yield Scenario(
            f"import copy\nmodule = {text}\n"
            + LOADING.format(construction=text, dtype=other)
            + STATE,
            f"loading and converting, {sample.label}",
            frozenset({"state", "text", "warnings"}),
            "state",
            sample.given,
        )
        for what, statement in MISLOADED.items():
            source, label = f"module = {text}\n{statement}", f"{what}, {sample.label}"
            yield Scenario(source, label, frozenset({"error"}), "error", sample.given)


def _runs(info: Any, sample: Sample, training: bool) -> Iterator[Scenario]:
    """Yields the forward in one mode, and its gradients."""
    mode = "" if training else "module.eval()\n"
    run = f"module = {sample.construction}\n{mode}out = {sample.forward}\n"
    label = f"{sample.label}, {'training' if training else 'evaluation'}"
    seen = FORWARD - {"saved"} if info.name in SAVE_UNINITIALISED else FORWARD
    yield Scenario(run + STATE, f"forward, {label}", seen, "value", sample.given)
    if not sample.outputs or sample.dtype in HALF:
        return
    inputs = _list(written(spec) for spec in sample.given.tensors if spec.requires_grad)
    texts = {
        "outputs": _list(sample.outputs),
        "cotangents": _list(sample.cotangents),
        "inputs": inputs,
    }
    wanted = {"grad": GRADIENT} | ({"gradgrad": SECOND_GRADIENT} if info.supports_gradgrad else {})
    for name, text in wanted.items():
        source = run + text.format(**texts)
        yield Scenario(source, f"{name}, {label}", frozenset({name}), name, sample.given)


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"


def _refused(info: Any, seed: int) -> Iterator[Scenario]:
    """Yields what torch's own tests expect the class to refuse."""
    found = _seeded(info, info.module_error_inputs_func, "float32", False, seed)
    for number, each in enumerate(found):
        given = each.module_error_input
        constructor, forward = given.constructor_input, given.forward_input or FunctionInput()
        try:
            call = describe(
                (constructor.args, forward.args),
                {"constructor": _anywhere(constructor.kwargs), "forward": forward.kwargs},
            )
        except Unsupported:
            continue
        source = f"module = {_construction(info, call, 'float32')}\n"
        if each.error_on is ModuleErrorEnum.FORWARD_ERROR:
            source += f"module({_arguments(call.arguments[1], call.keywords['forward'])})\n"
        label = f"error input {number}"
        errors = frozenset({"error"})
        yield Scenario(source, label, errors, "error", call, pattern=each.error_regex)
