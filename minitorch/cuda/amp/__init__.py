"""torch.cuda.amp: the older names of torch.amp."""

from minitorch.cuda.amp.autocast_mode import autocast, custom_bwd, custom_fwd
from minitorch.cuda.amp.common import amp_definitely_not_available
from minitorch.cuda.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]
