"""Operators with numbers that samples seldom have: infinities, what is no number, zeros, extremes.

A key is an operator of op_db. Some numbers of some samples are replaced, in all tensors of floats.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from conformance.cases.case import Case
from conformance.cases.reach import DRAW
from conformance.cases.refusals import called_at_once
from conformance.cases.sizes import is_taken
from conformance.cases.variations import Samples
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe

LOOKED_AT = 40  # samples
COUNT = {"quick": 2, "full": 8}  # samples of each kind
MOST = 1 << 20  # elements of a result


def sprinkled(*numbers: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """A copy in which every third number is one of some, in turn."""

    def change(x: torch.Tensor) -> torch.Tensor:
        flat = x.reshape(-1).clone()
        places = range(0, flat.numel(), 3)
        for turn, i in enumerate(places):
            flat[i] = numbers[turn % len(numbers)]
        return flat.reshape(x.shape)

    return change


def equal(x: torch.Tensor) -> torch.Tensor:
    """A copy with two numbers only."""
    return torch.where(x.real > 0, 0.5, -0.5).to(x.dtype)


KINDS = {
    "nan": sprinkled(float("nan")),
    "inf": sprinkled(float("inf")),
    "-inf": sprinkled(float("-inf")),
    "infinities": sprinkled(float("inf"), float("-inf"), float("nan")),
    "zeros": sprinkled(0.0, -0.0),
    "units": sprinkled(1.0, -1.0),
    "tiny": sprinkled(1e-45, -1e-40),
    "huge": sprinkled(3e38, -1e30),
    "equal": equal,
}


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db that runs at once."""
    return called_at_once(options, but=DRAW)


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the calls of an operator with other numbers, and their gradients."""
    samples = Samples(key, options, LOOKED_AT)
    if samples.dtype != "float32":
        return
    for kind in KINDS:
        calls = ((label, _changed(samples.text, each, kind)) for label, each in samples.all)
        changed = ((label, call) for label, call in calls if call is not None)
        for label, call in islice(changed, COUNT[options.profile]):
            yield from samples.trials(call, f"{label}, {kind}")


def _changed(text: str, sample: Any, kind: str) -> Call | None:
    """A call with other numbers; None if torch takes none such."""
    change = KINDS[kind]

    def changed(x: torch.Tensor) -> torch.Tensor:
        if x.layout is not torch.strided or not (x.is_floating_point() or x.is_complex()):
            return x
        return change(x.detach()).requires_grad_(x.requires_grad)

    args, kwargs = tree_map_only(
        torch.Tensor, changed, ((sample.input, *sample.args), sample.kwargs)
    )
    if not is_taken(text, args, kwargs, MOST):
        return None
    try:
        return describe(args, kwargs)
    except Unsupported:
        return None
