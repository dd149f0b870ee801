"""torch.ao.quantization.quantization_mappings: which module takes the place of which.

Modules that hold integers are names alone: convert refuses to make them.
"""

from __future__ import annotations

import copy
from typing import Any

from minitorch import nn
from minitorch._public import outlines
from minitorch.ao import nn as ao_nn
from minitorch.ao.nn import intrinsic as nni
from minitorch.ao.nn import qat as nnqat
from minitorch.ao.nn import quantized as nnq
from minitorch.ao.nn.intrinsic import qat as nniqat
from minitorch.ao.nn.qat import dynamic as nnqatd
from minitorch.ao.quantization.fake_quantize import (
    default_fixed_qparams_range_0to1_fake_quant,
    default_fixed_qparams_range_neg1to1_fake_quant,
)
from minitorch.ao.quantization.stubs import DeQuantStub, QuantStub
from minitorch.ao.quantization.utils import get_combined_dict
from minitorch.nn import functional as F
from minitorch.nn.utils.parametrize import type_before_parametrizations

__all__ = [
    "DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS",
    "DEFAULT_STATIC_QUANT_MODULE_MAPPINGS",
    "DEFAULT_QAT_MODULE_MAPPINGS",
    "DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS",
    "DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS",
    "DEFAULT_MODULE_TO_ACT_POST_PROCESS",
    "DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS",
    "DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS",
    "no_observer_set",
    "get_default_static_quant_module_mappings",
    "get_default_static_quant_reference_module_mappings",
    "get_embedding_static_quant_module_mappings",
    "get_default_static_sparse_quant_module_mappings",
    "get_static_quant_module_class",
    "get_dynamic_quant_module_class",
    "get_default_qat_module_mappings",
    "get_embedding_qat_module_mappings",
    "get_default_dynamic_quant_module_mappings",
    "get_default_dynamic_sparse_quant_module_mappings",
    "get_default_qconfig_propagation_list",
    "get_default_compare_output_module_list",
    "get_default_float_to_quantized_operator_mappings",
    "get_quantized_operator",
]

# Packages of names alone.
nniq, nnqd, nnqr = nni.quantized, nnq.dynamic, nnq.reference
nniqd = nniq.dynamic
_PlainLinear = nn.modules.linear.NonDynamicallyQuantizableLinear


def _named(names: str, package: Any, source: Any = nn) -> dict[Any, Any]:
    """The classes of a package by those of the same names."""
    return {getattr(source, name): getattr(package, name) for name in names.split()}


_CONVOLUTIONS = "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d"

DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS: dict[Any, Any] = {
    QuantStub: nnq.Quantize,
    DeQuantStub: nnq.DeQuantize,
    **_named(f"Linear {_CONVOLUTIONS} Embedding EmbeddingBag GRUCell LSTMCell RNNCell LSTM", nnqr),
}

DEFAULT_STATIC_QUANT_MODULE_MAPPINGS: dict[Any, Any] = {
    QuantStub: nnq.Quantize,
    DeQuantStub: nnq.DeQuantize,
    **_named(
        f"BatchNorm2d BatchNorm3d Dropout {_CONVOLUTIONS} ELU Embedding EmbeddingBag GroupNorm "
        "Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm LeakyReLU",
        nnq,
    ),
    _PlainLinear: nnq.Linear,
    **_named("Linear ReLU6 PReLU", nnq),
    nnq.FloatFunctional: nnq.QFunctional,
    **_named(
        "BNReLU2d BNReLU3d ConvReLU1d ConvReLU2d ConvReLU3d ConvAdd2d ConvAddReLU2d LinearReLU "
        "LinearLeakyReLU LinearTanh",
        nniq,
        nni,
    ),
    nniqat.ConvBn1d: nnq.Conv1d,
    nniqat.ConvBn2d: nnq.Conv2d,
    nniqat.ConvBn3d: nnq.Conv3d,
    nniqat.ConvBnReLU1d: nniq.ConvReLU1d,
    nniqat.ConvBnReLU2d: nniq.ConvReLU2d,
    nniqat.ConvBnReLU3d: nniq.ConvReLU3d,
    **_named("ConvReLU2d ConvReLU3d LinearReLU", nniq, nniqat),
    nniqat.LinearBn1d: nnq.Linear,
    **_named("Linear Conv2d Conv3d", nnq, nnqat),
}

DEFAULT_QAT_MODULE_MAPPINGS: dict[Any, Any] = {
    **_named("Conv2d Conv3d Linear", nnqat),
    _PlainLinear: nnqat.Linear,
    **_named(
        "ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU2d ConvReLU3d "
        "LinearReLU LinearBn1d",
        nniqat,
        nni,
    ),
}

DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS: dict[Any, Any] = {
    **_named("GRUCell Linear", nnqd),
    nnqatd.Linear: nnqd.Linear,
    _PlainLinear: nnqd.Linear,
    **_named("LSTM GRU LSTMCell RNNCell", nnqd),
    nni.LinearReLU: nniqd.LinearReLU,
    **_named("EmbeddingBag Embedding", nnq),
}

_INCLUDE_QCONFIG_PROPAGATE_LIST: set[Any] = {nn.Sequential}

DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS: dict[Any, Any] = {
    getattr(F, name): outlines.refused_function("torch.ops.quantized", name)
    for name in ("elu", "hardswish", "instance_norm", "layer_norm", "leaky_relu", "dropout")
}

DEFAULT_MODULE_TO_ACT_POST_PROCESS: dict[Any, Any] = {
    nn.Hardsigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Sigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Softmax: default_fixed_qparams_range_0to1_fake_quant,
    nn.Tanh: default_fixed_qparams_range_neg1to1_fake_quant,
}

DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS: dict[Any, Any] = {
    nn.Linear: ao_nn.sparse.quantized.Linear
}
DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS: dict[Any, Any] = {
    nn.Linear: ao_nn.sparse.quantized.dynamic.Linear
}


def no_observer_set() -> set[Any]:
    """The classes whose outputs no observer sees."""
    return {nn.quantizable.LSTM, nn.quantizable.MultiheadAttention}


def get_default_static_quant_module_mappings() -> dict[Any, Any]:
    """The modules of integers by plain ones."""
    return copy.deepcopy(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)


def get_default_static_quant_reference_module_mappings() -> dict[Any, Any]:
    """The modules that describe integers by plain ones."""
    return copy.deepcopy(DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS)


def get_embedding_static_quant_module_mappings() -> dict[Any, Any]:
    """The modules of integers by plain ones, and by tables of training."""
    mapping = copy.deepcopy(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)
    mapping.update(_named("EmbeddingBag Embedding", nnq, nnqat))
    return mapping


def get_default_static_sparse_quant_module_mappings() -> dict[Any, Any]:
    """The modules of sparse integers by plain ones."""
    return copy.deepcopy(DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS)


def _class_of(float_module_class: Any, mapping: Any, additional: Any) -> Any:
    found = get_combined_dict(mapping, additional or {}).get(float_module_class, None)
    if found is None:
        raise AssertionError(
            f"Floating point module class {float_module_class} does not have a corresponding "
            "quantized module class"
        )
    return copy.deepcopy(found)


def get_static_quant_module_class(
    float_module_class: Any,
    additional_static_quant_mapping: Any = None,
    is_reference: bool = False,
) -> Any:
    """The module of integers for a plain class.

    Args:
        float_module_class: the plain class.
        additional_static_quant_mapping: more modules of integers by plain ones.
        is_reference: whether modules that describe integers are meant.

    Raises:
        AssertionError: there is none.

    As torch.ao.quantization.get_static_quant_module_class.
    """
    known = DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
    if is_reference:
        known = DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS
    return _class_of(float_module_class, known, additional_static_quant_mapping)


def get_dynamic_quant_module_class(
    float_module_class: Any, additional_dynamic_quant_mapping: Any = None
) -> Any:
    """The module with weights of integers for a plain class.

    Args:
        float_module_class: the plain class.
        additional_dynamic_quant_mapping: more such modules by plain ones.

    Raises:
        AssertionError: there is none.

    As torch.ao.quantization.get_dynamic_quant_module_class.
    """
    known = DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS
    return _class_of(float_module_class, known, additional_dynamic_quant_mapping)


def get_default_qat_module_mappings() -> dict[Any, Any]:
    """The modules that are trained with rounded weights by plain ones."""
    return copy.deepcopy(DEFAULT_QAT_MODULE_MAPPINGS)


def get_embedding_qat_module_mappings() -> dict[Any, Any]:
    """The modules that are trained with rounded weights by plain ones; tables, too."""
    mapping = copy.deepcopy(DEFAULT_QAT_MODULE_MAPPINGS)
    mapping.update(_named("EmbeddingBag Embedding", nnqat))
    return mapping


def get_default_dynamic_quant_module_mappings() -> dict[Any, Any]:
    """The modules with weights of integers by plain ones."""
    return DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS


def get_default_dynamic_sparse_quant_module_mappings() -> dict[Any, Any]:
    """The modules with sparse weights of integers by plain ones."""
    return DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS


def get_default_qconfig_propagation_list() -> set[Any]:
    """The classes of modules that can have a QConfig."""
    return copy.deepcopy(
        {
            *DEFAULT_STATIC_QUANT_MODULE_MAPPINGS,
            *DEFAULT_QAT_MODULE_MAPPINGS,
            *DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS,
            *_INCLUDE_QCONFIG_PROPAGATE_LIST,
        }
    )


def get_default_compare_output_module_list() -> set[Any]:
    """The classes of modules whose outputs can be compared before and after a conversion."""
    mappings = (
        DEFAULT_STATIC_QUANT_MODULE_MAPPINGS,
        DEFAULT_QAT_MODULE_MAPPINGS,
        DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS,
    )
    both = [each for mapping in mappings for pair in mapping.items() for each in pair]
    return copy.deepcopy({*both, *_INCLUDE_QCONFIG_PROPAGATE_LIST})


def get_default_float_to_quantized_operator_mappings() -> dict[Any, Any]:
    """The functions of integers by plain ones."""
    return copy.deepcopy(DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS)


def get_quantized_operator(float_op: Any) -> Any:
    """The function of integers for a plain one.

    Args:
        float_op: the plain function.

    Raises:
        AssertionError: there is none.

    As torch.ao.quantization.get_quantized_operator.
    """
    found = DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS.get(float_op)
    if found is None:
        raise AssertionError(f"Operator {float_op} does not have corresponding quantized op")
    return found


def _get_special_act_post_process(module: Any) -> Any:
    """The observer of the output of a module of a known range; None for others."""
    return DEFAULT_MODULE_TO_ACT_POST_PROCESS.get(type_before_parametrizations(module))


def _has_special_act_post_process(module: Any) -> bool:
    return module.training and type(module) in DEFAULT_MODULE_TO_ACT_POST_PROCESS
