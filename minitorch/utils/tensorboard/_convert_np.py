"""Values to show, as arrays."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.numbers.dtype import bfloat16, float16
from minitorch.core.tensor.tensor import Tensor


def make_np(x: Any) -> numpy.ndarray:
    """An array of `x`.

    Args:
        x: an array (returned as it is), a number (returned as an array of one), or a tensor on
            any device; of one on the meta device there is only a random number

    Raises: NotImplementedError for anything else.

    As torch.utils.tensorboard._convert_np.make_np.
    """
    if isinstance(x, numpy.ndarray):
        return x
    if numpy.isscalar(x):
        return numpy.array([x])
    if isinstance(x, Tensor):
        return numpy.random.randn(1) if x.device.type == "meta" else _prepare_pytorch(x)
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


def _prepare_pytorch(x: Any) -> numpy.ndarray:
    """The array of a tensor; NumPy has no bfloat16, which becomes float16."""
    if x.dtype == bfloat16:
        x = x.to(float16)
    return x.detach().cpu().numpy()
