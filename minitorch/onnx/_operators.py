"""How operators of ATen are written in ONNX: all chapters of the table."""

from __future__ import annotations

from minitorch.onnx import _elementwise, _layers, _more, _shapes  # noqa: F401 - they fill it
from minitorch.onnx._translators import TRANSLATORS, Translator


def translator_of(op: str) -> Translator | None:
    """The function of an operator, such as aten::add.Tensor; None if there is none."""
    return TRANSLATORS.get(op) or TRANSLATORS.get(op.partition(".")[0])
