"""torch._tensor_str: how tensors are printed, under the name at which programs find it."""

from typing import Any

from minitorch.core.tensor.printing import (
    PRINT_OPTS,
    contents,
    get_printoptions,
    printoptions,
    set_printoptions,
)
from minitorch.core.tensor.printing import tensor_repr as _str

__all__ = ["PRINT_OPTS", "_str", "get_printoptions", "printoptions", "set_printoptions"]


def _tensor_str(self: Any, indent: int) -> str:
    """The numbers of a tensor in brackets; lines after the first begin with `indent` spaces."""
    return contents(self._array, indent) if self.numel() else "[]"
