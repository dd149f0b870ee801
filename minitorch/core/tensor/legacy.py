"""The legacy types, older than dtypes: torch.FloatTensor, torch.LongTensor and the like.

They are not classes of tensors (every tensor is a Tensor): calling one makes a tensor of its dtype,
and isinstance compares a tensor's dtype and device.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import cuda
from minitorch.core.base.fields import TensorBase
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.conversion import legacy_constructor


class tensortype(type):
    """The type of the legacy types."""

    __module__ = "torch"
    dtype: Any
    is_cuda: bool
    layout: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        cls.check_device()
        x = legacy_constructor(cls.dtype, None, *args, **kwargs)
        return x.cuda() if cls.is_cuda else x

    def check_device(cls) -> None:
        """Raises TypeError for a CUDA type if there is no CUDA."""
        if cls.is_cuda:
            try:
                cuda()
            except AssertionError:
                raise TypeError(
                    f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with "
                    "CUDA enabled."
                ) from None

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, TensorBase)
            and instance._array.dtype == cls.dtype.numpy
            and instance.is_cuda == cls.is_cuda  # type: ignore[attr-defined]
            and instance.layout is cls.layout  # type: ignore[attr-defined]
        )


NAMES = {
    "FloatTensor": dtypes.float32,
    "DoubleTensor": dtypes.float64,
    "HalfTensor": dtypes.float16,
    "BFloat16Tensor": dtypes.bfloat16,
    "ByteTensor": dtypes.uint8,
    "CharTensor": dtypes.int8,
    "ShortTensor": dtypes.int16,
    "IntTensor": dtypes.int32,
    "LongTensor": dtypes.int64,
    "BoolTensor": dtypes.bool,
}


class _Types(dict[str, tensortype]):
    """The legacy types of a module by name, made at first use."""

    def __init__(self, module: str) -> None:
        self.module = module

    def __missing__(self, name: str) -> tensortype:
        fields = {
            "__module__": self.module,
            "dtype": NAMES[name],
            "is_cuda": self.module == "torch.cuda",
            "layout": devices.strided,
        }
        made = self[name] = tensortype(name, (), fields)
        return made


TYPES, CUDA_TYPES = _Types("torch"), _Types("torch.cuda")
