"""functorch.einops: rearrange, as torch.func has it."""

from minitorch.func.rearranging import rearrange

__all__ = ["rearrange"]
