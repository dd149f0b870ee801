"""torch.ao.quantization.observer: modules that watch numbers, to find how to round them.

MinMaxObserver and its kin keep the least and the largest number of a tensor or of each channel.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import minitorch as torch
from minitorch.ao.quantization._fake_quantize_base import FakeQuantizeBase
from minitorch.ao.quantization._fixed_observers import (
    FixedQParamsObserver,
    NoopObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)
from minitorch.ao.quantization._granularity import (
    AffineQuantizedObserverBase,
    Granularity,
    MappingType,
    PerAxis,
    PerBlock,
    PerGroup,
    PerRow,
    PerTensor,
    PerToken,
    TorchAODType,
    ZeroPointDomain,
    get_block_size,
)
from minitorch.ao.quantization._histogram_observer import HistogramObserver
from minitorch.ao.quantization._observer_base import (  # noqa: F401  # names of this module, too
    ABC,
    ObserverBase,
    UniformQuantizationObserverBase,
    _PartialWrapper,
    _with_args,
    _with_callable_args,
    state_names,
)
from minitorch.ao.quantization.utils import is_per_channel, is_per_tensor

__all__ = [
    "default_affine_fixed_qparams_observer",
    "default_debug_observer",
    "default_dynamic_quant_observer",
    "default_fixed_qparams_range_0to1_observer",
    "default_fixed_qparams_range_neg1to1_observer",
    "default_float_qparams_observer",
    "default_float_qparams_observer_4bit",
    "default_histogram_observer",
    "default_observer",
    "default_per_channel_weight_observer",
    "default_placeholder_observer",
    "default_reuse_input_observer",
    "default_symmetric_fixed_qparams_observer",
    "default_weight_observer",
    "get_observer_state_dict",
    "load_observer_state_dict",
    "per_channel_weight_observer_range_neg_127_to_127",
    "weight_observer_range_neg_127_to_127",
    "FixedQParamsObserver",
    "HistogramObserver",
    "MinMaxObserver",
    "MovingAverageMinMaxObserver",
    "MovingAveragePerChannelMinMaxObserver",
    "NoopObserver",
    "ObserverBase",
    "PerChannelMinMaxObserver",
    "PlaceholderObserver",
    "RecordingObserver",
    "ReuseInputObserver",
    "UniformQuantizationObserverBase",
    "AffineQuantizedObserverBase",
    "Granularity",
    "MappingType",
    "PerAxis",
    "PerBlock",
    "PerGroup",
    "PerRow",
    "PerTensor",
    "PerToken",
    "TorchAODType",
    "ZeroPointDomain",
    "get_block_size",
]

_ObserverBase = UniformQuantizationObserverBase
_EPS = torch.finfo(torch.float32).eps


class MinMaxObserver(UniformQuantizationObserverBase):
    """An observer of the least and the largest number of all tensors that it sees.

    Args:
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle.
        reduce_range: whether the grid has half the points.
        quant_min, quant_max: the least and the largest integer; both None for those of `dtype`.
        factory_kwargs: device and dtype of the buffers.
        eps: the least scale.
        is_dynamic: whether each call finds scale and zero point anew.

    Raises:
        NotImplementedError: for a scheme of channels, or a symmetric one that halves quint8.

    As torch.ao.quantization.observer.MinMaxObserver.
    """

    min_val: Any
    max_val: Any

    def __init__(
        self,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not is_per_tensor(qscheme):
            raise NotImplementedError(
                "MinMaxObserver's qscheme only support torch.per_tensor_symmetric"
                "                     and torch.per_tensor_affine."
            )
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            factory_kwargs=factory_kwargs,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        factory_kwargs = torch.nn.factory_kwargs(factory_kwargs)
        self.register_buffer("min_val", torch.tensor(float("inf"), **factory_kwargs))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **factory_kwargs))
        halved = self.reduce_range and self.dtype == torch.quint8
        if halved and self.qscheme == torch.per_tensor_symmetric:
            raise NotImplementedError(
                "Cannot reduce range for symmetric                                        "
                "quantization for quint8"
            )

    def forward(self, x_orig: Any) -> Any:
        """Notes the least and the largest number of `x_orig`, and returns it."""
        if x_orig.numel() == 0:
            return x_orig
        low, high = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
        self._keep(torch.min(low, self.min_val), torch.max(high, self.max_val))
        return x_orig

    def _keep(self, low: Any, high: Any) -> None:
        self.min_val.copy_(low)
        self.max_val.copy_(high)

    def calculate_qparams(self) -> Any:
        """The scale and the zero point for the range that was seen."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """The range that was seen."""
        return state_names(self)

    def reset_min_max_vals(self) -> None:
        """Forgets what was seen."""
        self._keep(torch.tensor(float("inf")), torch.tensor(float("-inf")))


def _moved(average: Any, current: Any, constant: float) -> Any:
    """An average after one more number."""
    return average + constant * (current - average)


class MovingAverageMinMaxObserver(MinMaxObserver):
    """An observer of moving averages of the least and the largest number of each tensor.

    Args:
        averaging_constant: the weight of the tensor that comes last.
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle.
        reduce_range: whether the grid has half the points.
        quant_min, quant_max: the least and the largest integer; both None for those of `dtype`.
        eps: the least scale.
        is_dynamic: whether each call finds scale and zero point anew.

    Raises:
        NotImplementedError: for a scheme of channels, or an average that is dynamic.

    As torch.ao.quantization.observer.MovingAverageMinMaxObserver.
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if not is_per_tensor(qscheme):
            raise NotImplementedError(
                "MovingAverageMinMaxObserver's qscheme only support"
                "                 torch.per_tensor_symmetric and torch.per_tensor_affine."
                f"                 but got: {qscheme}"
            )
        self.averaging_constant = averaging_constant
        if is_dynamic and self.averaging_constant != 1:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver doesn't support dynamic quantization for "
                f"averaging constant of {self.averaging_constant}"
            )
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )

    def forward(self, x_orig: Any) -> Any:
        """Moves the averages by the numbers of `x_orig`, and returns it."""
        if x_orig.numel() == 0:
            return x_orig
        low, high = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
        if self.min_val != float("inf") or self.max_val != float("-inf"):
            low = _moved(self.min_val, low, self.averaging_constant)
            high = _moved(self.max_val, high, self.averaging_constant)
        self._keep(low, high)
        return x_orig


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """An observer of the least and the largest number of each channel.

    Args:
        ch_axis: the dimension of the channels.
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle.
        reduce_range: whether the grid has half the points.
        quant_min, quant_max: the least and the largest integer; both None for those of `dtype`.
        factory_kwargs: device and dtype of the buffers.
        eps: the least scale.
        is_dynamic: False.

    Raises:
        NotImplementedError: with is_dynamic, for a scheme without channels, or a symmetric one
            that halves quint8.

    As torch.ao.quantization.observer.PerChannelMinMaxObserver.
    """

    min_val: Any
    max_val: Any

    def __init__(
        self,
        ch_axis: int = 0,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_channel_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        _check_channels("PerChannelMinMaxObserver", qscheme, is_dynamic)
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            factory_kwargs=factory_kwargs,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        factory_kwargs = torch.nn.factory_kwargs(factory_kwargs)
        self.ch_axis = ch_axis
        self.register_buffer("min_val", torch.tensor([], **factory_kwargs))
        self.register_buffer("max_val", torch.tensor([], **factory_kwargs))
        halved = self.reduce_range and self.dtype == torch.quint8
        if halved and self.qscheme == torch.per_channel_symmetric:
            raise NotImplementedError("Cannot reduce range for symmetric quantization for quint8")

    def forward(self, x_orig: Any) -> Any:
        """Notes the least and the largest number of each channel of `x_orig`, and returns it."""
        return self._forward(x_orig)

    def _forward(self, x_orig: Any) -> Any:
        if x_orig.numel() == 0:
            return x_orig
        low, high = self._ranges(x_orig)
        if self.min_val.numel() and self.max_val.numel():
            low, high = torch.min(low, self.min_val), torch.max(high, self.max_val)
        self._keep(low, high)
        return x_orig

    def _ranges(self, x: Any) -> tuple[Any, Any]:
        """The least and the largest number of each channel of `x`."""
        axes = list(range(x.dim()))
        axes[self.ch_axis], axes[0] = 0, self.ch_axis
        rows = torch.flatten(x.detach().permute(axes).to(self.min_val.dtype), start_dim=1)
        return torch.aminmax(rows, dim=1)

    def _keep(self, low: Any, high: Any) -> None:
        for buffer, value in ((self.min_val, low), (self.max_val, high)):
            buffer.resize_(value.shape)
            buffer.copy_(value)

    def calculate_qparams(self) -> Any:
        """The scales and the zero points for the ranges that were seen."""
        return self._calculate_qparams(self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """The ranges that were seen."""
        return state_names(self)

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
        version = local_metadata.get("version")
        plural = "s" if version is not None and version < 3 else ""
        for name in ("min_val", "max_val"):
            key = prefix + name + plural
            if key in state_dict:
                getattr(self, name).resize_(state_dict[key].shape)
            elif strict:
                missing_keys.append(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _load_from_state_dict_script(self, *args: Any) -> None:
        self._load_from_state_dict(*args)

    def reset_min_max_vals(self) -> None:
        """Forgets what was seen."""
        self.min_val = torch.rand(0)
        self.max_val = torch.rand(0)


def _check_channels(name: str, qscheme: Any, is_dynamic: bool) -> None:
    if not is_per_channel(qscheme):
        raise NotImplementedError(
            f"{name}'s qscheme only support"
            "                     torch.per_channel_symmetric, torch.per_channel_affine and "
            "torch.per_channel_affine_float_qparams."
        )
    if is_dynamic:
        raise NotImplementedError(f"{name} doesn't support dynamic quantization")


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """An observer of moving averages of the least and the largest number of each channel.

    Args:
        averaging_constant: the weight of the tensor that comes last.
        ch_axis: the dimension of the channels.
        dtype: the dtype that the numbers are to be rounded to.
        qscheme: whether zero lies in the middle.
        reduce_range: whether the grid has half the points.
        quant_min, quant_max: the least and the largest integer; both None for those of `dtype`.
        eps: the least scale.
        is_dynamic: False.

    Raises:
        NotImplementedError: with is_dynamic, or for a scheme without channels.

    As torch.ao.quantization.observer.MovingAveragePerChannelMinMaxObserver.
    """

    def __init__(
        self,
        averaging_constant: float = 0.01,
        ch_axis: int = 0,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_channel_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        eps: float = _EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        _check_channels("MovingAveragePerChannelMinMaxObserver", qscheme, is_dynamic)
        super().__init__(
            ch_axis=ch_axis,
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        self.averaging_constant = averaging_constant

    def forward(self, x_orig: Any) -> Any:
        """Moves the averages by the numbers of `x_orig`, and returns it."""
        if x_orig.numel() == 0:
            return x_orig
        low, high = self._ranges(x_orig)
        if self.min_val.numel() and self.max_val.numel():
            low = _moved(self.min_val, low, self.averaging_constant)
            high = _moved(self.max_val, high, self.averaging_constant)
        self._keep(low, high)
        return x_orig


# ---- the observers of a model


def _is_observer_script_module(mod: Any, obs_type_name: str) -> bool:
    """Whether `mod` is a compiled observer: there are none."""
    return False


def _is_activation_post_process(module: Any) -> bool:
    """Whether a module is an observer or rounds numbers."""
    return isinstance(module, (ObserverBase, FakeQuantizeBase, AffineQuantizedObserverBase))


def _is_per_channel_script_obs_instance(module: Any) -> bool:
    return False


def get_observer_state_dict(mod: Any) -> OrderedDict[str, Any]:
    """The part of a model's state that its observers have.

    Args:
        mod: a Module.

    As torch.ao.quantization.get_observer_state_dict.
    """
    state = mod.state_dict()
    marker = "observer" if isinstance(mod, torch.jit.ScriptModule) else "activation_post_process"
    found: Any = OrderedDict((key, value) for key, value in state.items() if marker in key)
    found._metadata = state._metadata
    return found


def load_observer_state_dict(mod: Any, obs_dict: Any) -> None:
    """Loads the state of a model's observers.

    Args:
        mod: a Module.
        obs_dict: what get_observer_state_dict returned.

    Raises:
        Exception: a name is missing, or there is one too many.

    As torch.ao.quantization.load_observer_state_dict.
    """
    missing: list[str] = []
    unexpected: list[str] = []
    for name, module in mod.named_modules():
        if _is_activation_post_process(module):
            module._load_from_state_dict(obs_dict, f"{name}.", {}, False, missing, unexpected, [])
    for words, keys in (("Missing", missing), ("Unexpected", unexpected)):
        for key in keys:
            if "observer" in key or "activation_post_process" in key:
                raise Exception(f"{words} keys for observer {key} in state_dict")


# ---- observers that configurations name

default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver
default_weight_observer = MinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_tensor_symmetric
)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
    quant_min=-127,
    quant_max=127,
    eps=2**-12,
)
default_histogram_observer = HistogramObserver.with_args(quant_min=0, quant_max=127)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=torch.qint8, qscheme=torch.per_channel_symmetric
)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
    quant_min=-127,
    quant_max=127,
    eps=2**-12,
)
default_dynamic_quant_observer = PlaceholderObserver.with_args(
    dtype=torch.quint8, quant_min=0, quant_max=255, is_dynamic=True
)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=torch.quint8, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0
)
default_float_qparams_observer_4bit = PerChannelMinMaxObserver.with_args(
    dtype=torch.quint4x2, qscheme=torch.per_channel_affine_float_qparams, ch_axis=0
)
default_fixed_qparams_range_neg1to1_observer = FixedQParamsObserver.with_args(
    scale=2.0 / 256.0, zero_point=128, dtype=torch.quint8, quant_min=0, quant_max=255
)
default_fixed_qparams_range_0to1_observer = FixedQParamsObserver.with_args(
    scale=1.0 / 256.0, zero_point=0, dtype=torch.quint8, quant_min=0, quant_max=255
)
default_symmetric_fixed_qparams_observer = default_fixed_qparams_range_neg1to1_observer
default_affine_fixed_qparams_observer = default_fixed_qparams_range_0to1_observer
default_reuse_input_observer = ReuseInputObserver
