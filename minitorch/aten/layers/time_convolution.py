"""conv_tbc: convolution over the first of (time, batch, channels)."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import RAW
from minitorch.core.declare.families import operator
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import BOOL, USUAL


def check_sizes(self: Any, weight: Any, bias: Any, pad: int) -> None:
    for wrong, text in (
        (self.ndim != 3, "Input must have 3 dims: time, batch, in_channel"),
        (
            weight.ndim != 3,
            "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.",
        ),
        (bias.ndim != 1, "Bias must be 1-D"),
    ):
        if wrong:
            raise RuntimeError(text)
    if self.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.shape[2] != bias.shape[0]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    length = self.shape[0] + 2 * pad - weight.shape[0] + 1
    if length < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {length}: "
            f"{[length, self.shape[1], weight.shape[2]]}"
        )
    if self.dtype != weight.dtype:
        names = [dtypes.of(x).scalar_name for x in (self, weight)]
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {names[0]} and {names[1]}"
        )


def windows(F: Any, x: Any, width: int, pad: int) -> Any:
    """The input of each place of the result: (time, batch, channels * width)."""
    if pad < 0:
        x = F.narrow(x, 0, -pad, x.shape[0] + 2 * pad)
    parts = F.unfold(F.constant_pad_nd(x, (0, 0, 0, 0, max(pad, 0), max(pad, 0))), 0, width, 1)
    return F.reshape(parts, (*parts.shape[:2], parts.shape[2] * width))


def product(F: Any, x: Any, weight: Any, pad: int) -> Any:
    width, channels, outputs = weight.shape
    matrix = F.reshape(F.permute(weight, (1, 0, 2)), (channels * width, outputs))
    return F.matmul(windows(F, x, width, pad), matrix)


def conv_tbc_forward(xp: Any, self: Any, weight: Any, bias: Any, pad: int) -> Any:
    check_sizes(self, weight, bias, pad)
    return product(RAW, self, weight, pad) + bias


def conv_tbc_gradients(
    F: Any, grad: Any, self: Any, weight: Any, bias: Any, pad: int
) -> tuple[Any, Any, Any]:
    width, channels, outputs = weight.shape
    turned = F.transpose(F.flip(weight, (0,)), 1, 2)
    by_self = product(F, grad, turned, width - 1 - pad)
    parts = windows(F, self, width, pad)
    flat = F.reshape(parts, (-1, channels * width)), F.reshape(grad, (-1, outputs))
    by_weight = F.reshape(F.mm(F.t(flat[0]), flat[1]), (channels, width, outputs))
    by_bias = F.sum_dim_IntList(grad, (0, 1), False)
    return by_self, F.contiguous(F.permute(by_weight, (1, 0, 2))), by_bias


conv_tbc = operator(
    "conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
    doc="""The convolution of sequences whose first dimension is time.

    Args:
        input: floating, (T, N, C).
        weight: (kernel, C, O).
        bias: (O,).
        pad: zeros at both ends of the sequences.

    Returns:
        (T + 2 * pad - kernel + 1, N, O), of the dtype of `input`.

    Raises:
        RuntimeError: for shapes that do not go together.

    As torch.nn.functional.conv_tbc (ATen/native/ConvolutionTBC.cpp).
    """,
    node="ConvTbcBackward0",
    forward=conv_tbc_forward,
    kernel="addmm_impl_cpu_",
    knows=USUAL - BOOL,
    inputs=conv_tbc_gradients,
    real_gradients=True,
    on=("function",),
)
