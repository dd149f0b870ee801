"""Functions of torch.nn.functional that few programs use."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.nn import functional as F


def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """A sample of the softmax with Gumbel noise; 1 at its largest and 0 elsewhere if `hard`, with
    the same gradient."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -OPS.empty_like(logits).contiguous().exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    ones = OPS.zeros_like(logits).contiguous().scatter_(dim, index, 1.0)
    return ones - soft.detach() + soft


def local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    """input / (k + alpha * the mean square of `size` channels around) ** beta."""
    rank = input.dim()
    if rank < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {rank} "
            "dimensions)"
        )
    if input.numel() == 0:
        return input
    squares, around = input.mul(input), (size // 2, (size - 1) // 2)
    if rank == 3:
        squares = F.pad(squares.unsqueeze(1), (0, 0, *around))
        means = F.avg_pool2d(squares, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.size()
        squares = F.pad(squares.view(sizes[0], 1, *sizes[1:3], -1), (0, 0, 0, 0, *around))
        means = F.avg_pool3d(squares, (size, 1, 1), stride=1).squeeze(1).view(sizes)
    return input / means.mul(alpha).add(k).pow(beta)


def assert_int_or_pair(arg: Any, arg_name: str, message: str) -> None:
    """AssertionError unless `arg` is an int or has two elements."""
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))
