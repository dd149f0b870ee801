"""torch.ao.nn.intrinsic: layers that are trained, and later computed, as one."""

from minitorch._public import outlines
from minitorch.ao.nn.intrinsic.modules import *  # noqa: F403
from minitorch.ao.nn.intrinsic.modules.fused import _FusedModule

__getattr__, __dir__ = outlines.rest_of("torch.ao.nn.intrinsic")
