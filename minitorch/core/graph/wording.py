"""Texts of the graph's errors: the names of nodes, and saved tensors that were written in place."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.modes import ANOMALY
from minitorch.core.tensor.conversion import native_type_name


def title_of(node: Any) -> str:
    """The name of a node in error texts: 'Exp' for ExpBackward0, 'Sum1' for SumBackward1."""
    operator, backward, number = node.name().rpartition("Backward")
    if not backward or not (number == "" or number.isdigit()):
        return node.name()
    return operator + number.removeprefix("0")


def modified(self: Any, version: int, expected: int, maker: Any, number: int) -> RuntimeError:
    """The error for a saved tensor that was written in place, an output of the node `maker`."""
    origin = "" if maker is None else f", which is output {number} of {title_of(maker)},"
    shape = ", ".join(map(str, self._array.shape))
    hint = (
        "the backtrace further above shows the operation that failed to compute its gradient. The "
        "variable in question was changed in there or anywhere later. Good luck!"
        if ANOMALY.enabled
        else "enable anomaly detection to find the operation that failed to compute its gradient, "
        "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{native_type_name(self)} [{shape}]]{origin} is at version {version}; "
        f"expected version {expected} instead. Hint: {hint}"
    )
    if ANOMALY.explain is not None:
        error.add_note(ANOMALY.explain.write(self._cell, expected))
    return error
