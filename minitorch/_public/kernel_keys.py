"""The dispatch keys that programs name when they register kernels, and where they do so."""

from __future__ import annotations

import sys
from typing import Any

from minitorch._C import DispatchKey
from minitorch.core.numbers import device as devices

_KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd"}
_UNLISTED = ("Tracer", "FPGA")  # known to torch's parser of keys alone
# Members of torch's enumeration that its parser of keys does not know: functionality by backend.
_UNPARSED = {
    "Quantized": "HIP XLA MPS IPU HPU VE Lazy MTIA MAIA PrivateUse2 PrivateUse3 Meta",
    "Sparse": "XLA IPU HPU Lazy MTIA MAIA PrivateUse2 PrivateUse3",
    "SparseCsr": "XLA IPU HPU Lazy MTIA MAIA PrivateUse2 PrivateUse3",
    "NestedTensor": "HIP XLA MPS IPU VE Lazy MTIA MAIA PrivateUse2 PrivateUse3",
    "Autograd": "HIP VE MTIA MAIA",
}
_REFUSED = frozenset(
    functionality + backend
    for functionality, backends in _UNPARSED.items()
    for backend in backends.split()
)


def is_dispatch_key(key: str) -> bool:
    """Whether torch knows a dispatch key by this name."""
    if key in _UNLISTED:
        return True
    named = key in DispatchKey.__members__ and key not in _REFUSED
    return named and not key.startswith(("StartOf", "EndOf"))


def check_dispatch_key(key: str) -> None:
    """RuntimeError in torch's words unless there is such a dispatch key."""
    if not is_dispatch_key(key):
        raise RuntimeError(f"could not parse dispatch key: {key}")


def key_of(kind: Any) -> str:
    """The dispatch key of a type of devices, "default" for all; itself if it is a key.

    RuntimeError in torch's words for neither.
    """
    if kind in _KEYS:
        return _KEYS[kind]
    if is_dispatch_key(kind):
        return str(kind)
    return devices.device(kind).type.upper()


def caller(depth: int) -> str:
    """The file and line of a calling frame, as torch's errors name places."""
    frame = sys._getframe(depth + 1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
