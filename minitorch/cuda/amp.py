"""torch.cuda.amp: the older names of torch.amp."""

from importlib.util import find_spec

from minitorch import cuda
from minitorch.amp.deprecated import autocast_for, custom_bwd, custom_fwd, scaler_for
from minitorch.core.numbers.dtype import float16

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]

autocast = autocast_for("cuda", float16)
GradScaler = scaler_for("cuda")


def amp_definitely_not_available() -> bool:
    """Whether there is neither CUDA nor XLA."""
    return not (cuda.is_available() or find_spec("torch_xla"))
