"""torch.cpu.amp.autocast_mode: the older names of torch.amp.autocast_mode."""

from minitorch.amp.deprecated import autocast_for
from minitorch.core.numbers.dtype import bfloat16

__all__ = ["autocast"]

autocast = autocast_for("cpu", bfloat16)
