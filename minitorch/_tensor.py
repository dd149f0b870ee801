"""torch._tensor: where torch's Python side has Tensor."""

from minitorch.core.tensor.tensor import Tensor

__all__ = ["Tensor"]
