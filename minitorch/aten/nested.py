"""What tensors are asked that are nested: their sizes, and themselves with padding.

Nested tensors answer by themselves (minitorch/nested); others have no such kernels.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.core.declare.families import METHOD, composite
from minitorch.core.declare.wording.errors import no_kernel


@composite("to_padded_tensor", on=METHOD)
def to_padded_tensor(self: Any, padding: float, output_size: Any = None) -> NoReturn:
    """A dense tensor as large as the largest of a nested one, `padding` beyond their ends."""
    raise no_kernel("to_padded_tensor")


@composite("_nested_tensor_size", on=METHOD)
def _nested_tensor_size(self: Any) -> NoReturn:
    """The sizes of each of a strided nested tensor, as the rows of a tensor."""
    raise no_kernel("_nested_tensor_size")


@composite("_nested_tensor_strides", on=METHOD)
def _nested_tensor_strides(self: Any) -> NoReturn:
    """The strides of each of a strided nested tensor, as the rows of a tensor."""
    raise no_kernel("_nested_tensor_strides")


@composite("_nested_tensor_storage_offsets", on=METHOD)
def _nested_tensor_storage_offsets(self: Any) -> NoReturn:
    """Where in its buffer each of a strided nested tensor begins."""
    raise no_kernel("_nested_tensor_storage_offsets")
