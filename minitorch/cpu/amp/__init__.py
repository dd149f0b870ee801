"""torch.cpu.amp: the older names of torch.amp."""

from minitorch.cpu.amp.autocast_mode import autocast
from minitorch.cpu.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast"]
