"""torch.onnx: modules as models of ONNX, for inputs of fixed shapes; and the exporter's names.

What programs register for it is kept: packages do that when they are imported.
"""

import sys
from importlib import import_module
from typing import Any

from minitorch._C._onnx import OperatorExportTypes, TensorProtoDataType, TrainingMode
from minitorch._public import outlines
from minitorch.onnx.utils import (
    register_custom_op_symbolic,
    select_model_mode_for_export,
    unregister_custom_op_symbolic,
)

producer_name = "pytorch"


def is_in_onnx_export() -> bool:
    """Whether `export` runs the module now."""
    exporter = sys.modules.get("minitorch.onnx._export")
    return exporter is not None and exporter.EXPORTING


_LAZY = {"export": "_export", "ONNXProgram": "_program"}
_outlined, __dir__ = outlines.rest_of("torch.onnx")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"minitorch.onnx.{_LAZY[name]}"), name)
    return _outlined(name)
