"""Checks of the configurations that layers for quantization-aware training have."""

from __future__ import annotations

from typing import Any

import minitorch as torch


def check_given(qconfig: Any) -> None:
    """Checks that a layer is made with a QConfig. AssertionError otherwise."""
    if not qconfig:
        raise AssertionError("qconfig must be provided for QAT module")


def check_float(mod: Any, kind: str = "qconfig") -> None:
    """Checks that the layer of plain weights has a QConfig. AssertionError otherwise."""
    if not hasattr(mod, "qconfig"):
        raise AssertionError("Input float module must have qconfig defined")
    if not mod.qconfig:
        raise AssertionError(f"Input float module must have a valid {kind}")


def check_table(qconfig: Any, name: str) -> None:
    """Checks that the weights of a table are rounded by rows. AssertionError otherwise."""
    scheme = qconfig.weight().qscheme
    if scheme != torch.per_channel_affine_float_qparams:
        raise AssertionError(
            f"{name} weights requires a qscheme of torch.per_channel_affine_float_qparams Got "
            + str(scheme)
        )


def with_values(layer: Any, other: Any) -> Any:
    """A plain layer that has the numbers of the weight and the bias of another."""
    layer.weight = torch.nn.Parameter(other.weight.detach())
    if other.bias is not None:
        layer.bias = torch.nn.Parameter(other.bias.detach())
    return layer
