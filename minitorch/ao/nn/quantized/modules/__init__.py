"""torch.ao.nn.quantized.modules: sums and products that are observed; layers by name alone."""

from minitorch._public import outlines
from minitorch.ao.nn.quantized.modules.functional_modules import (
    FloatFunctional,
    FXFloatFunctional,
)

__getattr__, __dir__ = outlines.rest_of("torch.ao.nn.quantized.modules")
