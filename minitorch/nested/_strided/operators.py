"""The operators of strided nested tensors, as torch's kernels for NestedTensorCPU.

What is not in the tables has no kernel in torch, and is refused in its words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import minitorch as torch
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.nested._internal.above import above
from minitorch.nested._strided import elementwise, layers, shapes
from minitorch.nested._strided.gradients import row_for
from minitorch.nested._strided.tensor import NO_SIZES, StridedNested

Function = Callable[..., Any]

# By the names of torch's overloads: what computes them; by the names of functions that are made of
# others: what does them.
KERNELS: dict[str, Function] = {**elementwise.KERNELS, **shapes.KERNELS, **layers.KERNELS}
COMPOSED: dict[str, Function] = {**elementwise.COMPOSED, **shapes.COMPOSED, **layers.COMPOSED}
# Functions that torch composes without asking for sizes.
_PASSING = frozenset(
    """
    __bool__ __float__ __index__ __int__ __torch_function__ _cast_gradient alpha_dropout as_tensor
    atleast_3d bfloat16 bool byte char conj contiguous cpu data detach dim double float half int
    is_complex is_conj item is_floating_point is_neg is_nonzero is_same_size long mH mT numel
    positive requires_grad_ resolve_conj resolve_neg short softmax swapaxes swapdims to
    to_dense true_divide type type_as tensor transpose _typed_storage
    """.split()
)


# Overloads of numbers, where one row stands for both.
_OF_NUMBERS = {"clamp_.Tensor": "clamp_", "masked_fill_.Tensor": "masked_fill_.Scalar"}
# Which of them come to an operator that has no kernel for nested tensors.
_WITHOUT_KERNEL = {
    **{
        name: name
        for name in "allclose equal nan_to_num new_empty new_full new_ones new_zeros".split()
    },
    "broadcast_to": "expand",
    "constant_pad_nd": "constant_pad_nd",
    "conv1d": "convolution",
    "log_softmax": "_log_softmax",
    "log_sigmoid": "log_sigmoid_forward",
    "logsigmoid": "log_sigmoid_forward",
    "movedim": "permute",
    "pad": "constant_pad_nd",
    "unique": "_unique2",
    "prelu": "_prelu_kernel",
    "rrelu": "rrelu_with_noise",
    "selu": "elu",
    "square": "pow.Tensor_Scalar",
}


@cache
def _has_row(name: str) -> bool:
    return any(name in (row.name, row.inplace_name) for row in ROWS.values())


class _Functions(dict[str, Function]):
    """The composites for strided nested tensors: in torch most ask for sizes, and so refuse."""

    def get(self, name: str, default: Any = None) -> Any:
        """The function under a name, or one that refuses as torch does; None for rows."""
        found = dict.get(self, name)
        if found is not None or name in _PASSING or _has_row(name) or name.endswith("_like"):
            return found
        if name in _WITHOUT_KERNEL:
            return _without_kernel(_WITHOUT_KERNEL[name])
        return _refusing


def _without_kernel(name: str) -> Function:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise no_kernel(name, "NestedTensorCPU")

    return refuse


def _refusing(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(NO_SIZES)


def compute(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of an operator. NotImplementedError with torch's text if there is no kernel."""
    name = func.__name__
    found = KERNELS.get(name)
    if found is None and name == "any.dims" and len(args) > 1 and len(args[1]) == 1:
        name = "any.dim"
    elif found is None and not any(isinstance(x, torch.Tensor) for x in args[2:]):
        name = _OF_NUMBERS.get(name, name)
    if found is None:
        raise no_kernel(name.removesuffix(".default"), "NestedTensorCPU")
    return found(*args, **kwargs)


StridedNested._own_functions = _Functions(COMPOSED)
StridedNested._of_parts = staticmethod(shapes.of_parts)
StridedNested._split_backward = staticmethod(shapes.split_backward)
StridedNested._own_row = staticmethod(row_for)


above.compute = compute
