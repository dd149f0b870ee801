"""Sliding windows as columns and back; channels to pixels and back, and among groups."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from operator import index
from typing import Any

from minitorch.aten.creation.copies import copied
from minitorch.aten.layers.convolution import laid_out_as
from minitorch.aten.layers.pooling import refuse_dtype
from minitorch.core.arrays import windows as kernels
from minitorch.core.declare.families import not_differentiable, operator
from minitorch.core.declare.row import LINEAR
from minitorch.core.numbers.dispatch import COMPLEX_HALF, EVERY, INTEGRAL, LATE_UNSIGNED


def check_lengths(**arguments: Any) -> None:
    """RuntimeError unless each has one number for the height and one for the width."""
    for name, value in arguments.items():
        if len(value) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")


def plain(*given: Any) -> Iterator[tuple[int, ...]]:
    """Sizes as tuples of ints: NumPy's integers would wrap around."""
    return (tuple(map(index, sizes)) for sizes in given)


def check_windows(kernel: Any, dilation: Any, padding: Any, stride: Any, stride_at: int) -> None:
    """RuntimeError for windows that are none. As ATen/native/im2col_shape_check.h."""
    checks = [
        ("kernel size", "kernel", kernel, 1),
        ("dilation", "dilation", dilation, 1),
        ("padding", "pad", padding, 0),
    ]
    checks.insert(stride_at, ("stride", "stride", stride, 1))
    for title, word, value, least in checks:
        if min(value) < least:
            wanted = "greater than zero" if least else "non-negative"
            raise RuntimeError(
                f"{title} should be {wanted}, but got {word}_height: {value[0]} "
                f"{word}_width: {value[1]}"
            )


def check_dtype(name: str, x: Any) -> None:
    """NotImplementedError for integers and for dtypes that NumPy only moves."""
    if x.dtype.kind in "iu" or x.dtype.names:
        refuse_dtype(f"{name}_out_cpu", x)


def pair(value: Any) -> str:
    """'(2, 3)', of a list too."""
    return f"({value[0]}, {value[1]})"


def im2col_forward(
    xp: Any, self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> Any:
    check_lengths(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    kernel_size, dilation, padding, stride = plain(kernel_size, dilation, padding, stride)
    check_windows(kernel_size, dilation, padding, stride, 3)
    if self.ndim < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-self.ndim}, {self.ndim - 1}], "
            f"but got {max(self.ndim, 1)})"
        )
    if self.ndim not in (3, 4) or 0 in self.shape[self.ndim - 3 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(self.shape)}"
        )
    image = self.shape[-2:]
    out = tuple(map(kernels.window_count, image, kernel_size, stride, padding, dilation))
    if min(out) < 1:
        raise RuntimeError(
            f"Given input with spatial size {pair(image)}, kernel_size={pair(kernel_size)}, "
            f"dilation={pair(dilation)}, padding={pair(padding)}, calculated shape of the array of "
            f"sliding blocks as {pair(out)}, but its components must be at least one."
        )
    check_dtype("im2col", self)
    geometry = (tuple(kernel_size), tuple(dilation), tuple(padding), tuple(stride))
    columns = kernels.im2col(xp, self if self.ndim == 4 else self[None], *geometry)
    return columns if self.ndim == 4 else columns.reshape(columns.shape[1:])


operator(
    "im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride)"
    " -> Tensor",
    node="Im2ColBackward0",
    forward=im2col_forward,
    kernel="im2col_out_cpu",
    knows=EVERY - INTEGRAL - COMPLEX_HALF - LATE_UNSIGNED,
    self=lambda F, grad, self_sym_argsize_minus_2, self_sym_argsize_minus_1, kernel_size, dilation,
    padding, stride: F.col2im(
        grad,
        (self_sym_argsize_minus_2, self_sym_argsize_minus_1),
        kernel_size,
        dilation,
        padding,
        stride,
    ),
    result=LINEAR,
    on=("F",),
)  # fmt: skip


def col2im_forward(
    xp: Any,
    self: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any,
    padding: Any,
    stride: Any,
) -> Any:
    check_lengths(
        output_size=output_size,
        kernel_size=kernel_size,
        dilation=dilation,
        padding=padding,
        stride=stride,
    )
    output_size, kernel_size, dilation, padding, stride = plain(
        output_size, kernel_size, dilation, padding, stride
    )
    check_windows(kernel_size, dilation, padding, stride, 1)
    if self.ndim not in (2, 3) or 0 in self.shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(self.shape)}"
        )
    planes, length = self.shape[-2:]
    if planes % prod(kernel_size):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={planes} and kernel_size={pair(kernel_size)}."
        )
    blocks = tuple(map(kernels.window_count, output_size, kernel_size, stride, padding, dilation))
    given = (
        f"Given output_size={pair(output_size)}, kernel_size={pair(kernel_size)}, "
        f"dilation={pair(dilation)}, padding={pair(padding)}, stride={pair(stride)}, "
    )
    if prod(blocks) != length:
        raise RuntimeError(
            f"{given}expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {blocks[0]} * {blocks[1]} = {prod(blocks)}, but got "
            f"input.size(2)={length}."
        )
    if min(blocks) < 1:
        raise RuntimeError(
            f"{given}calculated shape of the array of sliding blocks as {pair(blocks)}, which is "
            "too small (non-positive)"
        )
    if min(output_size) < 1:
        raise RuntimeError(
            "Expected output spatial size to be positive, but got: "
            f"output_size={pair(output_size)}."
        )
    check_dtype("col2im", self)
    geometry = (tuple(kernel_size), tuple(dilation), tuple(padding), tuple(stride))
    columns = self if self.ndim == 3 else self[None]
    image = kernels.col2im(xp, columns, tuple(output_size), *geometry)
    return image if self.ndim == 3 else image.reshape(image.shape[1:])


operator(
    "col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation,"
    " int[2] padding, int[2] stride) -> Tensor",
    node="Col2ImBackward0",
    forward=col2im_forward,
    kernel="col2im_out_cpu",
    knows=EVERY - INTEGRAL - COMPLEX_HALF - LATE_UNSIGNED,
    self=lambda F, grad, kernel_size, dilation, padding, stride: F.im2col(
        grad, kernel_size, dilation, padding, stride
    ),
    result=LINEAR,
    on=("F",),
)

# ---- channels to pixels and back, and among groups


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
    if not self.size:  # torch does not even change its shape
        return copied(self)
    if r == 1:
        return laid_out_as(xp, self.copy(order="C"), self)
    n = len(lead)
    x = self.reshape((*lead, channels, height // r, r, width // r, r))
    x = x.transpose((*range(n), n, n + 2, n + 4, n + 1, n + 3))
    shape = (*lead, channels * r * r, height // r, width // r)
    return laid_out_as(xp, x.copy(order="C").reshape(shape), self)


pixel_shuffle = operator(
    "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
    doc="""r * r channels in each place of r * r pixels.

    Args:
        input: (..., C * r * r, H, W).
        upscale_factor: r, positive.

    Returns:
        (..., C, H * r, W * r), of the dtype of `input`.

    Raises:
        RuntimeError: for fewer than three dimensions, channels that are no multiple of r * r, and a
            factor that is not positive.

    As torch.nn.functional.pixel_shuffle (ATen/native/PixelShuffle.cpp). Shi et al.,
    https://arxiv.org/abs/1609.05158.
    """,
    node="PixelShuffleBackward0",
    forward=pixel_shuffle_forward,
    kernel="pixel_shuffle",
    self=lambda F, grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor),
    result=LINEAR,
    on=("function",),
)

pixel_unshuffle = operator(
    "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
    doc="""The r * r pixels of each square as channels: pixel_shuffle the other way round.

    Args:
        input: (..., C, H * r, W * r).
        downscale_factor: r, positive.

    Returns:
        (..., C * r * r, H, W), of the dtype of `input`.

    Raises:
        RuntimeError: for fewer than three dimensions, an image whose sizes are no multiples of r,
            and a factor that is not positive.

    As torch.nn.functional.pixel_unshuffle (ATen/native/PixelShuffle.cpp).
    """,
    node="PixelUnshuffleBackward0",
    forward=pixel_unshuffle_forward,
    kernel="pixel_unshuffle",
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
    doc="""The first channel of each group, then the second of each, and so on.

    Args:
        input: (N, C, ...), with at least three dimensions.
        groups: how many there are, a divisor of C.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for fewer dimensions, and a number of groups that does not divide C.

    As torch.nn.functional.channel_shuffle (ATen/native/ChanelShuffle.cpp). Zhang et al.,
    https://arxiv.org/abs/1707.01083.
    """,
    node="ChannelShuffleBackward0",
    forward=channel_shuffle_forward,
    kernel="channel_shuffle",
    self=lambda F, grad, groups: F.channel_shuffle(grad, grad.shape[1] // groups),
    result=LINEAR,
    on=("function",),
)
operator(
    "native_channel_shuffle(Tensor self, SymInt groups) -> Tensor",
    doc="""The first channel of each group, then the second of each, and so on.

    Args:
        input: (N, C, ...), with at least three dimensions.
        groups: how many there are, a divisor of C.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for fewer dimensions, and a number of groups that does not divide C.

    As torch.native_channel_shuffle (ATen/native/ChanelShuffle.cpp). Zhang et al.,
    https://arxiv.org/abs/1707.01083.
    """,
    node="NotImplemented",
    forward=channel_shuffle_forward,
    kernel="channel_shuffle",
    self=not_differentiable("native_channel_shuffle"),
    on=("function",),
)
