"""torch.ao.quantization: training with numbers rounded to few bits, and what finds their ranges.

Modules that hold integers, and what converts a model to them, are names alone.
"""

from minitorch._public import outlines
from minitorch.ao.quantization.fake_quantize import *  # noqa: F403
from minitorch.ao.quantization.observer import *  # noqa: F403
from minitorch.ao.quantization.quant_type import QuantType

__getattr__, __dir__ = outlines.rest_of("torch.ao.quantization")
