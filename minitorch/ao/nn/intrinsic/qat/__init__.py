"""torch.ao.nn.intrinsic.qat: rows of layers as one, whose weights are rounded in training."""

from minitorch.ao.nn.intrinsic.qat.modules import *  # noqa: F403
from minitorch.ao.nn.intrinsic.qat.modules import __all__
