"""torch.ao.quantization.fake_quantize: modules that round numbers to a grid in training."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.ao.quantization._fake_quantize_base import FakeQuantizeBase
from minitorch.ao.quantization.observer import (
    FixedQParamsObserver,
    HistogramObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
)
from minitorch.ao.quantization.utils import is_per_channel as _is_per_channel
from minitorch.ao.quantization.utils import is_per_tensor as _is_per_tensor

__all__ = [
    "FakeQuantizeBase",
    "FakeQuantize",
    "FixedQParamsFakeQuantize",
    "FusedMovingAvgObsFakeQuantize",
    "disable_fake_quant",
    "disable_observer",
    "enable_fake_quant",
    "enable_observer",
    "default_fake_quant",
    "default_weight_fake_quant",
    "default_dynamic_fake_quant",
    "default_fixed_qparams_range_neg1to1_fake_quant",
    "default_fixed_qparams_range_0to1_fake_quant",
    "default_symmetric_fixed_qparams_fake_quant",
    "default_affine_fixed_qparams_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_embedding_fake_quant",
    "default_embedding_fake_quant_4bit",
    "default_histogram_fake_quant",
    "default_fused_act_fake_quant",
    "default_fused_wt_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "fused_wt_fake_quant_range_neg_127_to_127",
    "fused_per_channel_wt_fake_quant_range_neg_127_to_127",
]


def _is_symmetric_quant(qscheme: Any) -> bool:
    return qscheme in (torch.per_tensor_symmetric, torch.per_channel_symmetric)


def _is_float_qparams(qscheme: Any) -> bool:
    return qscheme == torch.per_channel_affine_float_qparams


class FakeQuantize(FakeQuantizeBase):
    """Observes numbers, and rounds them to the grid that its observer finds.

    The result is (clamp(round(x / scale + zero_point), quant_min, quant_max) - zero_point) * scale.

    Args:
        observer: the class of the observer, or a maker of them.
        quant_min, quant_max: the ends of the grid; both None for those of the observer.
        is_dynamic: whether each call finds the grid anew.
        observer_kwargs: arguments of the observer.

    Raises:
        AssertionError: the ends are out of order or out of the range of the dtype.

    As torch.ao.quantization.fake_quantize.FakeQuantize.
    """

    scale: Any
    zero_point: Any

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min is not None and quant_max is not None:
            _check_range(observer, quant_min, quant_max, observer_kwargs)
            observer_kwargs.update({"quant_min": quant_min, "quant_max": quant_max})
        observer_kwargs["is_dynamic"] = is_dynamic
        self.activation_post_process = observer(**observer_kwargs)
        self.quant_min = self.activation_post_process.quant_min
        self.quant_max = self.activation_post_process.quant_max
        self.is_dynamic = self.activation_post_process.is_dynamic
        floating = _is_float_qparams(self.activation_post_process.qscheme)
        zeros = torch.tensor([0], dtype=torch.float if floating else torch.int)
        self.register_buffer("scale", torch.tensor([1.0], dtype=torch.float))
        self.register_buffer("zero_point", zeros)
        self.dtype = self.activation_post_process.dtype
        self.qscheme = self.activation_post_process.qscheme
        self.ch_axis = getattr(self.activation_post_process, "ch_axis", -1)
        if not (_is_per_channel(self.qscheme) or _is_per_tensor(self.qscheme)):
            raise AssertionError(
                "Only per channel and per tensor quantization are supported in fake quantize"
                " got qscheme: " + str(self.qscheme)
            )
        self.is_per_channel = _is_per_channel(self.qscheme)

    def calculate_qparams(self) -> Any:
        """The scale and the zero point that the observer finds."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Any) -> Any:
        """`X` on the grid, after it was observed."""
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            scale, zero_point = self.calculate_qparams()
            scale, zero_point = scale.to(self.scale.device), zero_point.to(self.zero_point.device)
            if self.scale.shape != scale.shape:
                self.scale.resize_(scale.shape)
                self.zero_point.resize_(zero_point.shape)
            self.scale.copy_(scale)
            self.zero_point.copy_(zero_point)
        if self.fake_quant_enabled[0] == 1:
            ends = self.activation_post_process.quant_min, self.activation_post_process.quant_max
            if self.is_per_channel:
                return torch.fake_quantize_per_channel_affine(
                    X, self.scale, self.zero_point, self.ch_axis, *ends
                )
            return torch.fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, *ends)
        return X

    def _shown(self, names: str) -> str:
        """Some attributes as text; the ends of the grid are the observer's."""
        observer = self.activation_post_process
        owners = dict.fromkeys(("quant_min", "quant_max", "reduce_range"), observer)
        return ", ".join(
            [f"{name}={getattr(owners.get(name, self), name)}" for name in names.split()]
        )

    def extra_repr(self) -> str:
        """The switches, the grid and the scheme."""
        return self._shown(
            "fake_quant_enabled observer_enabled quant_min quant_max dtype qscheme ch_axis scale "
            "zero_point"
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = self.scale
        destination[prefix + "zero_point"] = self.zero_point

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
        for name in ("scale", "zero_point"):  # of one number, or as many as there are channels
            key = prefix + name
            if key in state_dict:
                getattr(self, name).resize_(state_dict[key].shape)
            elif strict:
                missing_keys.append(key)
        super()._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )


def _check_range(observer: Any, quant_min: int, quant_max: int, given: Any) -> None:
    """Checks the ends of a grid against the dtype that the observer will have."""
    if quant_min > quant_max:
        raise AssertionError("quant_min must be less than or equal to quant_max")
    dtype = given.get("dtype", torch.quint8)
    if hasattr(observer, "p"):  # a maker with arguments of its own
        dtype = getattr(observer.p, "keywords", {}).get("dtype", dtype)
    if torch.iinfo(dtype).min > quant_min:
        raise AssertionError("quant_min out of bound")
    if quant_max > torch.iinfo(dtype).max:
        raise AssertionError("quant_max out of bound")


class FixedQParamsFakeQuantize(FakeQuantize):
    """Rounds numbers to a grid that is known beforehand.

    Args:
        observer: a maker of FixedQParamsObservers.

    Raises:
        AssertionError: for an observer of another class, or a scheme of channels.

    As torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize.
    """

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=observer)
        if type(self.activation_post_process) is not FixedQParamsObserver:
            raise AssertionError(
                f"{self.__class__.__name__}'s observer must be a {FixedQParamsObserver.__name__}"
            )
        self._observer_ctr = observer
        self.scale = self.activation_post_process.scale
        self.zero_point = self.activation_post_process.zero_point
        if not _is_per_tensor(self.qscheme):
            raise AssertionError(
                "Only per tensor quantization is supported FixedQParamsFakeQuantize module, got "
                "qscheme:" + str(self.qscheme)
            )

    def calculate_qparams(self) -> Any:
        """The scale and the zero point that the observer was made with."""
        return self.scale, self.zero_point

    def extra_repr(self) -> str:
        """The switches, the grid and the scheme."""
        return self._shown(
            "fake_quant_enabled observer_enabled scale zero_point dtype quant_min quant_max qscheme"
        )


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """FakeQuantize with an observer of moving averages, in one operator.

    Args:
        observer: MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver, or a maker.
        quant_min, quant_max: the ends of the grid.
        observer_kwargs: arguments of the observer.

    Raises:
        AssertionError: for an observer of another class, or ends out of the range of the dtype.

    As torch.ao.quantization.fake_quantize.FusedMovingAvgObsFakeQuantize.
    """

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, **observer_kwargs)
        known = (MovingAverageMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
        if not isinstance(self.activation_post_process, known):
            raise AssertionError(
                "Fused observer+fake_quant module only works with MovingAverageMinMaxObserver"
            )
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.long))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.long))
        self.is_symmetric_quant = _is_symmetric_quant(self.activation_post_process.qscheme)

    def calculate_qparams(self) -> Any:
        """The scale and the zero point that the observer finds."""
        return self.activation_post_process.calculate_qparams()

    def extra_repr(self) -> str:
        """The switches, the grid and the scheme."""
        return self._shown(
            "fake_quant_enabled observer_enabled scale zero_point dtype quant_min quant_max "
            "qscheme reduce_range"
        )

    def forward(self, X: Any) -> Any:
        """`X` on the grid, after it was observed."""
        observer = self.activation_post_process
        return torch.fused_moving_avg_obs_fake_quant(
            X,
            self.observer_enabled,
            self.fake_quant_enabled,
            observer.min_val,
            observer.max_val,
            self.scale,
            self.zero_point,
            observer.averaging_constant,
            observer.quant_min,
            observer.quant_max,
            self.ch_axis,
            self.is_per_channel,
            self.is_symmetric_quant,
        )


# ---- makers that configurations name

default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    dtype=torch.quint8,
    qscheme=torch.per_tensor_affine,
    reduce_range=True,
)
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
    reduce_range=False,
)
default_dynamic_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    is_dynamic=True,
    dtype=torch.quint8,
    averaging_constant=1,
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_neg1to1_observer
)
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=default_fixed_qparams_range_0to1_observer
)
default_symmetric_fixed_qparams_fake_quant = default_fixed_qparams_range_neg1to1_fake_quant
default_affine_fixed_qparams_fake_quant = default_fixed_qparams_range_0to1_fake_quant
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
    reduce_range=False,
    ch_axis=0,
)
default_embedding_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=torch.per_channel_affine_float_qparams,
    dtype=torch.quint8,
    quant_min=0,
    quant_max=255,
    ch_axis=0,
    averaging_constant=1,
)
default_embedding_fake_quant_4bit = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    qscheme=torch.per_channel_affine_float_qparams,
    ch_axis=0,
    dtype=torch.quint4x2,
    averaging_constant=1,
)
default_histogram_fake_quant = FakeQuantize.with_args(
    observer=HistogramObserver,
    quant_min=0,
    quant_max=255,
    dtype=torch.quint8,
    qscheme=torch.per_tensor_affine,
    reduce_range=True,
)
default_fused_act_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=0,
    quant_max=255,
    dtype=torch.quint8,
)
default_fused_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
)
default_fused_per_channel_wt_fake_quant = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-128,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
)
fused_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver,
    quant_min=-127,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_tensor_symmetric,
    eps=2**-12,
)
fused_per_channel_wt_fake_quant_range_neg_127_to_127 = FusedMovingAvgObsFakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver,
    quant_min=-127,
    quant_max=127,
    dtype=torch.qint8,
    qscheme=torch.per_channel_symmetric,
    eps=2**-12,
)

# ---- switches, for Module.apply


def disable_fake_quant(mod: Any) -> None:
    """Lets numbers pass a module as they are, if it rounds them: `model.apply(disable_fake_quant)`.

    Args:
        mod: any Module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_fake_quant()


def enable_fake_quant(mod: Any) -> None:
    """Lets a module round numbers, if it can.

    Args:
        mod: any Module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_fake_quant()


def disable_observer(mod: Any) -> None:
    """Keeps the grid of a module that rounds numbers as it is.

    Args:
        mod: any Module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.disable_observer()


def enable_observer(mod: Any) -> None:
    """Lets a module that rounds numbers observe them.

    Args:
        mod: any Module.
    """
    if isinstance(mod, FakeQuantizeBase):
        mod.enable_observer()
