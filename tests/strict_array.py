"""minitorch's way for CUDA where there is no CUDA: its namespace of CuPy over a strict stand-in.

`strict` is the namespace over CuPy (core/arrays/on_cupy.py), loaded over tests/strict_cupy.py in
place of CuPy. Inside `registered()` tensors may hold StrictArrays; they say device cuda:0.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType
from unittest import mock

from minitorch.core import arrays
from minitorch.core.arrays import DEVICE_ARRAYS, NAMESPACES, on_numpy
from tests.strict_cupy import StrictArray, delegated, modules

__all__ = ["StrictArray", "registered", "strict"]

_PARTS = "ufunc repeated bfloat16 source faults plain rows windows products steps fused".split()
_OURS = ["on_cupy", *[f"on_cupy_{part}" for part in _PARTS]]
_CUPY = modules()


def over_strict_arrays() -> ModuleType:
    """The namespace over CuPy, loaded over the stand-in; what reads memory is NumPy's."""
    names = [f"{arrays.__name__}.{name}" for name in _OURS]
    loaded = {name: vars(arrays).pop(name) for name in _OURS if name in vars(arrays)}
    with mock.patch.dict(sys.modules, _CUPY):
        for name in names:
            sys.modules.pop(name, None)
        xp = importlib.import_module(names[0])
    for name in _OURS:
        vars(arrays).pop(name, None)
    vars(arrays).update(loaded)
    for name in ("strided", "empty_strided", "storage", "expand", "block", "pointer"):
        setattr(xp, name, delegated(getattr(on_numpy, name)))
    xp.to_numpy = lambda x: x._held
    # Kernels for a GPU run nowhere else: tests/cupy_on_host is for that.
    xp.fused, xp.matmul = None, _CUPY["cupy"].matmul
    return xp


strict = over_strict_arrays()


@contextlib.contextmanager
def registered() -> Iterator[None]:
    """While it lasts, `strict` is the namespace of StrictArrays and of the device cuda."""
    NAMESPACES[StrictArray] = strict
    cuda, arrays.cuda = arrays.cuda, lambda: strict
    before = set(sys.modules)
    held = {name: sys.modules[name] for name in _CUPY if name in before}
    devices = dict(DEVICE_ARRAYS)
    sys.modules.update(_CUPY)
    try:
        yield
    finally:
        arrays.cuda = cuda
        del NAMESPACES[StrictArray]
        DEVICE_ARRAYS.clear()
        DEVICE_ARRAYS.update(devices)
        # Modules loaded meanwhile stay, but for those loaded over the stand-in.
        over_stand_in = f"{arrays.__name__}.on_cupy"
        for name in {name for name in set(sys.modules) - before if name.startswith(over_stand_in)}:
            del sys.modules[name]
            vars(arrays).pop(name.rpartition(".")[2], None)
        for name in _CUPY:
            del sys.modules[name]
        sys.modules.update(held)
