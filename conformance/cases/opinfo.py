"""Trials from torch's own operator database: its samples, error inputs, and variants."""

import json
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy
import torch

from conformance.cases.database import UnaryUfuncInfo, op_db
from conformance.cases.reach import (
    SAVE_UNINITIALISED,
    UNINITIALISED,
    draws,
    expression,
    inplace_expression,
)
from conformance.cases.trial import Trial
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe

DIFFERENTIATED = ("float32", "float64", "complex128")
FORWARD_ONLY = ("int64", "bool", "bfloat16", "float16")
DTYPES = DIFFERENTIATED + FORWARD_ONLY
TIERS = ("core", "common", "rest")


@dataclass(frozen=True)
class Profile:
    """How many samples of an operator and dtype each experiment takes, spread over all of them."""

    first: int  # of the first floating dtype that the operator has
    differentiated: int
    forward_only: int
    second: int
    in_place: int
    out: int
    variants: int
    errors: int


PROFILES = {
    "quick": Profile(10, 4, 3, 4, 3, 2, 2, 40),
    "full": Profile(300, 150, 60, 60, 40, 12, 10, 400),
}


@cache
def operators() -> dict:
    """Returns every operator of op_db by its key: its name, with its variant's after a dot."""
    return {
        f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op
        for op in op_db
    }  # fmt: skip


@cache
def tiers() -> dict[str, str]:
    """Returns the tier of each key: how commonly small scripts use it."""
    content = json.loads((Path(__file__).parent / "tiers.json").read_text())
    return {key: tier for tier, keys in content.items() for key in keys}


def keys(options: Options) -> list[str]:
    """Returns every operator of the op_db of this torch; other versions have a few others."""
    return [key for key in tiers() if key in operators()]


def cases(key: str, options: Options) -> Iterator[Trial]:
    """Yields the trials of an operator which the options ask for."""
    profile = PROFILES[options.profile]
    device = "cuda" if options.device == "cuda" else "cpu"
    return trials(key, profile, options.seed, options.dtypes or DTYPES, options.limit, device)


def trials(
    key: str, profile: Profile, seed: int, dtypes=DTYPES, limit=None, device: str = "cpu"
) -> Iterator[Trial]:
    """Yields the trials of an operator; the same ones for the same arguments."""
    op = operators()[key]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        supported = {_name(dtype) for dtype in op.supported_dtypes(device)}
        backward = {_name(dtype) for dtype in op.supported_backward_dtypes(device)}
        first = next((name for name in DTYPES if name in supported), None)
        for dtype in DTYPES:
            if dtype in supported and dtype in dtypes:
                graph = op.supports_autograd and dtype in backward and dtype in DIFFERENTIATED
                yield from _of_dtype(
                    key, dtype, graph, profile, seed, dtype == first, limit, device
                )
        if op.error_inputs_func is not None and "float32" in dtypes:
            yield from _errors(key, profile, seed, device)


def _of_dtype(
    key: str, dtype: str, graph: bool, profile: Profile, seed: int, first: bool, limit, device: str
) -> Iterator[Trial]:
    op = operators()[key]
    text = expression(key, op.name)
    plain = op.name in UNINITIALISED or (device == "cuda" and draws(op.name))
    calls = list(_calls(op, dtype, graph, seed, device))

    def chosen(count: int) -> list[tuple[str, Call]]:
        return _spread(calls, count if limit is None else min(count, limit))

    def trial(experiment: str, label: str, call: Call, other: str = text) -> Trial:
        return Trial(experiment, other, call, label, dtype, plain, op.name in SAVE_UNINITIALISED)

    many = profile.differentiated if dtype in DIFFERENTIATED else profile.forward_only
    many = profile.first if first else many
    for label, call in chosen(many):
        yield trial("forward", label, call)
        if graph and _wants_gradient(call):
            yield trial("gradient", label, call)
    if graph and op.supports_gradgrad:
        for label, call in chosen(profile.second):
            if _wants_gradient(call):
                yield trial("second gradient", label, call)
    if op.inplace_variant is not None:
        other = inplace_expression(op.name, op.inplace_variant)
        for label, call in chosen(profile.in_place):
            yield trial("in-place", label, call, other)
    for label, call in chosen(profile.variants):
        for other in _spellings(op, text):
            yield trial("variant", label, call, other)
    if op.supports_out and dtype in (*DIFFERENTIATED, "int64"):
        for label, call in _with_out(key, calls, dtype, seed, graph, profile.out, device):
            yield trial("out", label, call)


def _samples(op, dtype: str, graph: bool, seed: int, device: str) -> Iterator:
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)  # op_db draws from the old generator
    samples = op.sample_inputs(device, getattr(torch, dtype), requires_grad=graph)
    for number, sample in enumerate(samples):
        yield f"{dtype} sample {number}", sample
        if number == 0 and isinstance(op, UnaryUfuncInfo) and sample.input.dim() == 1:
            yield f"{dtype} sample 0 as a matrix", sample.transform(_as_matrix)


def _as_matrix(value):
    """Returns a vector as a matrix: op_db's elementwise operators have no sample with two axes."""
    if not isinstance(value, torch.Tensor) or value.numel() % 4:
        return value
    return value.detach().reshape(4, -1).requires_grad_(value.requires_grad)


def _calls(op, dtype: str, graph: bool, seed: int, device: str) -> Iterator[tuple[str, Call]]:
    """Yields every sample as it is, with gaps in its memory, and in another order of memory."""
    for label, sample in _samples(op, dtype, graph, seed, device):
        for suffix, change in LAYOUTS.items():
            try:
                made = change(sample)
                yield label + suffix, describe((made.input, *made.args), made.kwargs)
            except (Unsupported, AttributeError, TypeError, RuntimeError):
                continue  # a sample without this layout


def _reordered(value):
    """Returns a tensor with its memory in another order, and with a storage offset."""
    if not isinstance(value, torch.Tensor) or value.numel() == 0:
        return value
    order = list(range(value.dim()))  # the first axis is the quickest in memory
    if len(order) in (4, 5):
        order = [1, *order[:1:-1], 0]  # channels last
    strides, step = [0] * value.dim(), 1
    for dim in order:
        strides[dim], step = step, step * value.size(dim)
    made = torch.zeros(value.numel() + 3, dtype=value.dtype, device=value.device)
    made = made.as_strided(value.shape, strides, 3).copy_(value.detach()).data
    return made.requires_grad_(value.requires_grad)


LAYOUTS = {
    "": lambda sample: sample,
    " (noncontiguous)": lambda sample: sample.noncontiguous(),
    " (reordered)": lambda sample: sample.transform(_reordered),
}


def _wants_gradient(call: Call) -> bool:
    return any(spec.requires_grad for spec in call.tensors)


def _spread(items: list, count: int) -> list:
    """Returns at most `count` items: the first, and others from everywhere; always the same."""
    if len(items) <= count or count == 0:
        return items[:count]
    others = random.Random(len(items)).sample(range(1, len(items)), count - 1)
    return [items[number] for number in sorted([0, *others])]


def _spellings(op, text: str) -> list[str]:
    """Returns the expressions of an operator's method, operator and aliases."""
    found = []
    method = getattr(op.method_variant, "__name__", None)
    if method is not None:
        found.append(f"torch.Tensor.{op.name if method == '<lambda>' else method}")
    if op.operator_variant is not None:
        found.append(f"operator.{op.operator_variant.__name__}")
    if op.inplace_operator_variant is not None:
        symbol = op.inplace_operator_variant.__name__
        found.append(f"lambda input, *args: operator.{symbol}(input.clone(), *args)")
    found += [f"torch.{alias.name}" for alias in op.aliases]
    return [spelling for spelling in dict.fromkeys(found) if spelling != text]


def _errors(key: str, profile: Profile, seed: int, device: str) -> Iterator[Trial]:
    op = operators()[key]
    text = expression(key, op.name)
    torch.manual_seed(seed)
    random.seed(seed)
    for number, given in enumerate(islice(op.error_inputs(device), profile.errors)):
        sample = given.sample_input
        try:
            call = describe((sample.input, *sample.args), sample.kwargs)
        except Unsupported:
            continue
        label = f"error input {number}"
        yield Trial("error", text, call, label, pattern=given.error_regex)


def _with_out(
    key: str, calls: list, dtype: str, seed: int, graph: bool, count: int, device: str
) -> Iterator[tuple[str, Call]]:
    """Yields calls with `out=`: right, empty, too large, strided, of another dtype, with grad."""
    from conformance.cases.experiments import Run

    op = operators()[key]
    text = expression(key, op.name)
    for label, sample in _spread(list(_samples(op, dtype, graph, seed, device)), count):
        call = dict(calls).get(label)
        if call is None or "out" in call.keywords:
            continue
        try:
            run = Run(torch, Trial("forward", text, call, label))
        except Exception:  # nothing to write into where torch itself refuses
            continue
        made = [output.detach() for output in run.outputs]
        if not made:
            continue
        for how, change in OUTS.items():
            if how == "strided" and op.name in WRITE_OUT_OF_BOUNDS:
                continue
            outs = [change(output) for output in made]
            keywords = {
                **{name: _without_grad(value) for name, value in sample.kwargs.items()},
                "out": outs[0] if isinstance(run.output, torch.Tensor) else tuple(outs),
            }
            arguments = tuple(_without_grad(each) for each in (sample.input, *sample.args))
            yield f"{label}, {how}", describe(arguments, keywords)


def _without_grad(value):
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_without_grad(item) for item in value)
    return value


def _filled(like: torch.Tensor, size=None, dtype=None) -> torch.Tensor:
    return torch.full(
        like.shape if size is None else size, 1, dtype=dtype or like.dtype, device=like.device
    )


def _another_dtype(like: torch.Tensor) -> torch.Tensor:
    other = torch.float64 if like.dtype is torch.float32 else torch.int64
    return _filled(like, dtype=torch.int32 if like.dtype is other else other)


# Torch 2.13 writes past the end of a strided `out=` with two batch dimensions, and dies of it.
WRITE_OUT_OF_BOUNDS = frozenset(("lu_unpack", "linalg.lu"))

OUTS = {
    "right size": _filled,
    "empty": lambda like: _filled(like, (0,)),
    "too large": lambda like: _filled(like, (*like.shape, 2)),
    "strided": lambda like: _filled(like, (*like.shape[::-1], 2))[..., 1].permute(
        tuple(range(like.dim())[::-1])
    ),
    "another dtype": _another_dtype,
    "with grad": lambda like: _filled(like).requires_grad_(
        like.is_floating_point() or like.is_complex()
    ),
}


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
