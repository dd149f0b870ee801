"""Tensors without numbers that tell of others: what a node of a traced graph notes of its value."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.overriding import disabled
from minitorch.core.tensor.tensor import Tensor


class FakeTensor(Tensor):
    """A tensor of dtype, shape and strides alone, which says that it lies on another's device."""

    __module__ = "torch._subclasses.fake_tensor"
    __torch_function__ = disabled

    @property
    def device(self) -> Any:
        """The device of the tensor that this one tells of."""
        return self.fake_device

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        shown = [f"FakeTensor(..., size={tuple(self.shape)}"]
        if self.dtype is not _default_dtype():
            shown.append(f"dtype={self.dtype}")
        if self.requires_grad:
            shown.append("requires_grad=True")
        return ", ".join(shown) + ")"

    __str__ = __repr__


def _default_dtype() -> Any:
    from minitorch import get_default_dtype

    return get_default_dtype()


def numberless(tensor: Tensor) -> FakeTensor:
    """A FakeTensor with a tensor's dtype, shape, strides and device."""
    from minitorch import empty_strided

    made = empty_strided(
        tuple(tensor.shape), tensor.stride(), dtype=tensor.dtype, device="meta"
    ).as_subclass(FakeTensor)
    made.fake_device = tensor.device
    return made
