"""Operators with tensors that lie otherwise in memory: strides of results depend on it.

A key is an operator of op_db. Each of some samples is called with its tensors in other orders of
dimensions, and with gaps between their elements.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from conformance.cases.case import Case
from conformance.cases.reach import DRAW
from conformance.cases.refusals import called_at_once
from conformance.cases.sizes import is_taken
from conformance.cases.variations import Samples
from conformance.options import Options
from conformance.oracle.describe import Call, Unsupported, describe

LEFT_OUT = {
    "masked.logsumexp": "the stride of a dimension of length 1, by the order of equal strides",
    "mode": "as median",
    "median": "which of equal elements it finds, in rows that are one in memory, depends on it",
    "nanmedian": "as median",
    "native_group_norm": "torch reads past the end of weights of one element",
    "_batch_norm_with_update": "what is left in running averages that are one element in memory",
    "pca_lowrank": "its nodes save singular vectors: the signs depend on LAPACK's blocks",
    "svd_lowrank": "its nodes save singular vectors: the signs depend on LAPACK's blocks",
}
LOOKED_AT = 40  # samples
COUNT = {"quick": 2, "full": 8}  # samples that are laid out in each way
MOST = 1 << 20  # elements of a result


def turned(x: torch.Tensor) -> torch.Tensor:
    """A copy whose first dimension is the fastest, as of a transposed matrix."""
    order = list(range(x.dim()))[::-1]
    return x.permute(order).contiguous().permute(order)


def swapped(x: torch.Tensor) -> torch.Tensor:
    """A copy whose last two dimensions are swapped in memory."""
    return x.mT.contiguous().mT if x.dim() > 1 else x


def by_channels(x: torch.Tensor) -> torch.Tensor:
    """A copy whose second dimension is the fastest, as of images."""
    return x.movedim(1, -1).contiguous().movedim(-1, 1) if x.dim() > 2 else x


def gapped(x: torch.Tensor) -> torch.Tensor:
    """A copy with unused memory behind each element."""
    return torch.stack([x, x], -1).select(-1, 0) if x.dim() else x


def apart(x: torch.Tensor) -> torch.Tensor:
    """A copy with unused memory behind each row."""
    if not x.dim():
        return x
    return torch.cat([x, x], -1).narrow(-1, 0, x.shape[-1])


def lone(x: torch.Tensor) -> torch.Tensor:
    """A copy that repeats one row, by a stride of 0."""
    return x.narrow(0, 0, 1).clone().expand_as(x) if x.dim() and len(x) else x


ALL, FIRST, OTHERS = slice(None), slice(1), slice(1, None)
WAYS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], slice]] = {
    "all turned": (turned, ALL),
    "the first turned": (turned, FIRST),
    "the others turned": (turned, OTHERS),
    "all swapped": (swapped, ALL),
    "the first by channels": (by_channels, FIRST),
    "all by channels": (by_channels, ALL),
    "all with gaps": (gapped, ALL),
    "all with gaps between rows": (apart, ALL),
    "the first of one row": (lone, FIRST),
    "the others of one row": (lone, OTHERS),
}


def keys(options: Options) -> list[str]:
    """Returns every operator of op_db that runs at once."""
    return called_at_once(options, but=DRAW.union(LEFT_OUT))


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the calls of an operator with tensors that lie otherwise, and their gradients."""
    samples = Samples(key, options, LOOKED_AT)
    for way in WAYS:
        calls = ((label, _laid_out(samples.text, each, way)) for label, each in samples.all)
        changed = ((label, call) for label, call in calls if call is not None)
        for label, call in islice(changed, COUNT[options.profile]):
            yield from samples.trials(call, f"{label}, {way}")


def _laid_out(text: str, sample: Any, way: str) -> Call | None:
    """A call with tensors that lie otherwise; None if none does, or torch takes none such."""
    leaves, tree = tree_flatten(((sample.input, *sample.args), sample.kwargs))
    change, which = WAYS[way]
    places = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)][which]
    differs = False
    for i in places:
        x = leaves[i]
        if x.layout is torch.strided and x.numel():
            leaves[i] = change(x.detach()).requires_grad_(x.requires_grad)
            differs |= leaves[i].stride() != x.stride()
    args, kwargs = tree_unflatten(leaves, tree)
    if not differs or not is_taken(text, args, kwargs, MOST):
        return None
    try:
        return describe(args, kwargs)
    except Unsupported:
        return None
