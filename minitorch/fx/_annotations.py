"""The annotations that torch gives to `forward` of its modules: graphs of them show these."""

from __future__ import annotations

import inspect
from typing import Any

from minitorch.core.tensor.tensor import Tensor
from minitorch.nn.modules.adaptive import _ASMoutput

# Modules of torch.nn without an annotated result, and without any annotation.
_UNRETURNED = (
    "AdaptiveMaxPool",
    "FractionalMaxPool",
    "MaxPool",
    "GRU",
    "LSTM",
    "RNN",
    "Sequential",
)
_BARE = ("GRU", "LSTM", "RNN", "Sequential")
_OPTIONAL = ("offsets", "per_sample_weights", "mask", "hx")
_OWN = ("bool", "bool | None")


def annotations_of(function: Any, owner: Any) -> dict[str, Any]:
    """The annotations of a function by parameter, and of its result as 'return'.

    Args:
        function: as its author wrote it; for a module of torch.nn those that torch has for it
        owner: the module whose method it is, if it is one
    """
    own = inspect.get_annotations(function)
    if not (function.__module__ or "").startswith(("minitorch.nn.", "torch.nn.")):
        return own
    name = next(
        (each.__name__ for each in type(owner).__mro__ if vars(each).get("forward") is function), ""
    )
    if not name or name in _BARE:
        return {}
    known = {key: _parameter(name, key, kind) for key, kind in own.items() if key != "return"}
    if not name.startswith(_UNRETURNED) or name.endswith("Cell"):
        known["return"] = _result(name)
    return known


def _parameter(name: str, parameter: str, own: Any) -> Any:
    if own in _OWN:
        return bool if own == "bool" else bool | None
    if parameter == "output_size":
        return list[int] | None
    if parameter == "var":
        return Tensor | float
    if name == "LSTMCell" and parameter == "hx":
        return tuple[Tensor, Tensor] | None
    return Tensor | None if parameter.endswith(_OPTIONAL) else Tensor


def _result(name: str) -> Any:
    if name == "MultiheadAttention":
        return tuple[Tensor, Tensor | None]
    if name == "LSTMCell":
        return tuple[Tensor, Tensor]
    if name == "AdaptiveLogSoftmaxWithLoss":
        return _ASMoutput
    return Tensor
