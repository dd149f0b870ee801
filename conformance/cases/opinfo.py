"""Trials from torch's own operator database: its samples, error inputs, and variants."""

import json
import random
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy
import torch

from conformance.cases.exact import EXACT
from conformance.cases.forward_mode import prepare_torch
from conformance.cases.reach import (
    DRAW,
    SAVE_UNINITIALISED,
    UNINITIALISED,
    expression,
    inplace_expression,
)
from conformance.cases.trial import Trial
from conformance.options import DIFFERENTIATED, DTYPES, Options
from conformance.oracle.describe import Call, Unsupported, describe


@dataclass(frozen=True)
class Profile:
    """The number of samples of an operator and dtype for each experiment, over all of them."""

    first: int  # of the first floating dtype that the operator has
    differentiated: int
    forward_only: int
    second: int
    in_place: int
    out: int
    variants: int
    errors: int


PROFILES = {
    "quick": Profile(8, 3, 3, 3, 2, 2, 2, 40),
    "full": Profile(300, 150, 60, 60, 40, 12, 10, 400),
}


@cache
def operators() -> dict:
    """Returns every operator of op_db by its key: its name, with its variant's after a dot.

    But for those of `torch.cuda.jiterator`, which the database itself makes for GPUs: they have no
    name in torch by which either library could be asked.
    """
    from conformance.cases.database import op_db  # takes seconds

    prepare_torch()
    with warnings.catch_warnings():  # torch imports these, with warnings, at the first make_dual
        warnings.simplefilter("ignore")
    return {
        f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op
        for op in op_db
        if not op.name.startswith("jiterator")
    }  # fmt: skip


@cache
def tiers() -> dict[str, str]:
    """Returns the tier of each key: how commonly small scripts use it."""
    content = json.loads((Path(__file__).parent / "tiers.json").read_text())
    return {key: tier for tier, keys in content.items() for key in keys}


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db, which is loaded here: before the processes part."""
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
    plain = op.name in UNINITIALISED or (device == "cuda" and op.name in DRAW)
    samples = list(samples_of(op, dtype, graph, seed, device))
    calls = Calls(samples)

    def chosen(count: int) -> list[tuple[str, Call]]:
        return calls.spread(count if limit is None else min(count, limit))

    def trial(
        experiment: str, label: str, call: Call, other: str = text, twice: bool = False
    ) -> Trial:
        saves = op.name in SAVE_UNINITIALISED
        exact = op.name in EXACT
        return Trial(experiment, other, call, label, dtype, plain, saves, twice=twice, exact=exact)

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
    if graph and op.supports_forward_ad:
        for label, call in chosen(profile.second):
            if _wants_gradient(call):
                yield trial("forward mode", label, call, twice=op.supports_fwgrad_bwgrad)
                if op.inplace_variant is not None:
                    other = inplace_expression(op.name, op.inplace_variant)
                    yield trial("forward mode in place", label, call, other)
    if first and not plain and tiers()[key] == "core":
        for label, call in chosen(profile.second):
            if call.tensors:
                yield trial("vmap", label, call)
    if op.inplace_variant is not None:
        other = inplace_expression(op.name, op.inplace_variant)
        for label, call in chosen(profile.in_place):
            yield trial("in-place", label, call, other)
    for label, call in chosen(profile.variants):
        for other in _spellings(op, text):
            yield trial("variant", label, call, other)
    if op.supports_out and dtype in (*DIFFERENTIATED, "int64"):
        for label, call in _with_out(text, op.name, samples, profile.out):
            yield trial("out", label, call)


def samples_of(op, dtype: str, graph: bool, seed: int, device: str) -> Iterator:
    from conformance.cases.database import UnaryUfuncInfo

    _seed(seed)
    kind = getattr(torch, dtype)
    given = op.sample_inputs(device, kind, requires_grad=graph, set_seed=False)
    for number, sample in enumerate(given):
        yield f"{dtype} sample {number}", sample
        if number == 0 and isinstance(op, UnaryUfuncInfo) and sample.input.dim() == 1:
            yield f"{dtype} sample 0 as a matrix", sample.transform(_as_matrix)


def _as_matrix(value):
    """Returns a vector as a matrix: op_db's elementwise operators have no sample with two axes."""
    if not isinstance(value, torch.Tensor) or value.numel() % 4:
        return value
    return value.detach().reshape(4, -1).requires_grad_(value.requires_grad)


class Calls:
    """Every sample as it is, with gaps in its memory, and in another order of memory.

    There are thousands for some operators, so each is described only when it is chosen.
    """

    def __init__(self, samples: Iterable[tuple[str, Any]]):
        self.candidates = [
            (label + suffix, sample, change)
            for label, sample in samples
            for suffix, change in LAYOUTS.items()
        ]
        self.order = list(range(1, len(self.candidates)))
        random.Random(len(self.candidates)).shuffle(self.order)
        self.described: dict[int, Call | None] = {}

    def spread(self, count: int) -> list[tuple[str, Call]]:
        """Returns at most `count`: the first, and others from everywhere; always the same."""
        order = [0, *self.order] if self.candidates else []
        possible = (number for number in order if self.call(number) is not None)
        return [
            (self.candidates[number][0], self.described[number])
            for number in sorted(islice(possible, count))
        ]

    def call(self, number: int) -> Call | None:
        """Returns the description of a candidate; None for a sample without this layout."""
        if number not in self.described:
            _, sample, change = self.candidates[number]
            try:
                made = change(sample)
                call = describe((made.input, *made.args), made.kwargs)
            except (Unsupported, AttributeError, TypeError, RuntimeError):
                call = None
            self.described[number] = call
        return self.described[number]


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
    _seed(seed)
    errors = op.error_inputs(device, set_seed=False)
    for number, given in enumerate(islice(errors, profile.errors)):
        sample = given.sample_input
        try:
            call = describe((sample.input, *sample.args), sample.kwargs)
        except Unsupported:
            continue
        label = f"error input {number}"
        yield Trial("error", text, call, label, pattern=given.error_regex)


def _with_out(
    text: str, name: str, samples: list[tuple[str, Any]], count: int
) -> Iterator[tuple[str, Call]]:
    """Yields calls with `out=`: right, empty, too large, strided, of another dtype, with grad."""
    from conformance.cases.experiments import Run

    others = random.Random(len(samples)).sample(samples[1:], max(min(len(samples), count) - 1, 0))
    for label, sample in [*samples[:1], *others]:
        if "out" in sample.kwargs:
            continue
        try:
            call = describe((sample.input, *sample.args), sample.kwargs)
            run = Run(torch, Trial("forward", text, call, label))
        except Exception:  # nothing to write into where torch itself refuses
            continue
        made = [output.detach() for output in run.outputs]
        if not made or (len(made) > 1 and text.startswith("torch.ops.")):
            continue  # the outputs of overloads have names of their own, which no `out=` gives
        for how, change in OUTS.items():
            if how == "strided" and name in WRITE_OUT_OF_BOUNDS and _has_two_batches(made):
                continue
            outs = [change(output) for output in made]
            keywords = {
                **{name: _without_grad(value) for name, value in sample.kwargs.items()},
                "out": outs[0] if isinstance(run.output, torch.Tensor) else tuple(outs),
            }
            arguments = tuple(_without_grad(each) for each in (sample.input, *sample.args))
            yield f"{label}, {how}", describe(arguments, keywords)


def _has_two_batches(outputs: list[torch.Tensor]) -> bool:
    return any(output.dim() > 3 for output in outputs)


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


# Torch 2.13 writes past the end of a strided `out=` with two batch dimensions, and dies of it:
# `apply_triu_tril` steps from batch to batch by the stride of the last batch dimension alone.
WRITE_OUT_OF_BOUNDS = frozenset(("tril", "triu", "lu_unpack", "linalg.lu"))

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


def _seed(seed: int) -> None:
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)  # op_db draws from the old generator


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
