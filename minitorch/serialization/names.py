"""The names that files give to functions and classes, and the objects under these names here."""

from __future__ import annotations

import importlib
import sys
from collections import Counter, OrderedDict
from typing import Any

from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import device
from minitorch.core.numbers.size import Size
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.pickling import rebuild_meta
from minitorch.core.tensor.storage import UntypedStorage
from minitorch.core.tensor.tensor import Tensor
from minitorch.serialization import storages

REBUILDING = {
    f"torch._utils._{function.__name__}": function
    for function in (
        storages.rebuild_tensor,
        storages.rebuild_tensor_v2,
        storages.rebuild_tensor_v3,
        storages.rebuild_parameter,
        storages.rebuild_parameter_with_state,
        storages.rebuild_sparse_tensor,
    )
} | {
    "torch.serialization._get_layout": storages.get_layout,
    "torch._tensor._rebuild_from_type_v2": storages.rebuild_from_type_v2,
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild_meta,
}
WRITTEN = {function: name for name, function in REBUILDING.items()}
WRITTEN |= {storages.TYPES[d]: f"torch.{storages.TYPES[d].__name__}" for d in storages.TYPES}

# Of allowed builtins, what neither takes more memory than the file does nor runs a codec.
_CODECS = ("latin1", "latin-1", "utf-8", "ascii")


def encode(text: str, encoding: str = "utf-8") -> bytes:
    """The bytes that protocol 2 has as text."""
    if encoding not in _CODECS:
        raise ValueError(f"_codecs.encode: no encoding of checkpoints: {encoding!r}")
    return text.encode(encoding)


def to_bytearray(*parts: Any) -> bytearray:
    """A bytearray of bytes, or of text and its encoding."""
    if parts and not isinstance(parts[0], (bytes, str, list)):
        raise TypeError(f"bytearray: no contents but {type(parts[0]).__name__}")
    return bytearray(encode(*parts) if parts and isinstance(parts[0], str) else b"".join(parts[:1]))


ALLOWED: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.Size": Size,
    "torch.Tensor": Tensor,
    "torch.device": device,
    "_codecs.encode": encode,
    "builtins.bytearray": to_bytearray,
    "builtins.set": set,
    "builtins.complex": complex,
    **{f"torch.{type.__name__}": type for type in storages.TYPES.values()},
    **{f"torch.{each.name}": each for each in vars(dtypes).values() if type(each) is dtypes.dtype},
    **{f"torch.{each.name}": each for each in dtypes.FLOAT8},
    **REBUILDING,
}


def _module(own: str, module: str) -> Any:
    """A module of this library, or one that a program has put among those of torch."""
    try:
        return importlib.import_module(own)
    except ModuleNotFoundError:
        # Where both libraries are loaded, torch's modules are no program's.
        if module in sys.modules and sys.modules.get("torch") is sys.modules["minitorch"]:
            return sys.modules[module]
        raise


def found(module: str, name: str) -> Any:
    """The object that a trusted file names; for a name of torch, this library's object."""
    path = f"{module}.{name}"
    if path in REBUILDING or name in storages.DTYPES or path == "torch.storage.UntypedStorage":
        return ALLOWED[path]
    head, _, rest = module.partition(".")
    if head != "torch":
        raise LookupError(path)
    target = _module("minitorch" + (rest and "." + rest), module)
    for part in name.split("."):
        target = getattr(target, part)
    return target
