"""torch.cpu.amp.grad_scaler: the older name of torch.amp.GradScaler."""

from minitorch.amp.deprecated import scaler_for

__all__ = ["GradScaler"]

GradScaler = scaler_for("cpu")
