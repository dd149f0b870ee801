"""torch._library: what torch.library is written with, as far as programs use it."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch._library")
