"""torch.ao.quantization.qconfig: which observers the weights and the outputs of layers have."""

from __future__ import annotations

import copy
import warnings
from collections import namedtuple
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.quantization._deprecation import deprecated
from minitorch.ao.quantization.fake_quantize import (
    FakeQuantize,
    FakeQuantizeBase,
    FusedMovingAvgObsFakeQuantize,
    default_dynamic_fake_quant,
    default_embedding_fake_quant,
    default_embedding_fake_quant_4bit,
    default_fake_quant,
    default_fused_act_fake_quant,
    default_fused_per_channel_wt_fake_quant,
    default_fused_wt_fake_quant,
    default_per_channel_weight_fake_quant,
    default_weight_fake_quant,
    fused_per_channel_wt_fake_quant_range_neg_127_to_127,
    fused_wt_fake_quant_range_neg_127_to_127,
)
from minitorch.ao.quantization.observer import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    NoopObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
    ReuseInputObserver,
    _PartialWrapper,
    default_debug_observer,
    default_dynamic_quant_observer,
    default_float_qparams_observer,
    default_float_qparams_observer_4bit,
    default_observer,
    default_per_channel_weight_observer,
    default_placeholder_observer,
    default_reuse_input_observer,
    default_weight_observer,
    per_channel_weight_observer_range_neg_127_to_127,
    weight_observer_range_neg_127_to_127,
)

__all__ = [
    "QConfig",
    "QConfigDynamic",
    "default_qconfig",
    "default_debug_qconfig",
    "default_per_channel_qconfig",
    "default_dynamic_qconfig",
    "float16_dynamic_qconfig",
    "float16_static_qconfig",
    "per_channel_dynamic_qconfig",
    "float_qparams_weight_only_qconfig",
    "float_qparams_weight_only_qconfig_4bit",
    "default_quint8_weight_qconfig",
    "default_qat_qconfig",
    "default_dynamic_qat_qconfig",
    "default_weight_only_qconfig",
    "default_activation_only_qconfig",
    "default_qat_qconfig_v2",
    "default_reuse_input_qconfig",
    "default_symmetric_qnnpack_qconfig",
    "default_per_channel_symmetric_qnnpack_qconfig",
    "default_symmetric_qnnpack_qat_qconfig",
    "default_per_channel_symmetric_qnnpack_qat_qconfig",
    "default_embedding_qat_qconfig",
    "default_embedding_qat_qconfig_4bit",
    "get_default_qconfig",
    "get_default_qat_qconfig",
    "get_default_qconfig_dict",
    "get_default_qat_qconfig_dict",
    "QConfigAny",
    "qconfig_equals",
]

QConfigAny = Any


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """Makers of observers, or of modules that round, for outputs and for weights.

    Args:
        activation: a class or a maker such as MinMaxObserver.with_args(dtype=torch.qint8).
        weight: likewise.

    Raises:
        ValueError: for an observer in the place of its class.

    As torch.ao.quantization.QConfig.
    """

    __slots__ = ()

    def __new__(cls, activation: Any, weight: Any) -> Any:
        if isinstance(activation, nn.Module) or isinstance(weight, nn.Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. Use "
                "MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


@deprecated(
    "`QConfigDynamic` is going to be deprecated in PyTorch 1.12, please use `QConfig` instead",
    category=FutureWarning,
)
class QConfigDynamic(namedtuple("QConfigDynamic", ["activation", "weight"])):
    """QConfig, for layers whose inputs are rounded at each call. Deprecated.

    Args:
        activation: a class, or a maker.
        weight: likewise.

    As torch.ao.quantization.QConfigDynamic.
    """

    __slots__ = ()

    def __new__(cls, activation: Any = nn.Identity, weight: Any = nn.Identity) -> Any:
        if isinstance(weight, nn.Module):
            raise ValueError(
                "QConfigDynamic received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)


default_qconfig = QConfig(activation=default_observer, weight=default_weight_observer)
default_debug_qconfig = QConfig(weight=default_weight_observer, activation=default_debug_observer)
default_per_channel_qconfig = QConfig(
    activation=default_observer, weight=default_per_channel_weight_observer
)
default_dynamic_qconfig = QConfig(
    activation=default_dynamic_quant_observer, weight=default_weight_observer
)
float16_dynamic_qconfig = QConfig(
    activation=PlaceholderObserver.with_args(dtype=torch.float16, is_dynamic=True),
    weight=PlaceholderObserver.with_args(dtype=torch.float16),
)
float16_static_qconfig = QConfig(
    activation=PlaceholderObserver.with_args(dtype=torch.float16),
    weight=PlaceholderObserver.with_args(dtype=torch.float16),
)
per_channel_dynamic_qconfig = QConfig(
    activation=default_dynamic_quant_observer, weight=default_per_channel_weight_observer
)
float_qparams_weight_only_qconfig = QConfig(
    activation=default_placeholder_observer, weight=default_float_qparams_observer
)
float_qparams_weight_only_qconfig_4bit = QConfig(
    activation=default_placeholder_observer, weight=default_float_qparams_observer_4bit
)
default_qat_qconfig = QConfig(activation=default_fake_quant, weight=default_weight_fake_quant)
default_dynamic_qat_qconfig = QConfig(
    activation=default_dynamic_fake_quant, weight=default_weight_fake_quant
)
default_weight_only_qconfig = QConfig(activation=nn.Identity, weight=default_weight_fake_quant)
default_activation_only_qconfig = QConfig(activation=default_fake_quant, weight=nn.Identity)
default_qat_qconfig_v2 = QConfig(
    activation=default_fused_act_fake_quant, weight=default_fused_wt_fake_quant
)
default_reuse_input_qconfig = QConfig(activation=default_reuse_input_observer, weight=NoopObserver)

_BACKENDS = ["fbgemm", "x86", "qnnpack", "onednn"]


def _check_backend(backend: Any) -> None:
    if backend not in _BACKENDS:
        raise AssertionError(
            f"backend: {backend} not supported. backend must be one of {_BACKENDS}"
        )


def get_default_qconfig(backend: str = "x86", version: int = 0) -> QConfig:
    """The QConfig for calibration that torch has for a backend.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 0.

    Raises:
        AssertionError: for another backend or version.

    As torch.ao.quantization.get_default_qconfig.
    """
    _check_backend(backend)
    if version != 0:
        raise AssertionError(
            f"Version number: {version} in get_default_qconfig is not supported. Version number "
            "must be 0"
        )
    if backend == "onednn" and not torch.cpu._is_vnni_supported():
        warnings.warn(
            "Default qconfig of oneDNN backend with reduce_range of false may have accuracy issues "
            "on CPU without Vector Neural Network Instruction support.",
            stacklevel=2,
        )
    by_tensor = backend == "qnnpack"
    return QConfig(
        activation=HistogramObserver.with_args(reduce_range=backend in ("fbgemm", "x86")),
        weight=default_weight_observer if by_tensor else default_per_channel_weight_observer,
    )


default_symmetric_qnnpack_qconfig = QConfig(
    activation=HistogramObserver.with_args(dtype=torch.qint8, reduce_range=False, eps=2**-12),
    weight=weight_observer_range_neg_127_to_127,
)
default_per_channel_symmetric_qnnpack_qconfig = QConfig(
    activation=HistogramObserver.with_args(dtype=torch.qint8, reduce_range=False, eps=2**-12),
    weight=per_channel_weight_observer_range_neg_127_to_127,
)
default_embedding_qat_qconfig = QConfig(
    activation=NoopObserver.with_args(dtype=torch.float32), weight=default_embedding_fake_quant
)
default_embedding_qat_qconfig_4bit = QConfig(
    activation=NoopObserver.with_args(dtype=torch.float32),
    weight=default_embedding_fake_quant_4bit,
)
default_quint8_weight_qconfig = QConfig(activation=HistogramObserver, weight=MinMaxObserver)


def get_default_qat_qconfig(backend: str = "x86", version: int = 1) -> QConfig:
    """The QConfig for training that torch has for a backend.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 1, or 0 for modules that observe and round in two steps.

    Raises:
        AssertionError: for another backend or version.

    As torch.ao.quantization.get_default_qat_qconfig.
    """
    _check_backend(backend)
    if version not in (0, 1):
        raise AssertionError(
            f"Version number: {version}in get_default_qat_qconfig is not supported. Version number "
            "must be 0 or 1"
        )
    options = {} if backend == "onednn" else {"reduce_range": backend in ("fbgemm", "x86")}
    rounding = (FakeQuantize, FusedMovingAvgObsFakeQuantize)[version]
    weights = {
        (0, True): default_weight_fake_quant,
        (0, False): default_per_channel_weight_fake_quant,
        (1, True): default_fused_wt_fake_quant,
        (1, False): default_fused_per_channel_wt_fake_quant,
    }
    return QConfig(
        activation=rounding.with_args(
            observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, **options
        ),
        weight=weights[version, backend == "qnnpack"],
    )


_symmetric_activation = {
    "observer": MovingAverageMinMaxObserver,
    "quant_min": -128,
    "quant_max": 127,
    "dtype": torch.qint8,
    "reduce_range": False,
    "eps": 2**-12,
}
default_symmetric_qnnpack_qat_qconfig = QConfig(
    activation=FusedMovingAvgObsFakeQuantize.with_args(**_symmetric_activation),
    weight=fused_wt_fake_quant_range_neg_127_to_127,
)
default_per_channel_symmetric_qnnpack_qat_qconfig = QConfig(
    activation=FusedMovingAvgObsFakeQuantize.with_args(**_symmetric_activation),
    weight=fused_per_channel_wt_fake_quant_range_neg_127_to_127,
)
_default_fp32_placeholder_qconfig = QConfig(
    activation=PlaceholderObserver.with_args(dtype=torch.float32),
    weight=PlaceholderObserver.with_args(dtype=torch.float32),
)
_default_quint8_placeholder_qconfig = QConfig(
    activation=PlaceholderObserver.with_args(dtype=torch.quint8),
    weight=None,  # operators that have none
)


@deprecated(
    "`torch.ao.quantization.get_default_qconfig_dict` is deprecated and will be removed in a "
    "future version. Please use `torch.ao.quantization.get_default_qconfig_mapping` instead.",
    category=FutureWarning,
)
def get_default_qconfig_dict(backend: str = "x86", version: int = 0) -> dict[str, Any]:
    """get_default_qconfig_mapping as a dict. Deprecated.

    Args:
        backend: as of get_default_qconfig.
        version: 0.

    As torch.ao.quantization.get_default_qconfig_dict.
    """
    return torch.ao.quantization.get_default_qconfig_mapping(backend, version).to_dict()


@deprecated(
    "`torch.ao.quantization.get_default_qat_qconfig_dict` is deprecated and will be removed in a "
    "future version. Please use `torch.ao.quantization.get_default_qat_qconfig_mapping` instead.",
    category=FutureWarning,
)
def get_default_qat_qconfig_dict(backend: str = "x86", version: int = 1) -> dict[str, Any]:
    """get_default_qat_qconfig_mapping as a dict. Deprecated.

    Args:
        backend: as of get_default_qat_qconfig.
        version: 1 or 0.

    As torch.ao.quantization.get_default_qat_qconfig_dict.
    """
    return torch.ao.quantization.get_default_qat_qconfig_mapping(backend, version).to_dict()


_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


def _assert_valid_qconfig(qconfig: Any, mod: Any) -> None:
    """Checks that a QConfig suits a module: transposed convolutions have no channels to observe."""
    if qconfig is None or not isinstance(mod, _TRANSPOSED) or qconfig.weight is None:
        return
    by_channel = (PerChannelMinMaxObserver, MovingAveragePerChannelMinMaxObserver)
    if isinstance(qconfig.weight(), by_channel):
        raise AssertionError(
            "Per channel weight observer is not supported yet for ConvTranspose{n}d."
        )


def _add_module_to_qconfig_obs_ctr(qconfig: Any, module: Any) -> Any:
    """The QConfig whose observers have their buffers on the device of a module."""
    if module is None or qconfig is None or qconfig._fields != ("activation", "weight"):
        return qconfig

    def get_factory_kwargs_based_on_module_device() -> Any:
        if not isinstance(module, nn.Module):
            raise AssertionError("module must be an instance of torch.nn.Module")
        devices = {each.device for each in (*module.parameters(), *module.buffers())}
        return {"device": next(iter(devices))} if devices else None

    def on_device(maker: Any) -> Any:
        try:  # whether it takes the argument
            maker.with_args(factory_kwargs=None)()
            return maker.with_callable_args(
                factory_kwargs=get_factory_kwargs_based_on_module_device
            )
        except (AttributeError, TypeError):
            return maker

    return QConfig(on_device(qconfig.activation), on_device(qconfig.weight))


def _obs_or_fq_ctr_equals(obs_or_fq1: Any, obs_or_fq2: Any) -> bool:
    if isinstance(obs_or_fq1, _PartialWrapper) and isinstance(obs_or_fq2, _PartialWrapper):
        return _partial_wrapper_equals(obs_or_fq1, obs_or_fq2)
    return obs_or_fq1 == obs_or_fq2


def _partial_wrapper_equals(obs_or_fq1: Any, obs_or_fq2: Any) -> bool:
    first, second = copy.copy(obs_or_fq1.p.keywords), copy.copy(obs_or_fq2.p.keywords)
    equal = True
    if "observer" in first and "observer" in second:
        equal = _obs_or_fq_ctr_equals(first.pop("observer"), second.pop("observer"))
    equal = equal and first == second
    same = obs_or_fq1.p.func == obs_or_fq2.p.func and obs_or_fq1.p.args == obs_or_fq2.p.args
    return same and equal


def qconfig_equals(q1: Any, q2: Any) -> bool:
    """Whether two QConfigs have the same classes with the same arguments.

    Args:
        q1, q2: QConfigs, or None.

    As torch.ao.quantization.qconfig_equals.
    """
    if q1 is None or q2 is None:
        return q1 == q2
    try:
        activation_same = _obs_or_fq_ctr_equals(q1.activation, q2.activation)
        return activation_same and _obs_or_fq_ctr_equals(q1.weight, q2.weight)
    except AttributeError:
        return q1 == q2


def _activation_is_memoryless(qconfig: Any) -> bool:
    """Whether the observer of outputs forgets each tensor when it sees the next."""
    observer = qconfig.activation()
    if isinstance(observer, FakeQuantizeBase) and hasattr(observer, "activation_post_process"):
        observer = observer.activation_post_process
    return hasattr(observer, "averaging_constant") and observer.averaging_constant == 1


def _is_reuse_input_qconfig(qconfig: Any) -> bool:
    return (
        qconfig is not None
        and isinstance(qconfig.activation(), ReuseInputObserver)
        and isinstance(qconfig.weight(), NoopObserver)
    )
