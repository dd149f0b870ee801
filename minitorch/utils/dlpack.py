"""torch.utils.dlpack: sharing memory with other libraries."""

from __future__ import annotations

import enum
from typing import Any

from minitorch import from_dlpack
from minitorch.core.declare.wording.signatures import takes_over, type_name
from minitorch.core.tensor.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The kinds of devices by their numbers in DLPack."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(tensor: Any, /) -> Any:
    """A DLPack capsule of the memory of a tensor."""
    if not isinstance(tensor, Tensor):
        given = type_name(tensor)
        if takes_over(tensor):
            raise TypeError(f"expected Tensor as argument 0, but got {given}")
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {given}")
    return tensor.detach().__dlpack__()
