"""torch.ao.quantization.qconfig_mapping: QConfigs by classes, functions and names of modules."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.quantization.fake_quantize import (
    FixedQParamsFakeQuantize,
    default_weight_fake_quant,
)
from minitorch.ao.quantization.observer import (
    default_fixed_qparams_range_0to1_observer,
    default_fixed_qparams_range_neg1to1_observer,
    default_placeholder_observer,
    default_weight_observer,
)
from minitorch.ao.quantization.qconfig import (
    QConfig,
    default_quint8_weight_qconfig,
    default_reuse_input_qconfig,
    default_symmetric_qnnpack_qat_qconfig,
    default_symmetric_qnnpack_qconfig,
    get_default_qat_qconfig,
    get_default_qconfig,
)

__all__ = ["get_default_qconfig_mapping", "get_default_qat_qconfig_mapping", "QConfigMapping"]

_GLOBAL_DICT_KEY = ""
_OBJECT_TYPE_DICT_KEY = "object_type"
_MODULE_NAME_REGEX_DICT_KEY = "module_name_regex"
_MODULE_NAME_DICT_KEY = "module_name"
_MODULE_NAME_OBJECT_TYPE_ORDER_DICT_KEY = "module_name_object_type_order"

_FIXED_QPARAMS_OP_TO_OBSERVER: dict[Any, Any] = {
    **dict.fromkeys(
        (
            nn.Hardsigmoid,
            nn.functional.hardsigmoid,
            "hardsigmoid",
            "hardsigmoid_",
            nn.Sigmoid,
            torch.sigmoid,
            "sigmoid",
            "sigmoid_",
            nn.Softmax,
        ),
        default_fixed_qparams_range_0to1_observer,
    ),
    **dict.fromkeys(
        (nn.Tanh, torch.tanh, "tanh", "tanh_"), default_fixed_qparams_range_neg1to1_observer
    ),
}


def _get_default_qconfig_mapping(is_qat: bool, backend: str, version: int) -> QConfigMapping:
    qconfig = (get_default_qat_qconfig if is_qat else get_default_qconfig)(backend, version)
    weight = default_weight_fake_quant if is_qat else default_weight_observer
    transposed = qconfig
    if backend in ("fbgemm", "x86"):  # which round transposed weights as a whole
        transposed = QConfig(activation=qconfig.activation, weight=weight)
    layer_norm = QConfig(activation=qconfig.activation, weight=default_placeholder_observer)
    mapping = QConfigMapping().set_global(qconfig)
    mapping.set_object_type("reshape", default_reuse_input_qconfig)
    for kind in (
        *(nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d),
        nn.functional.conv_transpose1d,
        nn.functional.conv_transpose2d,
        nn.functional.conv_transpose3d,
    ):
        mapping.set_object_type(kind, transposed)
    mapping.set_object_type(nn.functional.layer_norm, layer_norm)
    mapping.set_object_type(nn.LayerNorm, layer_norm)
    mapping.set_object_type(nn.PReLU, default_quint8_weight_qconfig)
    fixed: dict[Any, Any] = {}
    for kind, observer in _FIXED_QPARAMS_OP_TO_OBSERVER.items():
        if observer not in fixed:
            activation = observer
            if is_qat:
                activation = FixedQParamsFakeQuantize.with_args(observer=observer)
            fixed[observer] = QConfig(activation=activation, weight=weight)
        mapping.set_object_type(kind, fixed[observer])
    return mapping


def get_default_qconfig_mapping(backend: str = "x86", version: int = 0) -> QConfigMapping:
    """The QConfigMapping for calibration that torch has for a backend.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 0.

    As torch.ao.quantization.get_default_qconfig_mapping.
    """
    return _get_default_qconfig_mapping(False, backend, version)


def get_default_qat_qconfig_mapping(backend: str = "x86", version: int = 1) -> QConfigMapping:
    """The QConfigMapping for training that torch has for a backend.

    Args:
        backend: "x86", "fbgemm", "qnnpack" or "onednn".
        version: 1 or 0.

    As torch.ao.quantization.get_default_qat_qconfig_mapping.
    """
    return _get_default_qconfig_mapping(True, backend, version)


def _get_symmetric_qnnpack_qconfig_mapping() -> QConfigMapping:
    return _get_default_qconfig_mapping_with_default_qconfig(
        False, "qnnpack", default_symmetric_qnnpack_qconfig
    )


def _get_symmetric_qnnpack_qat_qconfig_mapping() -> QConfigMapping:
    return _get_default_qconfig_mapping_with_default_qconfig(
        True, "qnnpack", default_symmetric_qnnpack_qat_qconfig
    )


def _get_default_qconfig_mapping_with_default_qconfig(
    is_qat: bool, backend: str, default_qconfig: QConfig
) -> QConfigMapping:
    make = get_default_qat_qconfig_mapping if is_qat else get_default_qconfig_mapping
    mapping = make(backend).set_global(default_qconfig)
    for pattern in mapping.object_type_qconfigs:
        if pattern not in _FIXED_QPARAMS_OP_TO_OBSERVER:
            mapping.set_object_type(pattern, default_qconfig)
    return mapping


_QCONFIG_STYLE_ORDER: list[str] = [
    "global_qconfig",
    "object_type_qconfigs",
    "module_name_regex_qconfigs",
    "module_name_qconfigs",
    "module_name_object_type_order_qconfigs",
]


class QConfigMapping:
    """QConfigs for a model: for all of it, by classes and functions, and by names of modules.

    A later kind of the list wins over an earlier one. A QConfig of None stands for none.

    As torch.ao.quantization.QConfigMapping.
    """

    def __init__(self) -> None:
        self.global_qconfig: Any = None
        self.object_type_qconfigs: OrderedDict[Any, Any] = OrderedDict()
        self.module_name_regex_qconfigs: OrderedDict[str, Any] = OrderedDict()
        self.module_name_qconfigs: OrderedDict[str, Any] = OrderedDict()
        self.module_name_object_type_order_qconfigs: OrderedDict[tuple[str, Any, int], Any] = (
            OrderedDict()
        )

    def set_global(self, global_qconfig: Any) -> QConfigMapping:
        """Sets the QConfig of all that has no other. Returns the mapping itself."""
        self.global_qconfig = global_qconfig
        return self

    def set_object_type(self, object_type: Any, qconfig: Any) -> QConfigMapping:
        """Sets the QConfig of a class, a function or a method. Returns the mapping itself."""
        self.object_type_qconfigs[object_type] = qconfig
        return self

    def set_module_name_regex(self, module_name_regex: str, qconfig: Any) -> QConfigMapping:
        """Sets the QConfig of modules whose names match. Returns the mapping itself."""
        self.module_name_regex_qconfigs[module_name_regex] = qconfig
        return self

    def set_module_name(self, module_name: str, qconfig: Any) -> QConfigMapping:
        """Sets the QConfig of the module of a name. Returns the mapping itself."""
        self.module_name_qconfigs[module_name] = qconfig
        return self

    def set_module_name_object_type_order(
        self, module_name: str, object_type: Any, index: int, qconfig: Any
    ) -> QConfigMapping:
        """Sets the QConfig of a call in a module, the `index`-th of a function or of modules of a
        class. Returns the mapping itself."""
        self.module_name_object_type_order_qconfigs[(module_name, object_type, index)] = qconfig
        return self

    def __repr__(self) -> str:
        lines = [f"{self.__class__.__name__} ("]
        for style in _QCONFIG_STYLE_ORDER:
            lines.append(f" {style}")
            qconfigs = getattr(self, style)
            if isinstance(qconfigs, OrderedDict) and qconfigs:
                lines += [f"  {key}: {qconfig}" for key, qconfig in qconfigs.items()]
            else:
                lines.append(f"  {qconfigs}")
        return "\n".join([*lines, ")"])

    def to_dict(self) -> dict[str, Any]:
        """The mapping as a dict, as older versions took them."""
        ordered = self.module_name_object_type_order_qconfigs.items()
        return {
            _GLOBAL_DICT_KEY: self.global_qconfig,
            _OBJECT_TYPE_DICT_KEY: list(self.object_type_qconfigs.items()),
            _MODULE_NAME_REGEX_DICT_KEY: list(self.module_name_regex_qconfigs.items()),
            _MODULE_NAME_DICT_KEY: list(self.module_name_qconfigs.items()),
            _MODULE_NAME_OBJECT_TYPE_ORDER_DICT_KEY: [(*key, value) for key, value in ordered],
        }

    @classmethod
    def from_dict(cls, qconfig_dict: dict[str, Any]) -> QConfigMapping:
        """The mapping that a dict describes.

        Args:
            qconfig_dict: as of to_dict; each key may be missing.
        """
        found = cls()
        if _GLOBAL_DICT_KEY in qconfig_dict:
            found.set_global(qconfig_dict[_GLOBAL_DICT_KEY])
        for key, add in (
            (_OBJECT_TYPE_DICT_KEY, found.set_object_type),
            (_MODULE_NAME_REGEX_DICT_KEY, found.set_module_name_regex),
            (_MODULE_NAME_DICT_KEY, found.set_module_name),
            (_MODULE_NAME_OBJECT_TYPE_ORDER_DICT_KEY, found.set_module_name_object_type_order),
        ):
            for entry in qconfig_dict.get(key, []):
                add(*entry)  # type: ignore[operator]
        return found
