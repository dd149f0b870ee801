"""torch.cpu.amp: the older names of torch.amp."""

from minitorch.amp.deprecated import autocast_for, scaler_for
from minitorch.core.numbers.dtype import bfloat16

__all__ = ["GradScaler", "autocast"]

autocast = autocast_for("cpu", bfloat16)
GradScaler = scaler_for("cpu")
