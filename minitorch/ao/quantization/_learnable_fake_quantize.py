"""torch.ao.quantization._learnable_fake_quantize: rounding to a grid that gradients learn.

Esser et al., Learned Step Size Quantization, https://arxiv.org/abs/1902.08153.
"""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.ao.quantization._fake_quantize_base import FakeQuantizeBase
from minitorch.nn.parameter import Parameter

__all__: list[str] = []


class _LearnableFakeQuantize(FakeQuantizeBase):
    """Rounds numbers to a grid whose scale and zero point are Parameters.

    Args:
        observer: the class of an observer, for the time before they are learned.
        quant_min, quant_max: the ends of the grid.
        scale, zero_point: the first values of the Parameters.
        channel_len: the number of channels; -1 for one grid for all numbers.
        use_grad_scaling: whether gradients are scaled by 1 / sqrt(elements * quant_max).
        observer_kwargs: arguments of the observer.

    Raises:
        AssertionError: the ends are out of order or out of the range of the dtype.
    """

    def __init__(
        self,
        observer: Any,
        quant_min: int = 0,
        quant_max: int = 255,
        scale: float = 1.0,
        zero_point: float = 0.0,
        channel_len: int = -1,
        use_grad_scaling: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min >= quant_max:
            raise AssertionError("quant_min must be strictly less than quant_max.")
        self.quant_min = quant_min
        self.quant_max = quant_max
        observer_kwargs["quant_min"] = quant_min
        observer_kwargs["quant_max"] = quant_max
        self.use_grad_scaling = use_grad_scaling
        if channel_len == -1:
            count = 1
        elif isinstance(channel_len, int) and channel_len > 0:
            count = channel_len
        else:
            raise AssertionError("Channel size must be a positive integer.")
        self.scale = Parameter(torch.tensor([scale] * count))
        self.zero_point = Parameter(torch.tensor([zero_point] * count))
        self.activation_post_process = observer(**observer_kwargs)
        self.dtype = self.activation_post_process.dtype
        if torch.iinfo(self.dtype).min > quant_min:
            raise AssertionError("quant_min out of bound")
        if quant_max > torch.iinfo(self.dtype).max:
            raise AssertionError("quant_max out of bound")
        self.qscheme = self.activation_post_process.qscheme
        self.ch_axis = getattr(self.activation_post_process, "ch_axis", -1)
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("static_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("learning_enabled", torch.tensor([0], dtype=torch.uint8))
        levels = torch.tensor(quant_max - quant_min + 1).double()
        self.bitwidth = int(torch.log2(levels).item())
        self.register_buffer("eps", torch.tensor([torch.finfo(torch.float32).eps]))

    def _switch(self, learning: bool, rounding: bool, observing: bool) -> Any:
        learner = self.toggle_qparam_learning(enabled=learning)
        return learner.toggle_fake_quant(enabled=rounding).toggle_observer_update(enabled=observing)

    def enable_param_learning(self) -> Any:
        """Lets gradients learn the grid, and no longer observes. Returns the module itself."""
        self._switch(True, True, False)
        return self

    def enable_static_estimate(self) -> None:
        """Lets the observer find the grid."""
        self._switch(False, True, True)

    def enable_static_observation(self) -> None:
        """Lets the observer find the grid, and numbers pass as they are."""
        self._switch(False, False, True)

    def toggle_observer_update(self, enabled: bool = True) -> Any:
        """Lets numbers be observed, or not. Returns the module itself."""
        self.static_enabled[0] = int(enabled)
        return self

    def enable_observer(self, enabled: bool = True) -> None:
        """Lets numbers be observed, or not."""
        self.toggle_observer_update(enabled)

    def toggle_qparam_learning(self, enabled: bool = True) -> Any:
        """Lets gradients learn the grid, or not. Returns the module itself."""
        self.learning_enabled[0] = int(enabled)
        self.scale.requires_grad = enabled
        self.zero_point.requires_grad = enabled
        return self

    def toggle_fake_quant(self, enabled: bool = True) -> Any:
        """Lets numbers be rounded, or not. Returns the module itself."""
        self.fake_quant_enabled[0] = int(enabled)
        return self

    def observe_quant_params(self) -> None:
        """Prints the grid."""
        print(f"_LearnableFakeQuantize Scale: {self.scale.detach()}")
        print(f"_LearnableFakeQuantize Zero Point: {self.zero_point.detach()}")

    def calculate_qparams(self) -> Any:
        """The scale, and the zero point as integers."""
        self.scale.data.clamp_(min=self.eps.item())
        zero_point = self.zero_point.detach().round().clamp(self.quant_min, self.quant_max)
        return self.scale.detach(), zero_point.long()

    def forward(self, X: Any) -> Any:
        """`X` on the grid."""
        if self.static_enabled[0] == 1:
            self.activation_post_process(X.detach())
            scale, zero_point = self.activation_post_process.calculate_qparams()
            self.scale.data.copy_(scale.to(self.scale.device))
            self.zero_point.data.copy_(zero_point.to(self.zero_point.device))
        else:
            self.scale.data.clamp_(min=self.eps.item())
        if self.fake_quant_enabled[0] != 1:
            return X
        if self.qscheme in (torch.per_channel_symmetric, torch.per_tensor_symmetric):
            self.zero_point.data.zero_()
        factor = 1.0 / (X.numel() * self.quant_max) ** 0.5 if self.use_grad_scaling else 1.0
        grid = (self.scale, self.zero_point)
        if self.qscheme in (torch.per_channel_symmetric, torch.per_channel_affine):
            return torch._fake_quantize_learnable_per_channel_affine(
                X, *grid, self.ch_axis, self.quant_min, self.quant_max, factor
            )
        return torch._fake_quantize_learnable_per_tensor_affine(
            X, *grid, self.quant_min, self.quant_max, factor
        )
