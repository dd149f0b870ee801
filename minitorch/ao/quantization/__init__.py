"""torch.ao.quantization: training with numbers rounded to few bits, and what finds their ranges.

Modules that hold integers, and what converts a model to them, are names alone.
"""

from typing import Any

from minitorch._public import outlines
from minitorch.ao.quantization.fake_quantize import *  # noqa: F403
from minitorch.ao.quantization.fuse_modules import fuse_modules, fuse_modules_qat
from minitorch.ao.quantization.fuser_method_mappings import *  # noqa: F403
from minitorch.ao.quantization.observer import *  # noqa: F403
from minitorch.ao.quantization.observer import ObserverBase
from minitorch.ao.quantization.qconfig import *  # noqa: F403
from minitorch.ao.quantization.qconfig_mapping import *  # noqa: F403
from minitorch.ao.quantization.quant_type import QuantType
from minitorch.ao.quantization.quantization_mappings import *  # noqa: F403
from minitorch.ao.quantization.quantize import *  # noqa: F403
from minitorch.ao.quantization.stubs import DeQuantStub, QuantStub, QuantWrapper
from minitorch.ao.quantization.utils import is_per_channel as _is_per_channel

__getattr__, __dir__ = outlines.rest_of("torch.ao.quantization")

ObserverOrFakeQuantize = Any


def default_eval_fn(model: Any, calib_data: Any) -> None:
    """Calls a model with the inputs of pairs of inputs and targets, so that observers see them.

    Args:
        model: a Module.
        calib_data: the pairs.

    As torch.ao.quantization.default_eval_fn.
    """
    for data, _ in calib_data:
        model(data)


class _DerivedObserverOrFakeQuantize(ObserverBase):
    """An observer whose scale and zero point follow from those of others."""

    def __init__(
        self,
        dtype: Any,
        obs_or_fqs: list[Any],
        derive_qparams_fn: Any,
        quant_min: int | None = None,
        quant_max: int | None = None,
        qscheme: Any = None,
        ch_axis: int | None = None,
    ) -> None:
        super().__init__(dtype)
        self.obs_or_fqs = obs_or_fqs
        self.derive_qparams_fn = derive_qparams_fn
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.qscheme = qscheme
        self.ch_axis = ch_axis
        if _is_per_channel(self.qscheme) and self.ch_axis is None:
            raise AssertionError("Must provide a valid ch_axis if qscheme is per channel")

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x

    def calculate_qparams(self) -> Any:
        """The scale and the zero point that the function computes."""
        return self.derive_qparams_fn(self.obs_or_fqs)
