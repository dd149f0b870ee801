"""torch.ao.nn.quantizable: layers whose inner operators observers can see."""

from minitorch.ao.nn.quantizable.modules import *  # noqa: F403
from minitorch.ao.nn.quantizable.modules import __all__
