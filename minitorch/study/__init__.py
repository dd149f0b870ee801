"""Tools that show what autograd does in a program: its graph, its tape, its memory, its gradients.

They work on minitorch and on real torch alike, and never import the latter. See docs/study.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

# Each tool is loaded when it is first asked for. No module has the name of a tool, because its
# import would put it in the tool's place.
_MODULES = {
    "Recording": "tape.recording",
    "animate": "graphs.animation",
    "compare": "reports.comparison",
    "explain": "graphs.explanation",
    "gradients": "reports.gradient_report",
    "lines": "graphs.line_notes",
    "load": "tape.recording",
    "make_dot": "graphs.picture",
    "memory": "reports.memory_report",
    "record": "tape.recorder",
    "rule_of": "rules.catalogue",
    "why": "reports.reasons",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> _Any:
    """Loads a tool on demand."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
