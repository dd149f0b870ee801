"""Functions of torch.autograd that its manual leaves out: the state of modes, shapes, tuples."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.grad_mode import _force_original_view_tracking, set_multithreading_enabled
from minitorch.core.tensor.tensor import Tensor


def is_multithreading_enabled() -> bool:
    """Whether backward may use threads of its own, as torch.autograd.set_multithreading_enabled."""
    return set_multithreading_enabled.variable.get()


def is_view_replay_enabled() -> bool:
    """Whether a view is replayed by the operators that made it, once its base was written."""
    return _force_original_view_tracking.variable.get()


def _tensor_or_tensors_to_tuple(tensors: Any, length: int) -> tuple[Any, ...]:
    """A Tensor or a sequence of them as a tuple; `length` times None for None."""
    if tensors is None:
        return (None,) * length
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
