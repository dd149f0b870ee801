"""torch.backends: which libraries do the work, and the switches that scripts set on them."""

from minitorch.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
