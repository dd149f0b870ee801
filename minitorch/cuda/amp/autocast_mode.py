"""torch.cuda.amp.autocast_mode: the older names of torch.amp.autocast_mode."""

from minitorch.amp.deprecated import autocast_for, custom_bwd, custom_fwd
from minitorch.core.numbers.dtype import float16

__all__ = ["autocast", "custom_bwd", "custom_fwd"]

autocast = autocast_for("cuda", float16)
