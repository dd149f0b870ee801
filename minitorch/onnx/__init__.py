"""torch.onnx: the names of the exporter, which needs torch's tracer and refuses here.

What programs register for it is kept: packages do that when they are imported.
"""

from collections.abc import Callable
from typing import Any

from minitorch import outlines
from minitorch._C._onnx import OperatorExportTypes, TensorProtoDataType, TrainingMode
from minitorch.onnx.utils import (
    register_custom_op_symbolic,
    select_model_mode_for_export,
    unregister_custom_op_symbolic,
)

producer_name = "pytorch"


def is_in_onnx_export() -> bool:
    """False: no export ever runs."""
    return False


__getattr__, __dir__ = outlines.rest_of("torch.onnx")
