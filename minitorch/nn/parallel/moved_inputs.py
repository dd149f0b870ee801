"""Inputs of a module on the device of its parameters."""

from __future__ import annotations

from typing import Any

import minitorch
from minitorch.nn.parallel.scatter_gather import _is_namedtuple
from minitorch.nn.utils.rnn import PackedSequence


def moved(value: Any, device: Any) -> Any:
    """A value with its tensors on a device: those that are there already are the same objects.

    Args:
        value: a tensor, or tuples, lists and dictionaries of values; others stay as they are.

    As torch.distributed.utils._recursive_to for one device.
    """
    if isinstance(value, (minitorch.Tensor, PackedSequence)):
        here = value.data.device if isinstance(value, PackedSequence) else value.device
        return value if here == device else value.to(device)
    if _is_namedtuple(value):
        return type(value)(*[moved(each, device) for each in value])
    if isinstance(value, tuple):
        return tuple([moved(each, device) for each in value])
    if isinstance(value, list):
        return [moved(each, device) for each in value]
    if isinstance(value, dict):
        return type(value)((key, moved(each, device)) for key, each in value.items())
    return value
