"""What the distributions share."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

import minitorch as torch
from minitorch.overrides import is_tensor_like

_NUMBERS = (int, float)


def broadcast_all(*values: Any) -> Any:
    """Tensors and numbers as tensors of one shape; numbers of the first tensor's dtype."""
    if not all(is_tensor_like(v) or isinstance(v, _NUMBERS) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    first = next((v for v in values if isinstance(v, torch.Tensor)), None)
    like: dict[str, Any] = {"dtype": torch.get_default_dtype()}
    if first is not None:
        like = {"dtype": first.dtype, "device": first.device}
    tensors = [v if is_tensor_like(v) else torch.tensor(v, **like) for v in values]
    return torch.broadcast_tensors(*tensors)


def batch_shape(result: Any, *parameters: Any) -> Any:
    """The shape of `result`, or that of one number where all `parameters` were numbers."""
    numbers = all(isinstance(p, _NUMBERS) for p in parameters)
    return torch.Size() if numbers else result.size()


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Chances, of logarithms of odds if `is_binary`, else of chances."""
    return torch.sigmoid(logits) if is_binary else torch.nn.functional.softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Any:
    """`probs` kept away from 0 and 1."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """The inverse of logits_to_probs."""
    clamped = clamp_probs(probs)
    if is_binary:
        return torch.log(clamped) - torch.log1p(-clamped)
    return torch.log(clamped)


class lazy_property:
    """A value that is computed when it is first asked for, and then kept."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value
