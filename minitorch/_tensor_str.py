"""torch._tensor_str: how tensors are printed, under the name at which programs find it."""

from minitorch.core.tensor.printing import (
    PRINT_OPTS,
    get_printoptions,
    printoptions,
    set_printoptions,
)
from minitorch.core.tensor.printing import tensor_repr as _str

__all__ = ["PRINT_OPTS", "_str", "get_printoptions", "printoptions", "set_printoptions"]
