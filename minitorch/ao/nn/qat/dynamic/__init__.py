"""torch.ao.nn.qat.dynamic: layers in training whose inputs are later rounded at each call."""

from minitorch.ao.nn.qat.dynamic.modules import *  # noqa: F403
from minitorch.ao.nn.qat.dynamic.modules import __all__
