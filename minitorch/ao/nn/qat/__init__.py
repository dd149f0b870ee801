"""torch.ao.nn.qat: layers whose weights are rounded in training."""

from minitorch._public import outlines
from minitorch.ao.nn.qat.modules import *  # noqa: F403

__getattr__, __dir__ = outlines.rest_of("torch.ao.nn.qat")
