"""torch.jit._async: a call that runs apart, and the wait for it."""

from minitorch.futures import fork, wait

__all__ = ["fork", "wait"]
