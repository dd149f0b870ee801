"""Functions of torch.nn.functional that few programs use."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.nn import functional as F


def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """A sample of the softmax with Gumbel noise.

    Args:
        logits: floating, of any shape: logarithms of chances, up to a constant.
        tau: the temperature; the lower it is, the nearer a sample is to 1 and zeros.
        hard: whether to give 1 at the largest and 0 elsewhere, with the gradient of the soft
            sample.
        eps: has no effect; another value than the default gives a warning.
        dim: the dimension along which a sample sums up to 1.

    Returns:
        Of the shape and dtype of `logits`.

    Raises:
        IndexError: if `logits` has no dimension `dim`.
        RuntimeError: for integers.

    As torch.nn.functional.gumbel_softmax. Jang et al., https://arxiv.org/abs/1611.01144.
    """
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
    """input / (k + alpha * the mean square of `size` channels around) ** beta.

    Args:
        input: (N, C, *image), with at least one spatial axis.
        size: how many neighbouring channels count.
        alpha: the factor of their mean square.
        beta: the exponent.
        k: the summand.

    Returns:
        Of the shape of `input`.

    Raises:
        ValueError: for fewer than three dimensions.

    As torch.nn.functional.local_response_norm.
    """
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
    """AssertionError unless `arg` is an int or has two elements.

    Args:
        arg: what is checked.
        arg_name: its name, which takes the place of `{}` in `message`.
        message: the error's text.

    Returns:
        None.

    Raises:
        AssertionError: for a sequence of another length than two.
        TypeError: for what is neither an int nor has a length.

    As torch.nn.functional.assert_int_or_pair.
    """
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))
