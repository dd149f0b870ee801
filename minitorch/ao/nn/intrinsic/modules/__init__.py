"""torch.ao.nn.intrinsic.modules: layers in a row."""

from minitorch.ao.nn.intrinsic.modules.fused import *  # noqa: F403
from minitorch.ao.nn.intrinsic.modules.fused import __all__, _FusedModule
