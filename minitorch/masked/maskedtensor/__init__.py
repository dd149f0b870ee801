"""torch.masked.maskedtensor: MaskedTensor and the operators that it has, by kind."""

from __future__ import annotations

from minitorch.masked.maskedtensor.binary import _apply_native_binary, _is_native_binary
from minitorch.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from minitorch.masked.maskedtensor.passthrough import _apply_pass_through_fn, _is_pass_through_fn
from minitorch.masked.maskedtensor.reductions import _apply_reduction, _is_reduction
from minitorch.masked.maskedtensor.unary import _apply_native_unary, _is_native_unary

__all__ = [
    "MaskedTensor",
    "_apply_native_binary",
    "_apply_native_unary",
    "_apply_pass_through_fn",
    "_apply_reduction",
    "_is_native_binary",
    "_is_native_unary",
    "_is_pass_through_fn",
    "_is_reduction",
    "is_masked_tensor",
]
