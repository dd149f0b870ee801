"""Channels to pixels and back, and among groups: pixel_shuffle and its kin."""

from __future__ import annotations

from typing import Any

from minitorch.aten.convolution import laid_out_as
from minitorch.aten.copies import copied
from minitorch.core.declare.families import operator
from minitorch.core.declare.row import LINEAR


def _check(name: str, factor_name: str, self: Any, factor: int) -> None:
    if self.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {self.ndim} "
            "dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {factor_name}, but got {factor}")


def pixel_shuffle_forward(xp: Any, self: Any, upscale_factor: int) -> Any:
    _check("pixel_shuffle", "upscale_factor", self, upscale_factor)
    *lead, channels, height, width = self.shape
    r = upscale_factor
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(lead)
    x = self.reshape((*lead, channels // (r * r), r, r, height, width))
    x = x.transpose((*range(n), n, n + 3, n + 1, n + 4, n + 2))
    shape = (*lead, channels // (r * r), height * r, width * r)
    return laid_out_as(xp, x.copy(order="C").reshape(shape), self)


def pixel_unshuffle_forward(xp: Any, self: Any, downscale_factor: int) -> Any:
    _check("pixel_unshuffle", "downscale_factor", self, downscale_factor)
    *lead, channels, height, width = self.shape
    r = downscale_factor
    for what, dim, size in (("height", -2, height), ("width", -1, width)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but "
                f"input.size({dim})={size} is not divisible by {r}"
            )
    if r == 1:
        return copied(self)
    n = len(lead)
    x = self.reshape((*lead, channels, height // r, r, width // r, r))
    x = x.transpose((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    shape = (*lead, channels * r * r, height // r, width // r)
    return laid_out_as(xp, x.copy(order="C").reshape(shape), self)


pixel_shuffle = operator(
    "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
    node="PixelShuffleBackward0",
    forward=pixel_shuffle_forward,
    self=lambda F, grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor),
    result=LINEAR,
    on=("function",),
)

pixel_unshuffle = operator(
    "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
    node="PixelUnshuffleBackward0",
    forward=pixel_unshuffle_forward,
    self=lambda F, grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor),
    result=LINEAR,
    on=("function",),
)


def channel_shuffle_forward(xp: Any, self: Any, groups: int) -> Any:
    if self.ndim <= 2:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes "
            f"{list(self.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    n, channels, *rest = self.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and "
            f"{groups} groups."
        )
    x = self.reshape((n, groups, channels // groups, *rest)).swapaxes(1, 2)
    return laid_out_as(xp, x.copy(order="C").reshape(self.shape), self)


channel_shuffle = operator(
    "channel_shuffle(Tensor self, SymInt groups) -> Tensor",
    node="ChannelShuffleBackward0",
    forward=channel_shuffle_forward,
    self=lambda F, grad, groups: F.channel_shuffle(grad, grad.shape[1] // groups),
    result=LINEAR,
    on=("function",),
)
