"""torch.ao.nn.qat.modules.conv: convolutions whose weights are rounded in training."""

from __future__ import annotations

from typing import Any

from minitorch import nn
from minitorch.ao.nn.intrinsic.modules.fused import _FusedModule
from minitorch.ao.nn.qat.modules._qconfigs import check_float, check_given, with_values
from minitorch.nn.modules.utils import _numbers

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


class _ConvNd(nn.modules.conv._ConvNd):
    _is_template = False
    _FLOAT_MODULE: Any
    _FLOAT_CONV_MODULE: Any
    qconfig: Any

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
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        nn.modules.conv._ConvNd.__init__(
            self,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            transposed,
            output_padding,
            groups,
            bias,
            padding_mode,
            **factory_kwargs,
        )
        check_given(qconfig)
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight(factory_kwargs=factory_kwargs)

    def forward(self, input: Any) -> Any:
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)

    @staticmethod
    def from_float(cls: Any, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, "
                f"got {type(mod).__name__}"
            )
        check_float(mod)
        if issubclass(type(mod), _FusedModule):
            mod = mod[0]
        made = cls(
            mod.in_channels,
            mod.out_channels,
            mod.kernel_size,
            stride=mod.stride,
            padding=mod.padding,
            dilation=mod.dilation,
            groups=mod.groups,
            bias=mod.bias is not None,
            padding_mode=mod.padding_mode,
            qconfig=mod.qconfig,
        )
        made.weight = mod.weight
        made.bias = mod.bias
        return made

    def to_float(self) -> Any:
        """A plain layer with the numbers of this one; with a ReLU, if this one has one."""
        cls: Any = type(self)
        conv = with_values(plain_convolution(self), self)
        if not issubclass(cls, _FusedModule):
            return conv
        if not hasattr(cls, "_FLOAT_RELU_MODULE"):
            raise AssertionError(f"{cls.__name__} must have _FLOAT_RELU_MODULE attribute")
        fused = cls._FLOAT_MODULE(conv, cls._FLOAT_RELU_MODULE())
        fused.train(self.training)
        return fused


def plain_convolution(layer: Any) -> Any:
    """A fresh convolution with the sizes of a layer."""
    return type(layer)._FLOAT_CONV_MODULE(
        layer.in_channels,
        layer.out_channels,
        layer.kernel_size,
        layer.stride,
        layer.padding,
        layer.dilation,
        layer.groups,
        layer.bias is not None,
        layer.padding_mode,
    )


def _init(name: str, n: int) -> Any:
    """The constructor of a class, which takes sizes as numbers or as tuples of `n`."""

    def __init__(
        self: Any,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        _ConvNd.__init__(
            self,
            in_channels,
            out_channels,
            _numbers(n, kernel_size),
            stride=_numbers(n, stride),
            padding=padding if isinstance(padding, str) else _numbers(n, padding),
            dilation=_numbers(n, dilation),
            transposed=False,
            output_padding=_numbers(n, 0),
            groups=groups,
            bias=bias,
            padding_mode=padding_mode,
            qconfig=qconfig,
            device=device,
            dtype=dtype,
        )

    __init__.__qualname__ = f"{name}.__init__"
    return __init__


class Conv1d(_ConvNd, nn.Conv1d):
    """nn.Conv1d whose weight is rounded to a grid at each call, by `qconfig`.

    As torch.ao.nn.qat.Conv1d.
    """

    _FLOAT_MODULE: Any = nn.Conv1d
    _FLOAT_CONV_MODULE: Any = nn.Conv1d

    __init__ = _init("Conv1d", 1)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:  # type: ignore[override]
        """A layer with the parameters of a plain one, which has a QConfig."""
        return super().from_float(cls, mod, use_precomputed_fake_quant=use_precomputed_fake_quant)


class Conv2d(_ConvNd, nn.Conv2d):
    """nn.Conv2d whose weight is rounded to a grid at each call, by `qconfig`.

    As torch.ao.nn.qat.Conv2d.
    """

    _FLOAT_MODULE: Any = nn.Conv2d
    _FLOAT_CONV_MODULE: Any = nn.Conv2d

    __init__ = _init("Conv2d", 2)

    def forward(self, input: Any) -> Any:
        """The convolution of `input` by the rounded weight."""
        return super().forward(input)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:  # type: ignore[override]
        """A layer with the parameters of a plain one, which has a QConfig."""
        return super().from_float(cls, mod, use_precomputed_fake_quant=use_precomputed_fake_quant)


class Conv3d(_ConvNd, nn.Conv3d):
    """nn.Conv3d whose weight is rounded to a grid at each call, by `qconfig`.

    As torch.ao.nn.qat.Conv3d.
    """

    _FLOAT_MODULE: Any = nn.Conv3d
    _FLOAT_CONV_MODULE: Any = nn.Conv3d

    __init__ = _init("Conv3d", 3)

    def forward(self, input: Any) -> Any:
        """The convolution of `input` by the rounded weight."""
        return super().forward(input)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:  # type: ignore[override]
        """A layer with the parameters of a plain one, which has a QConfig."""
        return super().from_float(cls, mod, use_precomputed_fake_quant=use_precomputed_fake_quant)
