"""torch.nn.parallel.replicate: copies of a module on several devices, which refuses."""

from __future__ import annotations

from typing import Any

from minitorch.nn.parallel import comm

__all__ = ["replicate"]


def replicate(network: Any, devices: Any, detach: bool = False) -> list[Any]:
    """Copies of a module on each of `devices`.

    Raises:
        AssertionError: for parameters on the CPU.
    """
    if not devices:
        return []
    for each in network.parameters():
        if each.device.type == "cpu":
            raise AssertionError("Broadcast function not implemented for CPU tensors")
    return comm.broadcast_coalesced(list(network.parameters()), devices)
