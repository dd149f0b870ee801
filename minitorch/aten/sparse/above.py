"""Functions of modules above the one that calls them, each loaded when it is first called."""

from importlib import import_module
from typing import Any

_HOMES = {
    "empty_compressed": "compressed",
    "made_of_parts": "compressed_creation",
    "rebuild": "creation",
    "sparse_coo_tensor": "creation",
    "sparse_mask": "parts",
    "to_layout": "compressed_conversion",
    "with_values": "compressed",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"minitorch.aten.sparse.{_HOMES[name]}"), name)
    return globals().setdefault(name, value)
