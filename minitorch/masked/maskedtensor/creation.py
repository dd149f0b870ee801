"""masked_tensor and as_masked_tensor, as torch.tensor and torch.as_tensor are to Tensor."""

from __future__ import annotations

from typing import Any

from minitorch.masked.maskedtensor.core import MaskedTensor

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> Any:
    """A MaskedTensor that is a leaf: `data` gets no gradient. For errors see MaskedTensor."""
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> Any:
    """A MaskedTensor whose gradients flow into `data`. For errors see MaskedTensor."""
    return MaskedTensor._from_values(data, mask)
