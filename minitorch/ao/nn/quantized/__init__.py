"""torch.ao.nn.quantized: sums and products that are observed; layers of integers by name alone."""

from minitorch._public import outlines
from minitorch.ao.nn.quantized.modules import FloatFunctional, FXFloatFunctional

__getattr__, __dir__ = outlines.rest_of("torch.ao.nn.quantized")
