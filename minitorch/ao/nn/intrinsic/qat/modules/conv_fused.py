"""torch.ao.nn.intrinsic.qat.modules.conv_fused: convolutions with what follows them, in training.

A batch norm behind a convolution becomes part of it once the model is done. So the weight is
rounded with the factors of the batch norm, and the output divided by them again, so that the batch
norm sees what it would see. Jacob et al., https://arxiv.org/abs/1712.05877.
"""

from __future__ import annotations

import math
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn.intrinsic.modules import fused as nni
from minitorch.ao.nn.intrinsic.qat.modules._batch_norms import (
    WithBatchNorm,
    channel_shape,
    check_statistics,
    factors,
    scaled_weight,
    take_parameters,
)
from minitorch.ao.nn.qat.modules import conv as qat
from minitorch.ao.nn.qat.modules._qconfigs import check_float, check_given, with_values
from minitorch.nn import functional as F
from minitorch.nn import init
from minitorch.nn.modules.utils import _numbers
from minitorch.nn.parameter import Parameter
from minitorch.nn.utils import fuse_conv_bn_weights

__all__ = [
    "ConvBn1d",
    "ConvBnReLU1d",
    "ConvReLU1d",
    "ConvBn2d",
    "ConvBnReLU2d",
    "ConvReLU2d",
    "ConvBn3d",
    "ConvBnReLU3d",
    "ConvReLU3d",
    "update_bn_stats",
    "freeze_bn_stats",
]

_BN_CLASS_MAP: dict[int, Any] = {1: nn.BatchNorm1d, 2: nn.BatchNorm2d, 3: nn.BatchNorm3d}
# The names of the batch norm's parameters in states of the first version.
_OLD_NAMES = {
    "bn.weight": "gamma",
    "bn.bias": "beta",
    "bn.running_mean": "running_mean",
    "bn.running_var": "running_var",
    "bn.num_batches_tracked": "num_batches_tracked",
}


class _ConvBnNd(WithBatchNorm, nn.modules.conv._ConvNd, nni._FusedModule):
    _is_template = False
    _version = 2
    _FLOAT_MODULE: Any
    _FLOAT_BN_MODULE: Any
    _FLOAT_RELU_MODULE: Any
    _FUSED_FLOAT_MODULE: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,
        output_padding: Any,
        groups: int,
        bias: Any,
        padding_mode: str,
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
        dim: int = 2,
    ) -> None:
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
            False,
            padding_mode,
        )
        check_given(qconfig)
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = _BN_CLASS_MAP[dim](out_channels, eps, momentum, True, True)
        self.weight_fake_quant = self.qconfig.weight()
        if bias:
            self.bias = Parameter(torch.empty(out_channels))
        else:
            self.register_parameter("bias", None)
        self.start_statistics(freeze_bn)
        # Whether the convolution also runs with the plain weight, so that tiny factors of the
        # batch norm are not divided by.
        self._enable_slow_path_for_better_numerical_stability = False

    def reset_bn_parameters(self) -> None:
        """Draws the weight of the batch norm and the bias anew, and forgets the statistics."""
        super().reset_bn_parameters()
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)

    def _forward(self, input: Any) -> Any:
        if self._enable_slow_path_for_better_numerical_stability:
            return self._forward_slow(input)
        return self._forward_approximate(input)

    def _forward_approximate(self, input: Any) -> Any:
        """One convolution, whose output is divided by the factors of the running statistics."""
        factor, _ = factors(self)
        shape = channel_shape(self)
        weight = scaled_weight(self, factor)
        if self.bias is not None:
            zeros = torch.zeros_like(self.bias, dtype=input.dtype)
        else:
            zeros = torch.zeros(self.out_channels, device=weight.device, dtype=input.dtype)
        plain = self._conv_forward(input, weight, zeros) / factor.reshape(shape)
        if self.bias is not None:
            plain = plain + self.bias.reshape(shape)
        return self.bn(plain)

    def _forward_slow(self, input: Any) -> Any:
        """Two convolutions in training: the plain one gives the statistics of the batch."""
        if self.bn.running_var is None:
            raise AssertionError("self.bn.running_var must not be None")
        if self.bn.running_mean is None:
            raise AssertionError("self.bn.running_mean must not be None")
        bn, bias, shape = self.bn, self.bias, channel_shape(self)
        zeros = torch.zeros(self.out_channels, device=self.weight.device, dtype=input.dtype)
        if bn.training:
            plain = self._conv_forward(input, self.weight, zeros)
            with torch.no_grad():  # moves the statistics
                bn(plain if bias is None else plain + bias.reshape(shape))
        factor, deviation = factors(self)
        out = self._conv_forward(input, scaled_weight(self, factor), zeros)
        if bn.training:
            dims = [0, *range(2, len(self.weight.shape))]
            mean = plain.mean(dims)
            variance = torch.square(plain - mean.reshape(shape)).mean(dims)
            spread = torch.sqrt(variance + bn.eps)
            out *= (deviation / spread).reshape(shape)
        else:
            mean = bn.running_mean - (bias if bias is not None else 0)
            spread = deviation
        out += (bn.bias - bn.weight * mean / spread).reshape(shape)
        if bias is not None:  # nothing, but a gradient of zeros for it
            out += (bias - bias).reshape(shape)
        return out

    def forward(self, input: Any) -> Any:
        """The batch norm of the convolution, by a weight that was rounded with both factors."""
        return self._forward(input)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version", None) in (None, 1):
            for name, old in _OLD_NAMES.items():
                if prefix + old in state_dict:
                    state_dict[prefix + name] = state_dict.pop(prefix + old)
                elif prefix + name not in state_dict and strict:
                    missing_keys.append(prefix + name)
        super()._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """A layer with the parameters of a plain row, which has a QConfig.

        Args:
            mod: the plain layers.
            use_precomputed_fake_quant: not used.
        """
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}"
            )
        check_float(mod)
        conv, bn = mod[0], mod[1]
        made: Any = cls(
            conv.in_channels,
            conv.out_channels,
            conv.kernel_size,
            conv.stride,
            conv.padding,
            conv.dilation,
            conv.groups,
            conv.bias is not None,
            conv.padding_mode,
            bn.eps,
            bn.momentum,
            False,
            mod.qconfig,
        )
        return take_parameters(made, conv, bn)

    def to_float(self) -> Any:
        """A plain convolution that computes both layers; with a ReLU, if this one has one."""
        cls: Any = type(self)
        conv = with_values(qat.plain_convolution(self), self)
        if cls._FLOAT_BN_MODULE:
            check_statistics(self.bn)
            conv.weight, conv.bias = fuse_conv_bn_weights(
                conv.weight,
                conv.bias,
                self.bn.running_mean,
                self.bn.running_var,
                self.bn.eps,
                self.bn.weight,
                self.bn.bias,
            )
        if cls._FLOAT_RELU_MODULE:
            conv = cls._FUSED_FLOAT_MODULE(conv, cls._FLOAT_RELU_MODULE())
        conv.train(self.training)
        return conv


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
        bias: Any = None,
        padding_mode: str = "zeros",
        eps: float = 1e-05,
        momentum: float = 0.1,
        freeze_bn: bool = False,
        qconfig: Any = None,
    ) -> None:
        _ConvBnNd.__init__(
            self,
            in_channels,
            out_channels,
            _numbers(n, kernel_size),
            _numbers(n, stride),
            _numbers(n, padding),
            _numbers(n, dilation),
            False,
            _numbers(n, 0),
            groups,
            bias,
            padding_mode,
            eps,
            momentum,
            freeze_bn,
            qconfig,
            dim=n,
        )

    __init__.__qualname__ = f"{name}.__init__"
    return __init__


def _init_with_relu(name: str, plain: Any) -> Any:
    """The constructor of a class without a batch norm, whose plain class is `plain`."""

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
    ) -> None:
        plain.__init__(
            self,
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            bias=bias,
            padding_mode=padding_mode,
            qconfig=qconfig,
        )
        check_given(qconfig)
        self.qconfig = qconfig
        self.weight_fake_quant = self.qconfig.weight()

    __init__.__qualname__ = f"{name}.__init__"
    return __init__


class _WithReLU:
    """The part of a layer that ends in a ReLU."""

    def forward(self: Any, input: Any) -> Any:
        """The positive part of the convolution of `input` by the rounded weight."""
        out = self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)
        return F.relu(out)


class ConvBn1d(_ConvBnNd, nn.Conv1d):
    """A Conv1d and a BatchNorm1d; the weight is rounded as it will be once both are one layer.

    As torch.ao.nn.intrinsic.qat.ConvBn1d.
    """

    _FLOAT_BN_MODULE: Any = nn.BatchNorm1d
    _FLOAT_RELU_MODULE: Any = None
    _FLOAT_MODULE: Any = nni.ConvBn1d
    _FLOAT_CONV_MODULE: Any = nn.Conv1d

    __init__ = _init("ConvBn1d", 1)


class ConvBnReLU1d(ConvBn1d):
    """ConvBn1d and a ReLU.

    As torch.ao.nn.intrinsic.qat.ConvBnReLU1d.
    """

    _FLOAT_MODULE: Any = nni.ConvBnReLU1d
    _FLOAT_CONV_MODULE: Any = nn.Conv1d
    _FLOAT_BN_MODULE: Any = nn.BatchNorm1d
    _FLOAT_RELU_MODULE: Any = nn.ReLU
    _FUSED_FLOAT_MODULE: Any = nni.ConvReLU1d

    def forward(self, input: Any) -> Any:
        """The positive part of the batch norm of the convolution."""
        return F.relu(self._forward(input))


class ConvReLU1d(_WithReLU, qat.Conv1d, nni._FusedModule):
    """A Conv1d and a ReLU, whose weight is rounded to a grid at each call.

    As torch.ao.nn.intrinsic.qat.ConvReLU1d.
    """

    _FLOAT_MODULE: Any = nni.ConvReLU1d
    _FLOAT_CONV_MODULE: Any = nn.Conv1d
    _FLOAT_BN_MODULE: Any = None
    _FLOAT_RELU_MODULE: Any = nn.ReLU

    __init__ = _init_with_relu("ConvReLU1d", qat.Conv1d)


class ConvBn2d(_ConvBnNd, nn.Conv2d):
    """A Conv2d and a BatchNorm2d; the weight is rounded as it will be once both are one layer.

    As torch.ao.nn.intrinsic.qat.ConvBn2d.
    """

    _FLOAT_MODULE: Any = nni.ConvBn2d
    _FLOAT_CONV_MODULE: Any = nn.Conv2d
    _FLOAT_BN_MODULE: Any = nn.BatchNorm2d
    _FLOAT_RELU_MODULE: Any = None

    __init__ = _init("ConvBn2d", 2)


class ConvBnReLU2d(ConvBn2d):
    """ConvBn2d and a ReLU.

    As torch.ao.nn.intrinsic.qat.ConvBnReLU2d.
    """

    _FLOAT_MODULE: Any = nni.ConvBnReLU2d
    _FLOAT_CONV_MODULE: Any = nn.Conv2d
    _FLOAT_BN_MODULE: Any = nn.BatchNorm2d
    _FLOAT_RELU_MODULE: Any = nn.ReLU
    _FUSED_FLOAT_MODULE: Any = nni.ConvReLU2d

    def forward(self, input: Any) -> Any:
        """The positive part of the batch norm of the convolution."""
        return F.relu(self._forward(input))


class ConvReLU2d(_WithReLU, qat.Conv2d, nni._FusedModule):
    """A Conv2d and a ReLU, whose weight is rounded to a grid at each call.

    As torch.ao.nn.intrinsic.qat.ConvReLU2d.
    """

    _FLOAT_MODULE: Any = nni.ConvReLU2d
    _FLOAT_CONV_MODULE: Any = nn.Conv2d
    _FLOAT_BN_MODULE: Any = None
    _FLOAT_RELU_MODULE: Any = nn.ReLU

    __init__ = _init_with_relu("ConvReLU2d", qat.Conv2d)


class ConvBn3d(_ConvBnNd, nn.Conv3d):
    """A Conv3d and a BatchNorm3d; the weight is rounded as it will be once both are one layer.

    As torch.ao.nn.intrinsic.qat.ConvBn3d.
    """

    _FLOAT_MODULE: Any = nni.ConvBn3d
    _FLOAT_CONV_MODULE: Any = nn.Conv3d
    _FLOAT_BN_MODULE: Any = nn.BatchNorm3d
    _FLOAT_RELU_MODULE: Any = None

    __init__ = _init("ConvBn3d", 3)


class ConvBnReLU3d(ConvBn3d):
    """ConvBn3d and a ReLU.

    As torch.ao.nn.intrinsic.qat.ConvBnReLU3d.
    """

    _FLOAT_MODULE: Any = nni.ConvBnReLU3d
    _FLOAT_CONV_MODULE: Any = nn.Conv3d
    _FLOAT_BN_MODULE: Any = nn.BatchNorm3d
    _FLOAT_RELU_MODULE: Any = nn.ReLU
    _FUSED_FLOAT_MODULE: Any = nni.ConvReLU3d

    def forward(self, input: Any) -> Any:
        """The positive part of the batch norm of the convolution."""
        return F.relu(self._forward(input))


class ConvReLU3d(_WithReLU, qat.Conv3d, nni._FusedModule):
    """A Conv3d and a ReLU, whose weight is rounded to a grid at each call.

    As torch.ao.nn.intrinsic.qat.ConvReLU3d.
    """

    _FLOAT_MODULE: Any = nni.ConvReLU3d
    _FLOAT_CONV_MODULE: Any = nn.Conv3d
    _FLOAT_BN_MODULE: Any = None
    _FLOAT_RELU_MODULE: Any = nn.ReLU

    __init__ = _init_with_relu("ConvReLU3d", qat.Conv3d)


def update_bn_stats(mod: Any) -> None:
    """Lets the statistics of a layer's batch norm move: `model.apply(update_bn_stats)`.

    Args:
        mod: any Module.
    """
    if type(mod) in _WITH_BATCH_NORM:
        mod.update_bn_stats()


def freeze_bn_stats(mod: Any) -> None:
    """Holds the statistics of a layer's batch norm: `model.apply(freeze_bn_stats)`.

    Args:
        mod: any Module.
    """
    if type(mod) in _WITH_BATCH_NORM:
        mod.freeze_bn_stats()


_WITH_BATCH_NORM = {ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d, ConvBn1d, ConvBn2d, ConvBn3d}
