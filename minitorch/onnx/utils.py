"""torch.onnx.utils: what programs register for the exporter, and its questions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitorch._C._onnx import TrainingMode
from minitorch._public import outlines

# Functions that write operators of programs as ONNX's: by name, then by the version of ONNX's.
_symbolic_functions: dict[str, dict[int, Callable[..., Any]]] = {}


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int
) -> None:
    """Keeps a function that writes the operator "domain::name" as operators of ONNX.

    Raises:
        ValueError: for a name that is none.
    """
    _symbolic_functions.setdefault(_checked(symbolic_name), {})[opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forgets the registered operators; warns if there were none for this version."""
    name = _checked(symbolic_name)
    if name in _symbolic_functions and not _symbolic_functions[name].pop(opset_version, None):
        warnings.warn(
            f"No custom function registered for '{name}' opset {opset_version}", stacklevel=2
        )


def _checked(name: str) -> str:
    name = f"aten{name}" if name.startswith("::") else name
    if not re.fullmatch(r"[a-zA-Z0-9-_]+::[a-zA-Z-_]+[a-zA-Z0-9-_]*", name):
        raise outlines.find("torch.onnx", "OnnxExporterError")(
            f"Failed to register operator {name}. The symbolic name must match the format "
            "domain::name, and should start with a letter and contain only alphanumeric "
            "characters"
        )
    if name.partition("::")[0] == "onnx":
        raise ValueError(f"Failed to register operator {name}. onnx domain cannot be modified.")
    return name


@contextmanager
def select_model_mode_for_export(model: Any, mode: TrainingMode) -> Iterator[None]:
    """A block in which a module trains or evaluates as `mode` says. TypeError for another mode."""
    if not isinstance(mode, TrainingMode):
        raise TypeError(f"'mode' should be a torch.onnx.TrainingMode enum, but got '{type(mode)}'.")
    training = getattr(model, "training", None)
    chosen = training is not None and mode != TrainingMode.PRESERVE
    if chosen:
        model.train(mode == TrainingMode.TRAINING)
    try:
        yield
    finally:
        if chosen:
            model.train(training)


__getattr__, __dir__ = outlines.rest_of("torch.onnx.utils")
