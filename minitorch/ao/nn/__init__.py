"""torch.ao.nn: layers for quantization-aware training; those that hold integers are names alone."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch.ao.nn")
