"""The autograd.Function of CrossMapLRN2d."""

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
