"""Operators with tensors that are larger than torch's samples: kernels may depend on the size.

A key is an operator of op_db. Some of its samples grow to several sizes: one length is multiplied
wherever it stands in a shape, until the largest tensor has about so many elements.
"""

import math
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from conformance.cases.case import Case
from conformance.cases.reach import DRAW, reach
from conformance.cases.refusals import called_at_once
from conformance.cases.variations import Samples
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe

SIZES = (300, 5_000, 40_000)  # elements
# With kernels as long as their inputs these take the square of a length: 30 s in torch for 40,000.
CONVOLUTIONS, LONGEST = "nn.functional.conv", 5_000
UNDETERMINED = {
    "bucketize": "the boundaries are not sorted any more",
    "searchsorted": "the sequence is not sorted any more",
    "linalg.cholesky_ex": "what is left of a matrix that is not positive definite",
    "corrcoef": "of two observations it is 1 or a bit less, where the gradient of clamp jumps",
    "pca_lowrank": "its nodes save singular vectors: the signs depend on LAPACK's blocks",
    "svd_lowrank": "its nodes save singular vectors: the signs depend on LAPACK's blocks",
}
MOST = 4  # times as many elements may a result have
MANY = 64  # tensors: more than these are results of torch.unbind and its kin
LOOKED_AT = 60  # samples
COUNT = {"quick": 1, "full": 4}  # samples that grow to each size


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db that runs at once."""
    return called_at_once(options, but=DRAW.union(UNDETERMINED))


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the calls of an operator with larger tensors, and their gradients."""
    samples = Samples(key, options, LOOKED_AT)
    for wanted in SIZES:
        if key.startswith(CONVOLUTIONS) and wanted > LONGEST:
            break
        calls = ((label, _larger(samples.text, each, wanted)) for label, each in samples.all)
        grown = ((label, call) for label, call in calls if call is not None)
        for label, call in islice(grown, COUNT[options.profile]):
            yield from samples.trials(call, f"{label}, {wanted} elements")


def _larger(text: str, sample: Any, wanted: int) -> Call | None:
    """A call with larger tensors as plain data; None if torch takes none, or they stay small."""
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    tensors = tensors_in((args, kwargs))
    largest = max(tensors, key=torch.Tensor.numel, default=torch.empty(0))
    for length in dict.fromkeys(largest.shape) if largest.numel() else ():
        most, taken, factor = _factor(tensors, length, wanted), None, 2
        while factor <= most:  # from small ones: results may grow with a power of it
            grow = partial(multiplied, length=length, factor=factor)
            larger = tree_map_only(torch.Tensor, grow, (args, kwargs))
            if not is_taken(text, *larger, MOST * wanted):
                break
            taken = larger
            factor = most if factor < most < 2 * factor else 2 * factor
        if taken is not None:
            try:
                return describe(*taken)
            except Unsupported:
                return None
    return None


def _factor(tensors: list[torch.Tensor], length: int, wanted: int) -> int:
    """The largest factor for a length with which no tensor has more elements than wanted."""
    if length < 2:
        return 1
    found = wanted
    for each in tensors:
        if times := list(each.shape).count(length):
            found = min(found, int((wanted / max(each.numel(), 1)) ** (1 / times) + 1e-9))
    return found


def is_taken(text: str, args: Any, kwargs: Any, most: int) -> bool:
    """Whether torch computes a call, and its results have no more elements than `most`."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        own = tree_map_only(torch.Tensor, lambda x: x.detach().clone(), (args, kwargs))
        try:
            results = reach(torch, text)(*own[0], **own[1])
        except Exception:
            return False
    sizes = [each.numel() for each in tensors_in(results)]
    return len(sizes) <= MANY and max(sizes, default=0) <= most


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Returns the tensors of arguments or results."""
    return [each for each in tree_leaves(value) if isinstance(each, torch.Tensor)]


def multiplied(x: torch.Tensor, length: int, factor: int) -> torch.Tensor:
    """Copies of a tensor side by side in each dimension of a length.

    Those of floats differ by up to a quarter, lest sorts and maxima meet nothing but equals.
    """
    if x.layout is not torch.strided or length not in x.shape:
        return x
    larger = x.detach().repeat([factor if n == length else 1 for n in x.shape])
    if larger.is_floating_point():
        draw = torch.Generator().manual_seed(math.prod(larger.shape))
        larger = larger * (1 - torch.rand(larger.shape, generator=draw).to(larger.dtype) / 4)
    return larger.requires_grad_(x.requires_grad)
