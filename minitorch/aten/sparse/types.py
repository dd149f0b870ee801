"""The types of sparse tensors of the time before layouts: torch.sparse.FloatTensor and its kin."""

from __future__ import annotations

from typing import Any

from minitorch.aten.sparse.creation import sparse_coo_tensor
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.wording.signatures import mismatch
from minitorch.core.numbers import device as devices
from minitorch.core.tensor import legacy

NAMES = {name: dtype for name, dtype in legacy.NAMES.items() if name != "BoolTensor"}

_SIGNATURES = (
    "*, torch.device device = None",
    "Tensor indices, Tensor values, *, torch.device device = None",
    "Tensor indices, Tensor values, tuple of ints size, *, torch.device device = None",
    "tuple of ints size, *, torch.device device = None",
)


class sparsetype(legacy.tensortype):
    """The type of the legacy types of sparse tensors."""

    __module__ = "torch"

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A sparse tensor of indices and values, which keep their dtype, or of a size, empty.

        TypeError for other arguments.
        """
        given = args
        if not all([isinstance(each, TensorBase) for each in args[:2]]):
            given = (args[0] if len(args) == 1 and type(args[0]) is not int else args,)
        refused = mismatch("new", _SIGNATURES, given, kwargs)
        if refused is not None:
            raise mismatch("new", _SIGNATURES, args, kwargs) or refused
        if len(given) > 1:
            return sparse_coo_tensor(*given, **kwargs)
        size = given[0] if given else (0,)
        return sparse_coo_tensor(size=size, dtype=cls.dtype, **kwargs)


sparsetype.__name__ = sparsetype.__qualname__ = "tensortype"  # torch has one type for all of them


class _Types(dict[str, sparsetype]):
    """These types by name, made when first asked for."""

    def __missing__(self, name: str) -> sparsetype:
        fields = {
            "__module__": "torch.sparse",
            "dtype": NAMES[name],
            "is_cuda": False,
            "layout": devices.sparse_coo,
        }
        made = self[name] = sparsetype(name, (), fields)
        return made


TYPES = _Types()
