"""Writes a trial as a short script that runs with either library."""

from pprint import pformat
from typing import TYPE_CHECKING

import numpy

from conformance.cases.case import SEED
from conformance.oracle.build import array_of, widened
from conformance.oracle.describe import Call, Named, TensorSpec

if TYPE_CHECKING:
    from conformance.cases.trial import Trial

LARGEST_LITERAL = 60


def reproducer(trial: "Trial", impl: str) -> str:
    """Returns a script: inputs, the call, and what the experiment then looks at."""
    call = trial.call
    lines = [
        f"# {trial.experiment}, {trial.label}",
        f"import torch  # or: import {impl} as torch",
        "",
    ]
    lines += [line for spec in call.tensors for line in _tensor(spec, call)]
    arguments = [_source(argument) for argument in call.arguments]
    if trial.experiment == "in-place" and any(spec.requires_grad for spec in call.tensors):
        arguments[0] += ".clone()"
    arguments += [f"{name}={_source(value)}" for name, value in call.keywords.items()]
    function = trial.expression
    lines += [
        f"torch.manual_seed({SEED})",
        *(["import operator"] if "operator." in function else []),
        f"function = {function}",
        f"out = function({', '.join(arguments)})",
        "print(out)",
        *_looking(trial),
    ]
    return "\n".join(lines)


def _looking(trial: "Trial") -> list[str]:
    if trial.experiment in ("out", "error"):
        return []
    lines = [
        "outs = out if isinstance(out, (tuple, list)) else [out]",
        "outs = [o for o in outs if isinstance(o, torch.Tensor)]",
        "print([(o.dtype, tuple(o.shape), o.stride(), o.storage_offset()) for o in outs])",
    ]
    wanted = [_name(spec) for spec in trial.call.tensors if spec.requires_grad]
    if not wanted:
        return lines
    lines += [
        "outs = [o for o in outs if o.requires_grad]",
        "print([o.grad_fn for o in outs])",
    ]
    ones = "[torch.ones_like(o) for o in outs]"
    call = f"torch.autograd.grad(outs, [{', '.join(wanted)}], {ones}, allow_unused=True"
    if trial.experiment in ("gradient", "in-place"):
        lines.append(f"print({call}))")
    elif trial.experiment == "second gradient":
        lines += [
            f"grads = {call}, create_graph=True)",
            "outs = [g for g in grads if g is not None and g.requires_grad]",
            f"print({call}))",
        ]
    return lines


def _name(spec: TensorSpec) -> str:
    return f"t{spec.number}"


def _source(value) -> str:
    if isinstance(value, TensorSpec):
        return _name(value)
    if isinstance(value, Named):
        if value.kind in ("device", "Size"):
            return f"torch.{value.kind}({value.name!r})"
        if value.kind == "Generator":
            return f"torch.Generator().manual_seed({value.name})"
        return f"torch.{value.name}"
    if isinstance(value, list):
        return f"[{', '.join(map(_source, value))}]"
    if isinstance(value, tuple):
        return f"({''.join(_source(item) + ', ' for item in value)})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {_source(v)}' for k, v in value.items())}}}"
    if isinstance(value, float) and not numpy.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _tensor(spec: TensorSpec, call: Call) -> list[str]:
    array = array_of(spec, call.storages[spec.storage])
    name, dtype = _name(spec), f"torch.{spec.dtype}"
    if spec.dtype == "bfloat16":
        array = widened(array)
    if array.size > LARGEST_LITERAL:
        made = (
            f"{name} = torch.randn({spec.size}, dtype=torch.float32).to({dtype})"
            "  # stands for numbers that are too many to print"
        )
    else:
        text = pformat(_numbers(array), width=88, compact=True)
        text = text.replace("nan", "float('nan')").replace("inf", "float('inf')")
        made = f"{name} = torch.tensor({text}, dtype={dtype}).reshape({spec.size})"
    lines = [made]
    if spec.stride != _contiguous(spec.size) and 0 not in spec.size:
        span = 1 + sum((n - 1) * s for n, s in zip(spec.size, spec.stride, strict=True))
        if all(spec.stride):
            lines.append(
                f"{name} = torch.zeros({span}, dtype={dtype})"
                f".as_strided({spec.size}, {spec.stride}).copy_({name})"
            )
        else:
            lines.append(f"# its strides are {spec.stride}")
    if spec.requires_grad:
        lines.append(f"{name} = {name}.detach().requires_grad_()")
    return lines


def _numbers(array: numpy.ndarray):
    """Returns nested lists of the shortest numbers that round to the array's."""
    if array.dtype.kind == "f" and array.itemsize < 8:
        array = array.astype(str).astype(float)
    return array.tolist()


def _contiguous(size: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for length in reversed(size):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))
