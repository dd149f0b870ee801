"""The device of both libraries' tensors: the CPU, a CUDA device, or a stand-in for one.

The stand-in needs no GPU: minitorch's tensors then hold arrays that refuse to be taken for NumPy's
(tests/strict_array.py), and are compared with torch's on the CPU. It shows where the way for CUDA
touches the memory of the host, or asks of CuPy what it has not. cupy-on-host is CuPy itself on
memory of the host (tests/cupy_on_host), compared in the same way.
"""

import contextlib
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

DEVICES = ("cpu", "cuda", "stand-in", "cupy-on-host")

# The marks of a device in the printed text of its tensors, and those of the CPU.
NAMES = (
    (", device='cuda:0'", ""),
    (" (cuda:0)", ""),
    ("torch.cuda.", "torch."),
)
_TYPE = re.compile(r"\bCUDA(?=[A-Z][a-z]\w+Type\b)")  # of a tensor, in errors

_used = "cpu"


@contextlib.contextmanager
def using(name: str) -> Iterator[None]:
    """While it lasts, inputs are made on this device."""
    global _used
    before, _used = _used, name
    try:
        if name == "stand-in":
            from tests.strict_array import registered

            with registered():
                yield
        elif name == "cupy-on-host":
            from minitorch.core.sampling import philox

            philox.IN_USE[0] = False  # torch's numbers are those of the CPU
            yield
        else:
            yield
    finally:
        _used = before


def is_host() -> bool:
    """Returns whether both libraries work in memory of the host, and draw from its generator."""
    return _used == "cpu"


def place_of(torch: ModuleType) -> str:
    """Returns the device that this library's inputs are made on."""
    if _used in ("stand-in", "cupy-on-host"):
        return "cpu" if torch.__name__ == "torch" else "cuda"
    return _used


@contextlib.contextmanager
def made_there(torch: ModuleType) -> Iterator[None]:
    """While it lasts, tensors are made where this library's inputs are, unless they say where."""
    place = place_of(torch)
    if place == "cpu":
        yield
        return
    torch.set_default_device(place)
    try:
        with refused_at_once():
            yield
    finally:
        torch.set_default_device(None)


@contextlib.contextmanager
def refused_at_once() -> Iterator[None]:
    """While it lasts, cupy-on-host has the host look at indices before they are used.

    As with CUDA_LAUNCH_BLOCKING=1: what is wrong is refused by the call itself, in the CPU's words.
    """
    if _used != "cupy-on-host":
        yield
        return
    from minitorch.core.arrays import on_cupy_fused  # which needs CuPy

    before, on_cupy_fused.blocking = on_cupy_fused.blocking, True
    try:
        yield
    finally:
        on_cupy_fused.blocking = before


def without_place(text: str) -> str:
    """Returns printed text or an error, with the CPU's names of tensors for the device's."""
    if _used in ("cpu", "cuda"):
        return text
    for there, here in NAMES:
        text = text.replace(there, here)
    return _TYPE.sub("CPU", text)


def device_of(torch: ModuleType, name: str) -> str:
    """Returns the device that an argument names, which for the stand-in was written for the CPU."""
    return place_of(torch) if name == "cpu" else name


def placed(torch: ModuleType, tensor: Any) -> Any:
    """Returns a tensor of the host where the inputs are."""
    place = place_of(torch)
    return tensor if place == "cpu" else tensor.to(place)
