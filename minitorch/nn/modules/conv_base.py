"""The base of convolutions and transposed ones: checks, parameters and their late shapes."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn.modules.lazy import LazyModuleMixin
from minitorch.nn.modules.linear import reset_like_linear
from minitorch.nn.modules.module import Module
from minitorch.nn.uninitialized import UninitializedParameter

__all__: list[str] = []

_PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


class _ConvNd(Module):
    """The base of all convolutions: the checks, the parameters and the text of repr.

    weight: (out_channels, in_channels / groups, *kernel_size); of a transposed convolution
        (in_channels, out_channels / groups, *kernel_size).
    """

    __module__ = "torch.nn.modules.conv"
    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        _check(in_channels, out_channels, groups, stride, padding, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _both_sides(padding, kernel_size, dilation)
        options = {"device": device, "dtype": dtype}
        self.weight = Parameter(OPS.empty(_weight_shape(self), **options))
        if bias:
            self.bias = Parameter(OPS.empty(out_channels, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        """The output for `input`, by a weight and a bias that need not be the module's own."""
        raise NotImplementedError

    def reset_parameters(self) -> None:
        """Draws weight and bias anew."""
        reset_like_linear(self.weight, self.bias)

    def extra_repr(self) -> str:
        zeros, ones = (0,) * len(self.padding), (1,) * len(self.dilation)
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != zeros:
            text += f", padding={self.padding}"
        if self.dilation != ones:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _weight_shape(module: Any) -> tuple[int, ...]:
    first, second = (module.in_channels, module.out_channels)[:: 1 if module.transposed else -1]
    return (first, second // module.groups, *module.kernel_size)


def _check(
    in_channels: int, out_channels: int, groups: int, stride: Any, padding: Any, mode: str
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        known = {"same", "valid"}  # a set, which the text shows as it comes
        if padding not in known:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {known}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _PADDING_MODES:
        raise ValueError(
            f"padding_mode must be one of {_PADDING_MODES}, but got padding_mode='{mode}'"
        )


def _both_sides(padding: Any, kernel: Any, dilation: Any) -> list[int] | tuple[int, ...]:
    """The padding before and after each dimension, last dimension first, as F.pad takes it."""
    if padding == "valid":
        pairs = [(0, 0)] * len(kernel)
    elif padding == "same":
        totals = [d * (k - 1) for d, k in zip(dilation, kernel)]
        pairs = [(total // 2, total - total // 2) for total in totals]
    else:
        pairs = [(p, p) for p in padding]
    sides = [n for pair in reversed(pairs) for n in pair]
    return sides if isinstance(padding, str) else tuple(sides)


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that takes in_channels from its first input."""

    __module__ = "torch.nn.modules.conv"

    def __init__(
        self: Any,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        # Without parameters, which would be overwritten.
        rest = (kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        LazyModuleMixin.__init__(self, 0, 0, *rest)
        self._leave_open(out_channels, bias, device, dtype)

    def _leave_open(self: Any, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self: Any) -> None:
        """Draws weight and bias anew, once they have a shape."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self: Any, input: Any, *args: Any, **kwargs: Any) -> None:
        """Takes in_channels from `input` and draws the parameters."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(_weight_shape(self))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self: Any, input: Any) -> int:
        rank = self._get_num_spatial_dims() + 2
        if input.dim() not in (rank - 1, rank):
            raise RuntimeError(
                f"Expected {rank - 1}D (unbatched) or {rank}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        return input.shape[input.dim() - rank + 1]

    def _get_num_spatial_dims(self: Any) -> int:
        return self._spatial_dims
