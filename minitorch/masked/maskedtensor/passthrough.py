"""Operators that do the same to data and mask: views, indexing, and joining."""

from __future__ import annotations

from typing import Any

from minitorch import ops
from minitorch.masked.maskedtensor.core import _map_mt_args_kwargs, _wrap_result

__all__: list[str] = []

_NAMES = """
    select transpose split t slice slice_backward select_backward index expand view _unsafe_view
    _reshape_alias cat unsqueeze unfold unfold_backward im2col col2im stack
"""
PASSTHROUGH_FNS = [getattr(ops.aten, name) for name in _NAMES.split() if hasattr(ops.aten, name)]


def _is_pass_through_fn(fn: Any) -> bool:
    return fn in PASSTHROUGH_FNS


def _apply_pass_through_fn(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """The MaskedTensors of the results of `fn` on data and on masks."""
    of_data, of_mask = [
        fn(*given, **named)
        for given, named in (
            _map_mt_args_kwargs(args, kwargs, lambda x: x.get_data()),
            _map_mt_args_kwargs(args, kwargs, lambda x: x.get_mask()),
        )
    ]
    return _wrap_result(of_data, of_mask)
