"""torch._subclasses: fake tensors, which have a device and no numbers."""

from minitorch._public import outlines
from minitorch._subclasses.fake_tensor import (
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
)

__all__ = [
    "DynamicOutputShapeException",
    "FakeTensor",
    "FakeTensorMode",
    "UnsupportedFakeTensorException",
]

__getattr__, __dir__ = outlines.rest_of("torch._subclasses")
