"""FakeQuantizeBase: the ground of modules that round numbers in training. Of fake_quantize.py."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import minitorch as torch
from minitorch.ao.quantization._observer_base import _with_args


class FakeQuantizeBase(ABC, torch.nn.Module):
    """A module that rounds numbers to a grid, and may observe them to find it.

    Both can be switched off, by buffers, so that they stay off in a state that is loaded.

    As torch.ao.quantization.fake_quantize.FakeQuantizeBase.
    """

    __module__ = "torch.ao.quantization.fake_quantize"

    fake_quant_enabled: Any
    observer_enabled: Any

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x: Any) -> Any:
        """`x`, rounded."""

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """The scale and the zero point for what was seen."""

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Lets numbers be rounded, or not.

        Args:
            enabled: whether they are.
        """
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Lets numbers pass as they are."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Lets numbers be observed, or not.

        Args:
            enabled: whether they are.
        """
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Keeps the grid as it is."""
        self.enable_observer(False)

    @classmethod
    def with_args(cls, **kwargs: Any) -> Any:
        """A maker of modules of this class, with some of the arguments."""
        made = _with_args(cls, **kwargs)
        made.__module__ = "torch.ao.quantization.fake_quantize"  # as torch has it, for pickles
        return made
