"""torch.ao.quantization.quantize: observers put into models, and layers exchanged for others.

A model is prepared for calibration by `prepare`, and for training by `prepare_qat`. Layers of
integers are not there: `convert` refuses when it would need one.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch._public import outlines
from minitorch.ao.nn import quantized as nnq
from minitorch.ao.nn.intrinsic import _FusedModule
from minitorch.ao.quantization._deprecation import DEPRECATION_WARNING, deprecated
from minitorch.ao.quantization.observer import _is_activation_post_process
from minitorch.ao.quantization.qconfig import (
    _activation_is_memoryless,
    _add_module_to_qconfig_obs_ctr,
    _assert_valid_qconfig,
    default_dynamic_qconfig,
    float16_dynamic_qconfig,
    float_qparams_weight_only_qconfig,
    float_qparams_weight_only_qconfig_4bit,
)
from minitorch.ao.quantization.quantization_mappings import (
    _get_special_act_post_process,
    _has_special_act_post_process,
    get_default_dynamic_quant_module_mappings,
    get_default_qat_module_mappings,
    get_default_qconfig_propagation_list,
    get_default_static_quant_module_mappings,
    get_default_static_quant_reference_module_mappings,
    no_observer_set,
)
from minitorch.ao.quantization.stubs import DeQuantStub, QuantWrapper
from minitorch.ao.quantization.utils import (
    get_qparam_dict,
    has_no_children_ignoring_parametrizations,
)
from minitorch.nn.utils.parametrize import type_before_parametrizations

__all__ = [
    "get_default_custom_config_dict",
    "propagate_qconfig_",
    "add_quant_dequant",
    "prepare",
    "quantize",
    "quantize_dynamic",
    "prepare_qat",
    "quantize_qat",
    "convert",
    "swap_module",
]

is_activation_post_process = _is_activation_post_process

_DEFAULT_CUSTOM_CONFIG_DICT: dict[str, dict[Any, Any]] = {
    "float_to_observed_custom_module_class": {
        nn.LSTM: nn.quantizable.LSTM,
        nn.MultiheadAttention: nn.quantizable.MultiheadAttention,
    },
    "observed_to_quantized_custom_module_class": {
        nn.quantizable.LSTM: nn.quantized.LSTM,
        nn.quantizable.MultiheadAttention: nn.quantized.MultiheadAttention,
    },
}


def get_default_custom_config_dict() -> dict[str, dict[Any, Any]]:
    """The classes that take the places of layers which are observed inside."""
    return _DEFAULT_CUSTOM_CONFIG_DICT


def _check_made(cls: Any) -> None:
    """Checks that the module in the place of another can be made. NotImplementedError if not."""
    if isinstance(cls, type) and outlines.is_refused(cls):
        raise NotImplementedError(
            "torch.ao.quantization.convert is not implemented by minitorch for models that need "
            f"{cls.__module__}.{cls.__qualname__}"
        )


# ---- QConfigs of modules


def _propagate_qconfig_helper(
    module: Any,
    qconfig_dict: Any,
    qconfig_parent: Any = None,
    prefix: str = "",
    prepare_custom_config_dict: Any = None,
) -> None:
    qconfig = qconfig_dict.get(type_before_parametrizations(module), qconfig_parent)
    qconfig = qconfig_dict.get(prefix, qconfig)
    qconfig = getattr(module, "qconfig", qconfig)
    _assert_valid_qconfig(qconfig, module)
    qconfig = _add_module_to_qconfig_obs_ctr(qconfig, module)
    module.qconfig = qconfig
    custom = prepare_custom_config_dict or {}
    for name, child in module.named_children():
        if name in custom.get("non_traceable_module_name", []):
            continue
        if type(child) in custom.get("non_traceable_module_class", []):
            continue
        child_prefix = f"{prefix}.{name}" if prefix else name
        _propagate_qconfig_helper(child, qconfig_dict, qconfig, child_prefix)


def propagate_qconfig_(
    module: Any, qconfig_dict: Any = None, prepare_custom_config_dict: Any = None
) -> None:
    """Gives every module in `module` a QConfig: its own, or that of the module around it.

    Args:
        module: a Module.
        qconfig_dict: QConfigs by names and by classes of modules.
        prepare_custom_config_dict: `non_traceable_module_name` and `non_traceable_module_class`:
            modules of `module` that are left out.

    As torch.ao.quantization.propagate_qconfig_.
    """
    _propagate_qconfig_helper(
        module, qconfig_dict or {}, prepare_custom_config_dict=prepare_custom_config_dict or {}
    )


# ---- observers


def _observer_forward_hook(self: Any, input: Any, output: Any) -> Any:
    return self.activation_post_process(output)


def _observer_forward_pre_hook(self: Any, input: Any) -> Any:
    return self.activation_post_process(input[0])


def _register_activation_post_process_hook(module: Any, pre_hook: bool = False) -> None:
    if not hasattr(module, "activation_post_process"):
        raise AssertionError(
            "Expect activation_post_process attribute already attached to the module"
        )
    if pre_hook:
        module.register_forward_pre_hook(_observer_forward_pre_hook, prepend=True)
    else:
        module.register_forward_hook(_observer_forward_hook, prepend=True)


def _needs_observation(module: Any) -> bool:
    return hasattr(module, "qconfig") and module.qconfig is not None


def _activation_post_process(qconfig: Any, device: Any, special: Any = None) -> Any:
    activation = qconfig.activation() if special is None else special()
    if device is not None:
        activation.to(device)
    return activation


def _insert_activation_post_process(module: Any, device: Any, special: Any = None) -> None:
    """Lets an observer see the output of a module, or its input if the observer has no memory."""
    if _needs_observation(module) and not isinstance(module, DeQuantStub):
        observer = _activation_post_process(module.qconfig, device, special)
        module.add_module("activation_post_process", observer)
        _register_activation_post_process_hook(
            module, pre_hook=_activation_is_memoryless(module.qconfig)
        )


def _add_observer_(
    module: Any,
    qconfig_propagation_list: Any = None,
    non_leaf_module_list: Any = None,
    device: Any = None,
    custom_module_class_mapping: Any = None,
) -> None:
    """Lets observers see the outputs of the layers in `module` that have a QConfig."""
    if qconfig_propagation_list is None:
        qconfig_propagation_list = get_default_qconfig_propagation_list()
    if custom_module_class_mapping is None:
        custom_module_class_mapping = {}
    if device is None:
        device = _only_device("_add_observer_", module)
    for name, child in module.named_children():
        kind = type_before_parametrizations(child)
        if kind is nn.Dropout:
            continue
        if issubclass(kind, (nnq.FloatFunctional, nnq.QFunctional)):
            if _needs_observation(child):
                if not hasattr(child, "activation_post_process"):
                    raise AssertionError(
                        f"functional class {kind} has no pre-defined `activation_post_process`"
                    )
                child.activation_post_process = _activation_post_process(child.qconfig, device)
        elif isinstance(child, _FusedModule) or (
            non_leaf_module_list is not None and kind in non_leaf_module_list
        ):
            _insert_activation_post_process(child, device)
        elif _has_special_act_post_process(child):
            special = _get_special_act_post_process(child)
            _insert_activation_post_process(child, device, special)
        elif _needs_observation(child) and kind in custom_module_class_mapping:
            observed_class = custom_module_class_mapping[kind]
            observed = observed_class.from_float(child)
            setattr(module, name, observed)
            if not issubclass(observed_class, tuple(no_observer_set())):
                _insert_activation_post_process(observed, device)
        else:
            _add_observer_(
                child,
                qconfig_propagation_list,
                non_leaf_module_list,
                device,
                custom_module_class_mapping,
            )
    if isinstance(module, nn.Sequential):
        return
    if type_before_parametrizations(module) not in qconfig_propagation_list:
        return
    if has_no_children_ignoring_parametrizations(module):
        _insert_activation_post_process(module, device)
    if hasattr(module, "weight_fake_quant"):
        _insert_activation_post_process(module, device)


def _get_unique_devices_(module: Any) -> set[Any]:
    both = (*module.parameters(), *module.buffers())
    return {each.device for each in both if each.device.type != "meta"}


def _only_device(function: str, module: Any) -> Any:
    """The device of a module; None for a module without numbers. AssertionError for several."""
    devices = _get_unique_devices_(module)
    if len(devices) > 1:
        raise AssertionError(
            f"{function} only works with cpu or single-device CUDA modules, but got devices "
            f"{devices}"
        )
    return next(iter(devices), None)


def add_quant_dequant(module: Any) -> Any:
    """The module, in which a QuantWrapper is around each layer that has a QConfig.

    Args:
        module: a Module, which is changed.

    As torch.ao.quantization.add_quant_dequant.
    """
    alone = has_no_children_ignoring_parametrizations(module)
    if alone and hasattr(module, "qconfig") and module.qconfig:
        return QuantWrapper(module)
    for name, child in module.named_children():
        module._modules[name] = add_quant_dequant(child)
    return module


@deprecated(DEPRECATION_WARNING)
def prepare(
    model: Any,
    inplace: bool = False,
    allow_list: Any = None,
    observer_non_leaf_module_list: Any = None,
    prepare_custom_config_dict: Any = None,
) -> Any:
    """The model with observers at the outputs of its layers, for calibration. Deprecated.

    Args:
        model: a Module; it, or modules in it, have a `qconfig`.
        inplace: whether `model` itself is changed, not a copy.
        allow_list: the classes of layers that are observed.
        observer_non_leaf_module_list: classes of modules that are observed as a whole.
        prepare_custom_config_dict: classes that take the places of others:
            `float_to_observed_custom_module_class`.

    As torch.ao.quantization.prepare.
    """
    if prepare_custom_config_dict is None:
        prepare_custom_config_dict = get_default_custom_config_dict()
    if not inplace:
        model = copy.deepcopy(model)
    if allow_list is None:
        allow_list = get_default_qconfig_propagation_list()
    propagate_qconfig_(model, qconfig_dict=None)
    if not any([hasattr(m, "qconfig") and m.qconfig for m in model.modules()]):
        warnings.warn(
            "None of the submodule got qconfig applied. Make sure you passed correct configuration "
            "through `qconfig_dict` or by assigning the `.qconfig` attribute directly on "
            "submodules",
            stacklevel=2,
        )
    mapping = prepare_custom_config_dict.get("float_to_observed_custom_module_class", {})
    _add_observer_(
        model,
        allow_list,
        observer_non_leaf_module_list,
        custom_module_class_mapping=mapping,
    )
    return model


def _remove_activation_post_process(module: Any) -> None:
    observer = getattr(module, "activation_post_process", None)
    if observer is not None and _is_activation_post_process(observer):
        delattr(module, "activation_post_process")
    for hooks, hook in (
        (module._forward_pre_hooks, _observer_forward_pre_hook),
        (module._forward_hooks, _observer_forward_hook),
    ):
        for key in [key for key, each in hooks.items() if each is hook]:
            hooks.pop(key)


def _remove_qconfig(module: Any) -> None:
    """Takes QConfigs and observers out of a model."""
    for child in module.children():
        _remove_qconfig(child)
    if hasattr(module, "qconfig"):
        del module.qconfig
    _remove_activation_post_process(module)


# ---- whole courses


@deprecated(DEPRECATION_WARNING)
def quantize(
    model: Any, run_fn: Any, run_args: Any, mapping: Any = None, inplace: bool = False
) -> Any:
    """The model of integers, after calibration by a function. Deprecated.

    Args:
        model: a Module.
        run_fn: a function of the prepared model and `run_args`.
        run_args: a tuple.
        mapping: modules of integers by plain ones.
        inplace: whether `model` itself is changed, not a copy.

    Raises:
        NotImplementedError: for models with layers that become layers of integers.

    As torch.ao.quantization.quantize.
    """
    if mapping is None:
        mapping = get_default_static_quant_module_mappings()
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    prepare(model, inplace=True)
    run_fn(model, *run_args)
    convert(model, mapping, inplace=True)
    return model


def _dynamic_specification(qconfig_spec: Any, dtype: Any) -> Any:
    """The QConfigs by classes that quantize_dynamic stands for."""
    known = {
        torch.qint8: default_dynamic_qconfig,
        torch.float16: float16_dynamic_qconfig,
        torch.quint8: float_qparams_weight_only_qconfig,
        torch.quint4x2: float_qparams_weight_only_qconfig_4bit,
    }
    if qconfig_spec is None:
        if dtype not in known:
            raise ValueError(
                f"Don't know how to quantize with default settings for {dtype}. Provide full "
                "qconfig please"
            )
        layers: tuple[Any, ...] = (
            *(nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.RNNCell, nn.GRUCell),
        )
        if dtype == torch.quint8:
            layers = (nn.EmbeddingBag, nn.Embedding)
        elif dtype == torch.quint4x2:
            layers = (nn.EmbeddingBag,)
        return dict.fromkeys(layers, known[dtype])
    if isinstance(qconfig_spec, set):
        if dtype not in known:
            raise RuntimeError("Unknown dtype specified for quantize_dynamic: ", str(dtype))
        return dict.fromkeys(qconfig_spec, known[dtype])
    return qconfig_spec


@deprecated(DEPRECATION_WARNING)
def quantize_dynamic(
    model: Any,
    qconfig_spec: Any = None,
    dtype: Any = torch.qint8,
    mapping: Any = None,
    inplace: bool = False,
) -> Any:
    """The model with weights of integers, whose inputs each call rounds. Deprecated.

    Args:
        model: a Module.
        qconfig_spec: QConfigs by names and classes of modules, or a set of those.
        dtype: the dtype of the weights.
        mapping: modules with weights of integers by plain ones.
        inplace: whether `model` itself is changed, not a copy.

    Raises:
        NotImplementedError: for models with layers that become layers of integers.

    As torch.ao.quantization.quantize_dynamic.
    """
    qconfig_spec = _dynamic_specification(qconfig_spec, dtype)
    if mapping is None:
        mapping = get_default_dynamic_quant_module_mappings()
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    propagate_qconfig_(model, qconfig_spec)
    convert(model, mapping, inplace=True)
    return model


@deprecated(DEPRECATION_WARNING)
def prepare_qat(model: Any, mapping: Any = None, inplace: bool = False) -> Any:
    """The model with layers whose weights and outputs are rounded, to be trained. Deprecated.

    Args:
        model: a Module in training; it, or modules in it, have a `qconfig`.
        mapping: layers with rounded weights by plain ones.
        inplace: whether `model` itself is changed, not a copy.

    Raises:
        AssertionError: for a model in evaluation.

    As torch.ao.quantization.prepare_qat.
    """
    if not model.training:
        raise AssertionError("prepare_qat only works on models in training mode")
    if mapping is None:
        mapping = get_default_qat_module_mappings()
    if not inplace:
        model = copy.deepcopy(model)
    propagate_qconfig_(model, qconfig_dict=None)
    convert(model, mapping=mapping, inplace=True, remove_qconfig=False)
    prepare(model, observer_non_leaf_module_list=set(mapping.values()), inplace=True)
    return model


@deprecated(DEPRECATION_WARNING)
def quantize_qat(model: Any, run_fn: Any, run_args: Any, inplace: bool = False) -> Any:
    """The model of integers, after training by a function. Deprecated.

    Args:
        model: a Module.
        run_fn: a function of the prepared model and `run_args`.
        run_args: a tuple.
        inplace: whether `model` itself is changed, not a copy.

    Raises:
        NotImplementedError: for models with layers that become layers of integers.

    As torch.ao.quantization.quantize_qat.
    """
    if not inplace:
        model = copy.deepcopy(model)
    model.train()
    prepare_qat(model, inplace=True)
    run_fn(model, *run_args)
    convert(model, inplace=True)
    return model


# ---- layers exchanged


@deprecated(DEPRECATION_WARNING)
def convert(
    module: Any,
    mapping: Any = None,
    inplace: bool = False,
    remove_qconfig: bool = True,
    is_reference: bool = False,
    convert_custom_config_dict: Any = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """The module with layers that have a QConfig exchanged for those of a mapping. Deprecated.

    Args:
        module: a Module.
        mapping: classes by plain ones; those of integers if None.
        inplace: whether `module` itself is changed, not a copy.
        remove_qconfig: whether QConfigs and observers are taken out.
        is_reference: whether layers that describe integers are meant.
        convert_custom_config_dict: classes in the places of others:
            `observed_to_quantized_custom_module_class`.
        use_precomputed_fake_quant: passed on to `from_float`.

    Raises:
        NotImplementedError: for a layer of integers.

    As torch.ao.quantization.convert.
    """
    if not inplace:
        module = copy.deepcopy(module)
    _convert(
        module,
        mapping,
        inplace=True,
        is_reference=is_reference,
        convert_custom_config_dict=convert_custom_config_dict,
        use_precomputed_fake_quant=use_precomputed_fake_quant,
    )
    if remove_qconfig:
        _remove_qconfig(module)
    return module


def _convert(
    module: Any,
    mapping: Any = None,
    inplace: bool = False,
    is_reference: bool = False,
    convert_custom_config_dict: Any = None,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    if mapping is None:
        reference = get_default_static_quant_reference_module_mappings
        mapping = (reference if is_reference else get_default_static_quant_module_mappings)()
    if convert_custom_config_dict is None:
        convert_custom_config_dict = get_default_custom_config_dict()
    custom = convert_custom_config_dict.get("observed_to_quantized_custom_module_class", {})
    if not inplace:
        module = copy.deepcopy(module)
    found = {}
    for name, child in module.named_children():
        whole = isinstance(child, _FusedModule) or type_before_parametrizations(child) in custom
        if not whole:
            _convert(
                child,
                mapping,
                True,
                is_reference,
                convert_custom_config_dict,
                use_precomputed_fake_quant=use_precomputed_fake_quant,
            )
        found[name] = swap_module(child, mapping, custom, use_precomputed_fake_quant)
    module._modules.update(found)
    return module


def _swapped(mod: Any, cls: Any, use_precomputed_fake_quant: bool) -> Any:
    """The module of a class that takes the place of `mod`."""
    _check_made(cls)
    if getattr(cls, "_IS_REFERENCE", False):
        weight_post_process = mod.qconfig.weight()
        weight_post_process(mod.weight)
        return cls.from_float(mod, get_qparam_dict(weight_post_process))
    if "use_precomputed_fake_quant" in inspect.signature(cls.from_float).parameters:
        return cls.from_float(mod, use_precomputed_fake_quant=use_precomputed_fake_quant)
    return cls.from_float(mod)


def swap_module(
    mod: Any,
    mapping: Any,
    custom_module_class_mapping: Any,
    use_precomputed_fake_quant: bool = False,
) -> Any:
    """The module that takes the place of `mod`, with its hooks; `mod` itself if there is none.

    Args:
        mod: a Module.
        mapping: classes by plain ones, whose `from_float` makes the module.
        custom_module_class_mapping: classes whose `from_observed` does.
        use_precomputed_fake_quant: passed on to `from_float`.

    Raises:
        NotImplementedError: for a layer of integers.

    As torch.ao.quantization.swap_module.
    """
    if not _needs_observation(mod):
        return mod
    kind = type_before_parametrizations(mod)
    if kind in custom_module_class_mapping:
        cls = custom_module_class_mapping[kind]
        _check_made(cls)
        found = cls.from_observed(mod)
    elif kind in mapping:
        found = _swapped(mod, mapping[kind], use_precomputed_fake_quant)
    else:
        return mod
    for hook in mod._forward_pre_hooks.values():
        found.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        if hook is not _observer_forward_hook:
            found.register_forward_hook(hook)
    device = _only_device("swap_module", mod)
    if device:
        found.to(device)
    return found


def _get_observer_dict(mod: Any, target_dict: Any, prefix: str = "") -> None:
    """Puts the observers in a module into a dict, by their names."""
    start = f"{prefix}." if prefix else ""
    if hasattr(mod, "activation_post_process"):
        target_dict[start + "activation_post_process"] = mod.activation_post_process
    for name, child in mod.named_children():
        _get_observer_dict(child, target_dict, start + name)
