"""torch.cuda.nccl: NCCL through CuPy. Without it, or without a device, torch's errors say so.

cupy.cuda.nccl is imported when it is first asked for; CuPy's page of it is
https://docs.cupy.dev/en/stable/reference/cuda.html#nccl. Operations of one process on several
devices refuse: tensors live on the first device alone.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.util import find_spec
from typing import Any

from minitorch._public import outlines
from minitorch.core import arrays

__all__ = ["all_gather", "all_reduce", "broadcast", "reduce", "reduce_scatter"]


def library() -> Any:
    """The module cupy.cuda.nccl. ImportError without CuPy."""
    return importlib.import_module("cupy.cuda.nccl")  # start-up: few programs need it


def is_built() -> bool:
    """Whether CuPy is installed and finds NCCL."""
    if "cupy" not in sys.modules and find_spec("cupy") is None:
        return False
    try:
        with warnings.catch_warnings():  # CuPy's, of an NCCL that is not there
            warnings.simplefilter("ignore")
            return bool(library().available)
    except ImportError:
        return False


def is_usable() -> bool:
    """Whether CuPy finds NCCL and a device."""
    if not is_built():
        return False
    try:
        return int(arrays.cuda().cupy.cuda.runtime.getDeviceCount()) > 0
    except Exception:  # no device, or no driver
        return False


def is_available(tensors: Any) -> bool:
    """Whether NCCL can reduce tensors of several devices: it cannot, as there is one device."""
    if not is_built():
        warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
        return False
    devices = [each.get_device() for each in tensors]
    plain = all(each.is_cuda and not each.is_sparse and each.is_contiguous() for each in tensors)
    return plain and len(set(devices)) == len(devices)


def version() -> tuple[int, int, int]:
    """The version of NCCL, such as (2, 27, 3). AttributeError without it, as in torch."""
    if not is_built():
        raise AttributeError("module 'torch._C' has no attribute '_nccl_version'")
    number = library().get_version()
    # As NCCL_VERSION_CODE of nccl.h: 2708 of 2.7.8, 22703 of 2.27.3.
    base = 1000 if number < 10000 else 10000
    return number // base, number % base // 100, number % 100


def unique_id() -> bytes:
    """NCCL's id of a new communicator. AttributeError without NCCL, as in torch."""
    if not is_built():
        raise AttributeError("module 'torch._C' has no attribute '_nccl_unique_id'")
    return bytes(library().get_unique_id())


__getattr__, __dir__ = outlines.rest_of("torch.cuda.nccl")
