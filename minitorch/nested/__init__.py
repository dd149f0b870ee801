"""torch.nested: batches of tensors of different sizes, strided and jagged.

The functions are imported when the first of them is asked for: they define a subclass of Tensor,
and from then on every operator asks its arguments for one.
"""

from importlib import import_module
from typing import Any

__all__ = [
    "to_padded_tensor",
    "as_nested_tensor",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "narrow",
    "masked_select",
]


def __getattr__(name: str) -> Any:
    if name in ("_internal", "_strided", "_makers"):
        return import_module(f"minitorch.nested.{name}")
    if name in __all__:
        globals().update(
            {each: getattr(import_module("minitorch.nested._makers"), each) for each in __all__}
        )
        return globals()[name]
    raise AttributeError(f"module 'torch.nested' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "_internal"])
