"""torch.distributed.elastic: what scripts of torchrun use of it; the rest is names alone."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch.distributed.elastic")
