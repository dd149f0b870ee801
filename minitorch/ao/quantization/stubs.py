"""torch.ao.quantization.stubs: places in a model where numbers are to become integers, and back."""

from __future__ import annotations

from typing import Any

from minitorch import nn

__all__ = ["QuantStub", "DeQuantStub", "QuantWrapper"]


class QuantStub(nn.Module):
    """Returns its input, which an observer sees; later it is to become integers there.

    Args:
        qconfig: the QConfig of the observer; None for that of the model.

    As torch.ao.quantization.QuantStub.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x


class DeQuantStub(nn.Module):
    """Returns its input; later it is to become floating-point numbers there.

    Args:
        qconfig: not used.

    As torch.ao.quantization.DeQuantStub.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """`x`."""
        return x


class QuantWrapper(nn.Module):
    """A module between a QuantStub and a DeQuantStub.

    Args:
        module: the module.

    As torch.ao.quantization.QuantWrapper.
    """

    quant: QuantStub
    dequant: DeQuantStub
    module: nn.Module

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """The output of the module for `X`."""
        return self.dequant(self.module(self.quant(X)))
