"""Parameter and Buffer: tensors that a Module registers when they are assigned as attributes."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import LEAF
from minitorch.core.tensor.conversion import empty_tensor
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor, TensorMeta
from minitorch.nn.uninitialized import (
    UninitializedBuffer,
    UninitializedParameter,
    UninitializedTensorMixin,
    is_lazy,
)

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class _BufferMeta(TensorMeta):
    """Makes isinstance(t, Buffer) true for tensors that are marked as buffers."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta, watched=False):
    """A Tensor that a Module registers as a buffer when it is assigned as an attribute.

    Args:
        data: the Tensor it stands for; None for an empty one.
        persistent: whether state_dict holds it.

    Returns:
        A plain Tensor with the memory of `data`, marked.

    As torch.nn.Buffer.
    """

    __module__ = "torch.nn.parameter"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty_tensor()
        result = data.detach()
        if data.requires_grad:
            result._edge = LEAF
        result.persistent = persistent
        result._is_buffer = True
        return result
