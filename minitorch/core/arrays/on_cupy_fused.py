"""xp.fused: functions for which CUDA has a kernel of its own.

Kernels of core/arrays find them as `xp.fused`, which is None for other arrays.
"""

from __future__ import annotations

from typing import Any

import cupy

from minitorch.core.arrays import on_cupy_choices as choices
from minitorch.core.arrays import on_cupy_random as random
from minitorch.core.arrays import on_cupy_steps as steps
from minitorch.core.arrays.on_cupy_batches import (
    batch_norm,
    batch_norm_backward,
    takes_batch_norm,
)
from minitorch.core.arrays.on_cupy_faults import blocking
from minitorch.core.arrays.on_cupy_places import within
from minitorch.core.arrays.on_cupy_plain import Plain
from minitorch.core.arrays.on_cupy_rows import (
    attend,
    attend_backward,
    layer_norm,
    layer_norm_backward,
    lookup,
    lookup_backward,
    nll_loss,
    nll_loss_backward,
    softmax,
    softmax_backward,
    takes_layer_norm,
)
from minitorch.core.arrays.on_cupy_source import is_supported
from minitorch.core.arrays.on_cupy_windows import (
    correlate,
    max_pool,
    max_pool_backward,
    takes_windows,
    transposed,
    weight_gradient,
)

__all__ = [
    "attend",
    "attend_backward",
    "batch_norm",
    "batch_norm_backward",
    "blocking",
    "choices",
    "correlate",
    "gelu",
    "gelu_backward",
    "is_plain",
    "is_supported",
    "layer_norm",
    "layer_norm_backward",
    "lookup",
    "lookup_backward",
    "max_pool",
    "max_pool_backward",
    "nll_loss",
    "nll_loss_backward",
    "random",
    "silu",
    "silu_backward",
    "softmax",
    "steps",
    "softmax_backward",
    "takes_batch_norm",
    "takes_layer_norm",
    "takes_windows",
    "threshold_backward",
    "transposed",
    "weight_gradient",
    "within",
]

silu, silu_backward = Plain("silu"), Plain("silu_backward")
threshold_backward = Plain("threshold_backward")
_gelu = {"none": Plain("gelu"), "tanh": Plain("gelu_tanh")}
_gelu_backward = {"none": Plain("gelu_backward"), "tanh": Plain("gelu_tanh_backward")}


def is_plain(*arrays: Any) -> bool:
    """Whether arrays are of one shape and floating dtype, and lie row by row without gaps."""
    shape, dtype = arrays[0].shape, arrays[0].dtype
    return is_supported(arrays[0]) and all(
        [
            type(x) is cupy.ndarray
            and x.shape == shape
            and x.dtype == dtype
            and x.flags.c_contiguous
            for x in arrays
        ]
    )


def gelu(x: Any, approximate: str) -> Any:
    """x times the normal distribution function, or its approximation by tanh."""
    return _gelu[approximate](x)


def gelu_backward(grad: Any, x: Any, approximate: str) -> Any:
    """The gradient of `gelu`."""
    return _gelu_backward[approximate](grad, x)
