"""torch._nested_view_from_jagged and its like, where torch finds them."""

from __future__ import annotations

from minitorch.nested._internal.functions import (
    _nested_from_padded_tensor,
    _nested_get_lengths,
    _nested_get_max_seqlen,
    _nested_get_min_seqlen,
    _nested_get_offsets,
    _nested_get_ragged_idx,
    _nested_get_values,
    _nested_view_from_jagged,
)
from minitorch.nested._strided.creation import (
    _nested_compute_contiguous_strides_offsets,
    _nested_from_padded,
    _nested_from_padded_and_nested_example,
    _nested_tensor_from_mask,
    _nested_tensor_from_mask_left_aligned,
    _nested_tensor_from_tensor_list,
    _nested_view_from_buffer,
)

__all__ = [
    "_nested_compute_contiguous_strides_offsets",
    "_nested_from_padded",
    "_nested_from_padded_and_nested_example",
    "_nested_tensor_from_mask",
    "_nested_tensor_from_mask_left_aligned",
    "_nested_tensor_from_tensor_list",
    "_nested_view_from_buffer",
    "_nested_from_padded_tensor",
    "_nested_get_lengths",
    "_nested_get_max_seqlen",
    "_nested_get_min_seqlen",
    "_nested_get_offsets",
    "_nested_get_ragged_idx",
    "_nested_get_values",
    "_nested_view_from_jagged",
]
