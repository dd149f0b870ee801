"""Operators with tensors that have nothing, or one of a thing: kernels divide by lengths.

A key is an operator of op_db. One length of some samples is cut to 0 or to 1, wherever it stands
in a shape. Strides of results are not looked at: no element, or just one, lies along them.
"""

from collections.abc import Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from conformance.cases.case import Case, Outcome
from conformance.cases.reach import DRAW
from conformance.cases.refusals import called_at_once
from conformance.cases.sizes import is_taken, tensors_in
from conformance.cases.trial import Trial
from conformance.cases.variations import Samples
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe

CRASHES = (  # of torch itself
    "_native_batch_norm_legit",
    "_segment_reduce.lengths",
    "_segment_reduce.offsets",
    "native_batch_norm",
    "nn.functional.ctc_loss",
)
LEFT_OUT = {
    "addmv": "torch resizes a result of its own, and warns of that",
    "cummax": "torch hands out the input itself as the gradient of nothing",
    "cummin": "as cummax",
    "cov": "torch writes into the input where one observation has a weight",
    "nn.functional.multi_margin_loss": "sums of no rows are what torch finds in memory",
    "nn.functional.multilabel_margin_loss": "sums of no rows are what torch finds in memory",
    "pca_lowrank": "its nodes save singular vectors: the signs depend on LAPACK's blocks",
    "svd_lowrank": "its nodes save singular vectors: the signs depend on LAPACK's blocks",
    "nn.functional.channel_shuffle": "torch hands out an alias of an input without elements",
}
LOOKED_AT = 60  # samples
COUNT = {"quick": 4, "full": 16}  # calls for each length
MOST = 1 << 20  # elements of a result


class ShortTrial(Trial):
    """A trial that does not look at strides."""

    @property
    def properties(self) -> frozenset[str]:
        """The properties that the experiment looks at."""
        return super().properties - {"stride"}

    def run(self, torch: ModuleType) -> Outcome:
        """Runs the experiment."""
        return without_strides(super().run(torch))


def without_strides(seen: Any) -> Any:
    """An outcome without strides, also those of gradients."""
    if isinstance(seen, dict):
        return {name: without_strides(each) for name, each in seen.items() if name != "stride"}
    return [without_strides(each) for each in seen] if type(seen) is list else seen


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db that runs at once."""
    return called_at_once(options, but=DRAW.union(LEFT_OUT, CRASHES))


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the calls of an operator with a length of 0 or 1, and their gradients."""
    samples = Samples(key, options, LOOKED_AT)
    for length in (0, 1):
        calls = (
            (label, call)
            for label, each in samples.all
            for call in _cut(samples.text, each, length)
        )
        for label, call in islice(calls, COUNT[options.profile]):
            yield from samples.trials(call, f"{label}, cut to {length}", ShortTrial)


def _cut(text: str, sample: Any, to: int) -> Iterator[Call]:
    """The calls in which a length of the largest tensor is cut, if torch takes them."""
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    largest = max(tensors_in((args, kwargs)), key=torch.Tensor.numel, default=torch.empty(0))
    for length in dict.fromkeys(largest.shape) if largest.numel() else ():
        if length <= to:
            continue
        cut = tree_map_only(torch.Tensor, lambda x, n=length: shortened(x, n, to), (args, kwargs))
        if is_taken(text, *cut, MOST):
            try:
                yield describe(*cut)
            except Unsupported:
                continue


def shortened(x: torch.Tensor, length: int, to: int) -> torch.Tensor:
    """A copy of a tensor whose dimensions of a length have another one."""
    cut = x.detach()
    for dim, n in enumerate(x.shape):
        if n == length:
            cut = cut.narrow(dim, 0, to)
    return cut.clone().requires_grad_(x.requires_grad)
