"""Weights of convolutions in another order of memory."""

from __future__ import annotations

from typing import Any

from minitorch.nn.modules import conv

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _converted(module: Any, memory_format: Any, kinds: tuple[type, ...]) -> Any:
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """`module`, the weights of its two-dimensional convolutions in another order of memory.

    Args:
        module: any Module; transposed convolutions count too.
        memory_format: such as torch.channels_last.

    As torch.nn.utils.convert_conv2d_weight_memory_format.
    """
    return _converted(module, memory_format, (conv.Conv2d, conv.ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """`module`, the weights of its three-dimensional convolutions in another order of memory.

    Args:
        module: any Module; transposed convolutions count too.
        memory_format: such as torch.channels_last_3d.

    As torch.nn.utils.convert_conv3d_weight_memory_format.
    """
    return _converted(module, memory_format, (conv.Conv3d, conv.ConvTranspose3d))
