"""Hooks of communication that send gradients as uint8, with a scale and a zero point each.

As torch's, they read what all_gather's future gives under NCCL: one tensor with those of all ranks.
Under gloo, whose future gives these one by one, they raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitorch
from minitorch.ao.quantization.observer import MinMaxObserver, PerChannelMinMaxObserver
from minitorch.distributed.buckets import GradBucket
from minitorch.distributed.distributed_c10d import _group_or_default_group, all_gather

__all__ = ["quantization_perchannel_hook", "quantization_pertensor_hook"]

Tensor = Any


def _quantize_per_tensor_backend(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    steps = minitorch.round(x / scale) + zero_point
    return minitorch.clamp(steps, 0, 255).to(minitorch.uint8)


def _dequantize_per_tensor_backend(y: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    return scale * (y.to(minitorch.float32) - zero_point)


def _quantize_per_channel_backend(x: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    steps = minitorch.zeros(x.size(), device=x.device)
    for i in range(x.size(0)):
        steps[i, :] = minitorch.round(x[i, :] / scale[i]) + zero_point[i]
    return minitorch.clamp(steps, 0, 255).to(minitorch.uint8)


def _dequantize_per_channel_backend(y: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
    y = y.to(minitorch.float32)
    x = minitorch.zeros_like(y)
    for i in range(x.size(0)):
        x[i, :] = scale[i] * (y[i, :] - zero_point[i])
    return x


def _get_allgather_out_list(all_gather_in_list: Tensor, world_size: int) -> list[Tensor]:
    return [minitorch.zeros_like(all_gather_in_list) for _ in range(world_size)]


def _averaged(
    group: Any,
    settings: Tensor,
    length: int,
    quantize: Callable[[Tensor, int], Tensor],
    dequantize: Callable[[Tensor, Tensor], Tensor],
) -> Any:
    """A future of the average over the ranks.

    Args:
        settings: this rank's scales and zero points, which all ranks get first.
        length: the number of elements of the gradients.
        quantize: (settings of all ranks, this rank) -> what it sends.
        dequantize: (what a rank sent, its settings) -> its gradients.
    """
    size, rank = group.size(), group.rank()
    of_all = _get_allgather_out_list(settings, size)

    def started(parts: list[Tensor], own: Tensor) -> Any:
        return all_gather(parts, own, group=group, async_op=True).get_future()  # type: ignore[union-attr]

    def send(future: Any) -> Any:
        own = quantize(future.wait()[0], rank)
        return started(_get_allgather_out_list(own, size), own).wait()

    def add(future: Any) -> Tensor:
        parts = future.wait()[0]
        total = minitorch.zeros_like(parts[0], dtype=minitorch.float32)
        for part, told in zip(parts, of_all):
            total += dequantize(part, told)
        return total.flatten()[:length] / size

    return started(of_all, settings).then(send).then(add)


def quantization_pertensor_hook(process_group: Any, bucket: GradBucket) -> Any:
    """Averages gradients that are sent as uint8, with one scale and zero point a bucket.

    Args:
        process_group: the ranks; None for all of the world.
        bucket: a GradBucket.

    Returns:
        A future of the averages.

    As torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks.quantization_pertensor_hook.
    """
    tensor = bucket.buffer()
    observer = MinMaxObserver().to(tensor.device)
    observer(tensor)
    scale, zero_point = observer.calculate_qparams()
    settings = minitorch.FloatTensor([scale, zero_point]).to(tensor.device)
    return _averaged(
        _group_or_default_group(process_group),
        settings,
        len(tensor),
        lambda told, rank: _quantize_per_tensor_backend(tensor, told[rank][0], told[rank][1]),
        lambda part, told: _dequantize_per_tensor_backend(part, told[0], told[1]),
    )


def quantization_perchannel_hook(
    process_group: Any, bucket: GradBucket, bucket_size: int = 512
) -> Any:
    """Averages gradients that are sent as uint8, with a scale and a zero point for some elements.

    Args:
        process_group: the ranks; None for all of the world.
        bucket: a GradBucket.
        bucket_size: for how many elements.

    Returns:
        A future of the averages.

    As torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks.quantization_perchannel_hook.
    """
    tensor = bucket.buffer()
    padding = bucket_size - len(tensor) % bucket_size
    channels = minitorch.nn.functional.pad(tensor, (0, padding)).view(-1, bucket_size)
    observer = PerChannelMinMaxObserver().to(tensor.device)
    observer(channels)
    settings = minitorch.stack(observer.calculate_qparams()).to(tensor.device)
    return _averaged(
        _group_or_default_group(process_group),
        settings,
        len(tensor),
        lambda told, rank: _quantize_per_channel_backend(
            channels, told[rank, 0, :], told[rank, 1, :]
        ),
        lambda part, told: _dequantize_per_channel_backend(part, told[0], told[1]),
    )
