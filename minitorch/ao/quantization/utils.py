"""Questions that observers, configurations and conversions share.

As torch/ao/quantization/utils.py.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict
from collections.abc import Callable
from inspect import getfullargspec, signature
from typing import Any

import minitorch as torch
from minitorch.ao.quantization._deprecation import DEPRECATION_WARNING
from minitorch.ao.quantization._graph_patterns import (  # noqa: F401  # names of this module, too
    MatchAllNode,
    NodePattern,
    Pattern,
    QuantizerCls,
    check_node,
    func_list,
    method_list,
    module_type_list,
)
from minitorch.ao.quantization.quant_type import QuantType
from minitorch.nn.utils.parametrize import is_parametrized

__all__ = [
    "NodePattern",
    "Pattern",
    "MatchAllNode",
    "check_node",
    "get_combined_dict",
    "is_per_tensor",
    "is_per_channel",
    "getattr_from_fqn",
    "get_qparam_dict",
    "get_swapped_custom_module_class",
    "activation_dtype",
    "weight_dtype",
    "activation_is_statically_quantized",
    "activation_is_dynamically_quantized",
    "activation_is_int8_quantized",
    "activation_is_int32_quantized",
    "weight_is_quantized",
    "weight_is_statically_quantized",
    "op_is_int8_dynamically_quantized",
    "get_qconfig_dtypes",
    "get_quant_type",
    "check_min_max_valid",
    "calculate_qmin_qmax",
    "has_no_children_ignoring_parametrizations",
    "get_fqn_to_example_inputs",
    "to_underlying_dtype",
    "determine_qparams",
    "validate_qmin_qmax",
    "DEPRECATION_WARNING",
]

_SIGNED_BYTES = (torch.qint8, torch.int8)
_UNSIGNED_BYTES = (torch.quint8, torch.uint8)
_LONG_WORDS = (torch.qint32, torch.int32)
_PLAIN = (
    *(torch.uint8, torch.int8, torch.int16, torch.int32),
    *(torch.float8_e5m2, torch.float8_e4m3fn),
)


def get_combined_dict(default_dict: Any, additional_dict: Any) -> Any:
    """A new dict of both: entries of `additional_dict` win."""
    combined = default_dict.copy()
    combined.update(additional_dict)
    return combined


def is_per_tensor(qscheme: Any) -> bool:
    """Whether a scheme has one scale and one zero point for all of a tensor."""
    return qscheme in (torch.per_tensor_affine, torch.per_tensor_symmetric)


def is_per_channel(qscheme: Any) -> bool:
    """Whether a scheme has a scale and a zero point for each channel."""
    return qscheme in (
        torch.per_channel_affine,
        torch.per_channel_affine_float_qparams,
        torch.per_channel_symmetric,
    )


def getattr_from_fqn(obj: Any, fqn: str) -> Any:
    """The attribute of an attribute ... of `obj` at a path such as "layer.0.weight"."""
    return functools.reduce(getattr, fqn.split("."), obj)


def to_underlying_dtype(qdtype: Any) -> Any:
    """The dtype that holds the integers of a quantized one.

    Args:
        qdtype: a dtype, quantized or plain.

    Raises:
        AssertionError: there is none.
    """
    mapping = {
        torch.quint8: torch.uint8,
        torch.qint8: torch.int8,
        torch.qint32: torch.int32,
        torch.quint4x2: torch.uint8,
        torch.quint2x4: torch.uint8,
        torch.uint16: torch.uint16,
        **{each: each for each in _PLAIN},
    }
    if qdtype not in mapping:
        raise AssertionError("Unsupported dtype: " + str(qdtype))
    return mapping[qdtype]


def get_qparam_dict(observer_or_fake_quant: Any) -> dict[str, Any]:
    """The parameters by which an observer or a FakeQuantize would have its tensors rounded.

    Args:
        observer_or_fake_quant: an ObserverBase or a FakeQuantizeBase.

    Returns:
        qscheme, dtype, scale, zero_point, and where they are known axis, quant_min and quant_max.
    """
    qscheme = getattr(observer_or_fake_quant, "qscheme", None)
    dtype = observer_or_fake_quant.dtype
    names = [each.__name__ for each in type(observer_or_fake_quant).__mro__]
    if not qscheme or "PlaceholderObserver" in names:  # whose module imports this one
        return {"qscheme": None, "dtype": dtype}
    qparams = {"qscheme": qscheme, "dtype": dtype}
    if is_per_tensor(qscheme):
        qscheme = torch.per_tensor_affine
    elif is_per_channel(qscheme):
        if qscheme == torch.per_channel_symmetric:
            qscheme = torch.per_channel_affine
        qparams["axis"] = observer_or_fake_quant.ch_axis
    else:
        raise RuntimeError(f"Unrecognized qscheme: {qscheme}")
    qparams["qscheme"] = qscheme
    qparams["scale"], qparams["zero_point"] = observer_or_fake_quant.calculate_qparams()
    for name in ("quant_min", "quant_max"):
        if hasattr(observer_or_fake_quant, name):
            qparams[name] = getattr(observer_or_fake_quant, name)
    return qparams


def get_swapped_custom_module_class(
    custom_module: Any, custom_module_class_mapping: Any, qconfig: Any
) -> Any:
    """The class that takes the place of a module of a user's class, for a QConfig.

    Raises:
        AssertionError: the mapping has none.
    """
    class_mapping = custom_module_class_mapping.get(get_quant_type(qconfig), {})
    if type(custom_module) not in class_mapping:
        raise AssertionError(
            "did not find corresponding observed module class for "
            f"{type(custom_module)} in mapping: {class_mapping}"
        )
    return class_mapping[type(custom_module)]


# ---- questions to a QConfig


def activation_dtype(qconfig: Any) -> Any:
    """The dtype that activations have by a QConfig."""
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine activation dtype")
    return qconfig.activation().dtype


def weight_dtype(qconfig: Any) -> Any:
    """The dtype that weights have by a QConfig."""
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine weight dtype")
    return qconfig.weight().dtype


def activation_is_statically_quantized(qconfig: Any) -> bool:
    """Whether a QConfig rounds activations by parameters that are known beforehand."""
    known = (torch.quint8, torch.qint8, torch.qint32, torch.float16, *_PLAIN)
    return activation_dtype(qconfig) in known and not activation_is_dynamically_quantized(qconfig)


def activation_is_dynamically_quantized(qconfig: Any) -> bool:
    """Whether a QConfig rounds activations by parameters that each call finds."""
    return get_qconfig_dtypes(qconfig)[2]


def activation_is_int8_quantized(qconfig: Any) -> bool:
    """Whether a QConfig rounds activations to bytes."""
    return activation_dtype(qconfig) in (*_UNSIGNED_BYTES, *_SIGNED_BYTES)


def activation_is_int32_quantized(qconfig: Any) -> bool:
    """Whether a QConfig rounds activations to integers of 32 bits."""
    return activation_dtype(qconfig) in _LONG_WORDS


def weight_is_quantized(qconfig: Any) -> bool:
    """Whether a QConfig rounds weights."""
    known = (torch.quint8, torch.qint8, torch.float16, torch.quint4x2, *_PLAIN)
    return weight_dtype(qconfig) in known


def weight_is_statically_quantized(qconfig: Any) -> bool:
    """Whether a QConfig rounds weights to bytes."""
    return weight_dtype(qconfig) in (*_UNSIGNED_BYTES, *_SIGNED_BYTES)


def op_is_int8_dynamically_quantized(qconfig: Any) -> bool:
    """Whether each call rounds activations to unsigned bytes, for weights of signed ones."""
    activation, weight, is_dynamic = get_qconfig_dtypes(qconfig)
    return activation in _UNSIGNED_BYTES and weight in _SIGNED_BYTES and is_dynamic


def get_qconfig_dtypes(qconfig: Any) -> tuple[Any, Any, Any]:
    """The dtypes of activations and of weights by a QConfig, and whether it is dynamic."""
    if qconfig is None:
        raise AssertionError("qconfig must be provided to extract dtypes")
    activation = qconfig.activation()
    weight = qconfig.weight()
    return activation.dtype, weight.dtype, getattr(activation, "is_dynamic", False)


def get_quant_type(qconfig: Any) -> QuantType:
    """The kind of quantization that a QConfig asks for.

    Raises:
        Exception: its dtypes make no known kind.
    """
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine quant type")
    activation = qconfig.activation()
    weight = qconfig.weight()
    static = (torch.quint8, torch.qint8, torch.quint4x2, torch.qint32, *_PLAIN)
    is_dynamic = hasattr(activation, "is_dynamic") and activation.is_dynamic
    if weight.dtype in static:
        if is_dynamic:
            return QuantType.DYNAMIC
        return QuantType.STATIC if activation.dtype in static else QuantType.WEIGHT_ONLY
    if weight.dtype == torch.float16:
        if is_dynamic:
            return QuantType.DYNAMIC
        if activation.dtype == torch.float16:
            return QuantType.STATIC
    raise Exception(
        "Unrecognized dtype combination in get_quant_type: "
        f"activation({activation.dtype}),weight({weight.dtype})"
    )


# ---- ranges, scales and zero points


def check_min_max_valid(min_val: Any, max_val: Any) -> bool:
    """Whether an observer has seen numbers yet, which it warns of.

    Raises:
        AssertionError: a minimum is larger than its maximum.
    """
    unseen = min_val.numel() == 0 or max_val.numel() == 0
    scalar = min_val.dim() == 0 or max_val.dim() == 0
    if unseen or (scalar and min_val == float("inf") and max_val == float("-inf")):
        warnings.warn(
            "must run observer before calling calculate_qparams. Returning default values.",
            stacklevel=2,
        )
        return False
    if (min_val > max_val) if scalar else torch.any(min_val > max_val):
        raise AssertionError(f"min {min_val} should be less than max {max_val}")
    return True


def calculate_qmin_qmax(
    quant_min: Any, quant_max: Any, has_customized_qrange: bool, dtype: Any, reduce_range: bool
) -> tuple[int, int]:
    """The least and the largest integer of a range: the given ones, or those of a dtype.

    Args:
        quant_min, quant_max: the given ones.
        has_customized_qrange: whether they count.
        dtype: the quantized dtype.
        reduce_range: whether the range has half the numbers.

    Raises:
        AssertionError: the given range is larger than the dtype's.
    """
    if has_customized_qrange:
        count = quant_max - quant_min + 1
        if dtype in _SIGNED_BYTES and not 0 < count <= 256:
            raise AssertionError(
                "quantization range should be positive and not exceed the maximum bit range (=256)."
            )
        if dtype in _LONG_WORDS and not 0 < count <= 2**32:
            raise AssertionError(
                "quantization range should be positive and not exceed the maximum bit range "
                "(=4294967296)."
            )
        return (quant_min // 2, quant_max // 2) if reduce_range else (quant_min, quant_max)
    if dtype in _SIGNED_BYTES:
        return (-64, 63) if reduce_range else (-128, 127)
    if dtype in _UNSIGNED_BYTES:
        return (0, 127) if reduce_range else (0, 255)
    if dtype in _LONG_WORDS:
        return -(2**31), 2**31 - 1
    if dtype == torch.uint16:
        return 0, 2**16 - 1
    if dtype == torch.int16:
        return -(2**15), 2**15 - 1
    return 0, 15


def validate_qmin_qmax(quant_min: int, quant_max: int) -> None:
    """Checks a range that the user gives.

    Raises:
        AssertionError: it is empty, or zero is not in it.
    """
    if not quant_min <= 0 <= quant_max:
        raise AssertionError("Used-specified quantization range must include 0.")
    if quant_min >= quant_max:
        raise AssertionError(
            "qmin must be strictly less than qmax for user-specified quantization range."
        )


def determine_qparams(
    min_val: Any,
    max_val: Any,
    quant_min: int,
    quant_max: int,
    dtype: Any,
    eps: Any,
    has_customized_qrange: bool,
    qscheme: Any = torch.per_tensor_affine,
) -> tuple[Any, Any]:
    """The scale, in double precision, and the zero point for numbers of a range.

    Args:
        min_val, max_val: the least and the largest number: scalars, or one for each channel.
        quant_min, quant_max: the integers that stand for them.
        dtype: the quantized dtype.
        eps: the least scale.
        has_customized_qrange: whether the user gave the integers.
        qscheme: how zero is placed.
    """
    if not check_min_max_valid(min_val, max_val):
        return unseen_qparams(min_val)
    eps = eps.to(min_val.device)
    middle = None
    if dtype in _UNSIGNED_BYTES:
        middle = (quant_min + quant_max) // 2 if has_customized_qrange else 128
    scale, zero_point = qparams_of_range(
        min_val, max_val, quant_min, quant_max, eps, qscheme, middle
    )
    return scale.to(torch.double), zero_point.to(torch.int64)


def unseen_qparams(min_val: Any) -> tuple[Any, Any]:
    """The scale 1 and the zero point 0 of an observer that has seen nothing."""
    device = min_val.device.type
    return torch.tensor([1.0], device=device), torch.tensor([0], device=device)


def qparams_of_range(
    min_val: Any,
    max_val: Any,
    quant_min: int,
    quant_max: int,
    eps: Any,
    qscheme: Any,
    middle: int | None,
) -> tuple[Any, Any]:
    """The scale and the zero point of a range; of scalars, each as a vector of one element.

    middle: the zero point of symmetric schemes, if it is not 0.
    """
    low = torch.min(min_val, torch.zeros_like(min_val))
    high = torch.max(max_val, torch.zeros_like(max_val))
    zero_point = torch.zeros(low.size(), dtype=torch.int64, device=low.device)
    steps = float(quant_max - quant_min)
    if qscheme in (torch.per_tensor_symmetric, torch.per_channel_symmetric):
        scale = torch.max(torch.max(-low, high) / (steps / 2), eps)
        if middle is not None:
            zero_point = zero_point.new_full(zero_point.size(), middle)
    elif qscheme == torch.per_channel_affine_float_qparams:
        scale = (max_val - min_val) / steps
        scale = torch.where(scale > eps, scale, torch.ones_like(scale))
        zero_point = -1 * min_val / scale
    else:
        scale = torch.max((high - low) / steps, eps)
        zero_point = quant_min - torch.round(low / scale).to(torch.int)
        zero_point = torch.clamp(zero_point, quant_min, quant_max)
    return _as_vector(scale, float), _as_vector(zero_point, int)


def _as_vector(x: Any, number: Callable[[Any], Any]) -> Any:
    """A 0-dimensional tensor as a vector; `x` itself if it has dimensions."""
    return torch.tensor([number(x)], dtype=x.dtype, device=x.device) if not x.dim() else x


# ---- modules and their calls


def _parent_name(target: str) -> tuple[str, str]:
    above, _, name = target.rpartition(".")
    return above, name


def has_no_children_ignoring_parametrizations(module: Any) -> bool:
    """Whether a module has no modules in it but those that compute its own parameters."""
    if len(module._modules) == 0:
        return True
    if is_parametrized(module):
        return len(module._modules) == 1 and "parametrizations" in module._modules
    return False


def _get_path_of_module(root: Any, submodule: Any) -> str | None:
    return next((name for name, each in root.named_modules() if submodule is each), None)


def _get_signature_locals(f: Callable[..., Any], loc: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in loc.items() if key in signature(f).parameters}


def _get_default_kwargs(f: Callable[..., Any]) -> OrderedDict[str, Any]:
    found: OrderedDict[str, Any] = OrderedDict()
    for name, parameter in signature(f).parameters.items():
        if parameter.default is not parameter.empty:
            found[name] = parameter.default
        elif parameter.kind is parameter.VAR_POSITIONAL:
            found[name] = ()
        elif parameter.kind is parameter.VAR_KEYWORD:
            found[name] = {}
    return found


def _normalize_kwargs(func: Callable[..., Any], loc: dict[str, Any]) -> OrderedDict[str, Any]:
    normalized = _get_default_kwargs(func)
    for name, value in _get_signature_locals(func, loc).items():
        if name in normalized:
            normalized[name] = value
    return normalized


def _get_num_pos_args(f: Callable[..., Any]) -> int:
    return len(getfullargspec(f).args)


def get_fqn_to_example_inputs(
    model: Any, example_inputs: tuple[Any, ...]
) -> dict[str, tuple[Any, ...]]:
    """The inputs of each module in `model`, by its name, when the model is called.

    Args:
        model: a Module.
        example_inputs: the model's own inputs.
    """
    found = {}
    plain_call = torch.nn.Module.__call__

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = list(args)
        normalized = _normalize_kwargs(self.forward, kwargs)
        given_by_place = _get_num_pos_args(self.forward) - 1 - len(inputs)  # self is not given
        while given_by_place and normalized:
            normalized.popitem(last=False)
            given_by_place -= 1
        inputs.extend(normalized.values())
        name = _get_path_of_module(model, self)
        if name is not None:
            found[name] = tuple(inputs)
        return plain_call(self, *args, **kwargs)

    torch.nn.Module.__call__ = call
    try:
        model(*example_inputs)
    finally:
        torch.nn.Module.__call__ = plain_call
    return found


def _assert_and_get_unique_device(module: Any) -> Any:
    devices = {each.device for each in (*module.parameters(), *module.buffers())}
    if {torch.device("cpu"), torch.device("meta")} == devices:
        warnings.warn(
            "Both 'meta' and 'cpu' are present in the list of devices. Module can have one "
            "device. We Select 'cpu'.",
            stacklevel=2,
        )
        devices = {torch.device("cpu")}
    if len(devices) > 1:
        raise AssertionError(
            f"prepare only works with cpu or single-device CUDA modules, but got devices {devices}"
        )
    return next(iter(devices), None)
