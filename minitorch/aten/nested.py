"""Methods that ask a nested tensor for its sizes, or for its values with padding.

Nested tensors override them (minitorch/nested); other tensors have no kernels for them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.core.declare.families import METHOD, composite
from minitorch.core.declare.wording.errors import no_kernel


@composite("to_padded_tensor", on=METHOD)
def to_padded_tensor(self: Any, padding: float, output_size: Any = None) -> NoReturn:
    """A dense tensor of the size of the largest component, filled up with `padding`."""
    raise no_kernel("to_padded_tensor")


@composite("_nested_tensor_size", on=METHOD)
def _nested_tensor_size(self: Any) -> NoReturn:
    """The sizes of the components of a strided nested tensor, as the rows of a tensor."""
    raise no_kernel("_nested_tensor_size")


@composite("_nested_tensor_strides", on=METHOD)
def _nested_tensor_strides(self: Any) -> NoReturn:
    """The strides of the components of a strided nested tensor, as the rows of a tensor."""
    raise no_kernel("_nested_tensor_strides")


@composite("_nested_tensor_storage_offsets", on=METHOD)
def _nested_tensor_storage_offsets(self: Any) -> NoReturn:
    """The offsets in the buffer at which the components of a strided nested tensor begin."""
    raise no_kernel("_nested_tensor_storage_offsets")
