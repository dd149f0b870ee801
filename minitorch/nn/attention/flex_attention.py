"""The names of torch.nn.attention.flex_attention, which is not implemented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NAMES = (
    "BlockMask flex_attention AuxOutput AuxRequest FlexKernelOptions create_block_mask create_mask "
    "or_masks and_masks noop_mask"
)
__all__ = _NAMES.split()


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"torch.nn.attention.flex_attention.{name}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in __all__:
    globals()[_name] = _refusing(_name)
