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

__all__ = [
    "_nested_from_padded_tensor",
    "_nested_get_lengths",
    "_nested_get_max_seqlen",
    "_nested_get_min_seqlen",
    "_nested_get_offsets",
    "_nested_get_ragged_idx",
    "_nested_get_values",
    "_nested_view_from_jagged",
]
