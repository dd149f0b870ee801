"""torch.masked: reductions and normalisations under a mask, and MaskedTensor."""

from __future__ import annotations

from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.masked._ops import (
    _canonical_dim,
    _combine_input_and_mask,
    _input_mask,
    _output_mask,
    _reduction_identity,
    _where,
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    normalize,
    prod,
    softmax,
    softmin,
    std,
    sum,
    var,
)
from minitorch.masked.maskedtensor import _ops_refs as _ops_refs
from minitorch.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from minitorch.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

_PRIVATE = (  # which torch shows here as well
    *(_canonical_dim, _combine_input_and_mask, _input_mask, _output_mask, _reduction_identity),
    _where,
)

__all__ = [
    *("amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum"),
    *("is_masked_tensor", "log_softmax", "logaddexp", "logsumexp", "masked_tensor", "MaskedTensor"),
    *("mean", "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var"),
]


__getattr__ = _names_of("torch.masked")
