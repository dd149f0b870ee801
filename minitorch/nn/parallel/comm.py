"""torch.nn.parallel.comm: tensors between several GPUs, of which there are never more than one."""

from __future__ import annotations

from typing import Any, NoReturn


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"torch.nn.parallel.comm.{name} is not implemented by minitorch")


def broadcast(tensor: Any, devices: Any = None, *, out: Any = None) -> NoReturn:
    """Copies to several GPUs: refuses. RuntimeError unless one of `devices` and `out` is given."""
    if not ((devices is None) ^ (out is None)):
        raise RuntimeError(
            "Exactly one of 'devices' and 'out' must be specified, but got "
            f"devices={devices} and out={out}"
        )
    _refuse("broadcast")


def broadcast_coalesced(tensors: Any, devices: Any, buffer_size: int = 10485760) -> NoReturn:
    """Copies of several tensors to several GPUs: refuses."""
    _refuse("broadcast_coalesced")


def reduce_add(inputs: Any, destination: Any = None) -> NoReturn:
    """The sum of tensors of several GPUs: refuses. AssertionError for tensors on the CPU."""
    for i, each in enumerate(inputs):
        if each.device.type == "cpu":
            raise AssertionError(
                f"reduce_add expects all inputs to be on GPUs, but input {i} is on CPU"
            )
    _refuse("reduce_add")


def reduce_add_coalesced(
    inputs: Any, destination: Any = None, buffer_size: int = 10485760
) -> NoReturn:
    """The sums of tensors of several GPUs: refuses."""
    _refuse("reduce_add_coalesced")


def scatter(
    tensor: Any,
    devices: Any = None,
    chunk_sizes: Any = None,
    dim: int = 0,
    streams: Any = None,
    *,
    out: Any = None,
) -> NoReturn:
    """Parts of a tensor on several GPUs: refuses."""
    _refuse("scatter")


def gather(tensors: Any, dim: int = 0, destination: Any = None, *, out: Any = None) -> NoReturn:
    """One tensor from parts on several GPUs: refuses."""
    _refuse("gather")
