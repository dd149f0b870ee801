"""torch.signal: windows."""

from minitorch.signal import windows as windows

__all__ = ["windows"]
