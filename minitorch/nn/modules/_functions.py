"""The autograd.Functions of CrossMapLRN2d, and of SyncBatchNorm with several processes."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.autograd.function import Function


class CrossMapLRN2d(Function):
    """input / (k + alpha / size * the sum of the squares of `size` channels) ** beta."""

    @staticmethod
    def forward(
        ctx: Any, input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1
    ) -> Any:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        ctx.size, ctx.alpha, ctx.beta = size, alpha, beta
        channels, ahead = input.size(1), int((size - 1) / 2 + 1)
        scale, output = torch.zeros_like(input), input.new().resize_as_(input)
        squares = torch.pow(input, 2, out=output)
        first = scale.select(1, 0)
        for c in range(min(ahead, channels)):
            first.add_(squares.select(1, c))
        for c in range(1, channels):  # a sum that runs along the channels
            current = scale.select(1, c)
            current.copy_(scale.select(1, c - 1))
            if c < channels - ahead + 1:
                current.add_(squares.select(1, c + ahead - 1))
            if c > ahead:
                current.add_(squares.select(1, c - ahead), alpha=-1)
        scale.mul_(alpha / size).add_(k)
        torch.pow(scale, -beta, out=output).mul_(input)
        ctx.scale = scale
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        input, output = ctx.saved_tensors
        size, channels = ctx.size, input.size(1)
        grad_input = torch.pow(ctx.scale, -ctx.beta).mul_(grad_output)
        padded = input.new_zeros((channels + size - 1, *input.shape[2:]))
        center = padded.narrow(0, int(size - (size - 1) / 2), channels)
        for n in range(input.size(0)):
            torch.mul(grad_output[n], output[n], out=center).div_(ctx.scale[n])
            total = torch.sum(padded.narrow(0, 0, size - 1), 0)
            for c in range(channels):
                total.add_(padded[c + size - 1])
                factor = -2 * ctx.alpha * ctx.beta / size
                grad_input[n][c].addcmul_(input[n][c], total, value=factor)
                total.add_(padded[c], alpha=-1)
        return grad_input, None, None, None, None


def _per_channel(values: Any, like: Any) -> Any:
    """A value a channel, in the shape that broadcasts against (N, C, *)."""
    return values.view(1, -1, *[1] * (like.dim() - 2))


def _other_dims(input: Any) -> list[int]:
    return [dim for dim in range(input.dim()) if dim != 1]


def _joined(means: Any, invstds: Any, counts: Any, eps: float) -> tuple[Any, Any]:
    """The mean of all values, and the sum of squares about it, from those of the processes.

    As ATen/native/cuda/Normalization.cuh, one process after the other.
    """
    mean, squares, before = torch.zeros_like(means[0]), torch.zeros_like(means[0]), 0.0
    for other, invstd, count in zip(means, invstds, counts.tolist()):
        apart = mean - other
        factor = 1.0 / (before + count)
        mean = before * factor * mean + count * factor * other
        squares = squares + (invstd.reciprocal().square() - eps) * count
        squares += apart.square() * (before * count * factor)
        before += count
    return mean, squares


class SyncBatchNorm(Function):
    """Batch normalisation over the batches of all processes of a group; any may be empty."""

    @staticmethod
    def forward(
        ctx: Any,
        input: Any,
        weight: Any,
        bias: Any,
        running_mean: Any,
        running_var: Any,
        eps: float,
        momentum: float,
        process_group: Any,
        world_size: int,
    ) -> Any:
        channels = input.size(1)
        count = input.numel() // channels
        if count == 1 and world_size < 2:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {count}"
            )
        half = input.dtype in (torch.float16, torch.bfloat16)
        wide = input.to(torch.float32) if half else input
        own = wide.new_zeros(2 * channels + 1)
        if count:
            dims = _other_dims(input)
            own[:channels] = wide.mean(dims)
            own[channels:-1] = (wide.var(dims, correction=0) + eps).rsqrt()
            own[-1] = count
        told = own.new_empty(world_size * own.numel())
        torch.distributed.all_gather_single(told, own, process_group)
        told = told.view(world_size, -1)
        told = told[told[:, -1] >= 1]
        counts = told[:, -1]
        mean, squares = _joined(told[:, :channels], told[:, channels:-1], counts, eps)
        total = counts.sum()
        if running_mean is not None:
            running_mean.lerp_(mean.to(running_mean.dtype), momentum)
        if running_var is not None:
            running_var.lerp_((squares / (total - 1)).to(running_var.dtype), momentum)
        invstd = (squares / total + eps).rsqrt()
        ctx.save_for_backward(input, weight, mean, invstd, total)
        ctx.process_group = process_group
        if not count:
            return torch.empty_like(input)
        result = (wide - _per_channel(mean, input)) * _per_channel(invstd, input)
        if weight is not None:
            result = result * _per_channel(weight, input)
        if bias is not None:
            result = result + _per_channel(bias, input)
        return result.to(input.dtype)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        input, weight, mean, invstd, total = ctx.saved_tensors
        wants_input, wants_weight, wants_bias = ctx.needs_input_grad[:3]
        grad = grad_output.to(mean.dtype)
        apart = input.to(mean.dtype) - _per_channel(mean, input)
        dims = _other_dims(input)
        sums = torch.stack([grad.sum(dims), (grad * apart).sum(dims)])
        grad_input = grad_weight = grad_bias = None
        if input.numel() and weight is not None and wants_weight:
            grad_weight = (sums[1] * invstd).to(weight.dtype)
        if input.numel() and weight is not None and wants_bias:
            grad_bias = sums[0].to(weight.dtype)
        if wants_input:
            sums = sums.clone()
            torch.distributed.all_reduce(sums, group=ctx.process_group)
            if input.numel():
                shift, slope = sums / total
                slope = slope * invstd.square()
                scale = invstd if weight is None else invstd * weight
                grad_input = grad - _per_channel(shift, input) - apart * _per_channel(slope, input)
                grad_input = (grad_input * _per_channel(scale, input)).to(input.dtype)
        return grad_input, grad_weight, grad_bias, *[None] * 6
