"""torch.fx.experimental: what packages ask of tracers; the tracers themselves are names alone."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch.fx.experimental")
