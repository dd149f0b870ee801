"""detect_anomaly, set_detect_anomaly, and explain_anomalies, which explains more than torch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from minitorch.core.base.modes import ANOMALY, watch
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.declare.protocols.torch_function import tensors_in
from minitorch.core.declare.wording.signatures import as_bool, overloads, without_arguments
from minitorch.core.graph.anomaly import calls, has_nan, switch
from minitorch.core.graph.node import Node

__all__ = ["detect_anomaly", "set_detect_anomaly"]


@overloads("bool enabled, bool check_nan = True")
def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switches anomaly mode, and whether it looks for NaN in gradients."""
    enabled, check_nan = as_bool(enabled), as_bool(check_nan)
    if not type(enabled) is type(check_nan) is bool:
        raise TypeError  # `overloads` words the error
    switch(enabled, check_nan)


@without_arguments("torch.is_anomaly_enabled")
def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return ANOMALY.enabled


@without_arguments("torch.is_anomaly_check_nan_enabled")
def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN."""
    return ANOMALY.check_nan


class _Restoring:
    """Saves the state of anomaly mode, and restores it at the end of a `with` block."""

    def __init__(self) -> None:
        self.prev, self.prev_check_nan = ANOMALY.enabled, ANOMALY.check_nan

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)


class detect_anomaly(_Restoring):
    """Nodes made inside note their line; a backward inside that fails or gives NaN shows it.

    Args:
        check_nan: whether NaN in gradients is an error.

    As https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection.
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__()
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)


class set_detect_anomaly(_Restoring):
    """Switches anomaly mode: at once as a function, and until exit as a context.

    Args:
        mode: whether it is on.
        check_nan: whether NaN in gradients is an error.

    Raises:
        TypeError: for what is no bool.

    As torch.autograd.set_detect_anomaly.
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__()
        set_anomaly_enabled(mode, check_nan)


class explain_anomalies(set_detect_anomaly):
    """Anomaly mode whose errors carry a note (`__notes__`, which Python prints below the error).

    For a saved tensor that was modified in place, the note names the line that wrote it; for a
    gradient that is NaN, the operator that made the first NaN. This is not in torch; torch's texts
    stay as they are. Every operator is checked, so this is slow.

    writes: (id of a version cell, version) -> the name of the writing operator, and its traceback.
    first: the name and traceback of the first operator that made a NaN from numbers, or None.
    """

    def __init__(self) -> None:
        super().__init__(True)
        self.writes: dict[tuple[int, int], tuple[str, list[str]]] = {}
        self.cells: list[Any] = []  # keeps the cells alive, so that no id is reused
        self.first: tuple[str, list[str]] | None = None

    def __enter__(self) -> explain_anomalies:
        self.before, ANOMALY.explain = ANOMALY.explain, self
        WATCHERS.append(self.watcher)
        watch(+1)
        return self

    def __exit__(self, *args: object) -> None:
        watch(-1)
        WATCHERS.remove(self.watcher)
        ANOMALY.explain = self.before
        super().__exit__(*args)

    def watcher(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, changed so that its writes and NaN are noted."""

        def noting(*args: Any, **kwargs: Any) -> Any:
            given = tensors_in(args, kwargs)
            before = [0 if each._cell is None else each._cell[0] for each in given]
            clean = self.first is None and not any(map(has_nan, given))
            result = function(*args, **kwargs)
            for each, version in zip(given, before, strict=True):
                if each._cell is not None and each._cell[0] > version:
                    self.cells.append(each._cell)
                    self.writes.setdefault((id(each._cell), each._cell[0]), (name, calls()))
            if clean and self.first is None and any(map(has_nan, tensors_in((result,), {}))):
                self.first = name, calls()
            return result

        return noting

    def write(self, cell: list[int], expected: int) -> str:
        """The sentence on the first write into a tensor after the saved version."""
        if (id(cell), expected + 1) not in self.writes:
            return "It was written where nobody watched."
        name, stack = self.writes[id(cell), expected + 1]
        return f"It was written by {name}, called here:\n{''.join(stack)}"

    def nan(self, node: Node) -> str:
        """The sentence on the call that made the first NaN, if a backward met NaN at `node`."""
        if self.first is None:
            return f"No operator of the forward made a NaN: the gradient of {node.name()} did."
        name, stack = self.first
        return f"The first NaN was made by {name}, called here:\n{''.join(stack)}"
