"""torch.jit: scripts and traces run their functions, once the arguments are checked.

`script` and `trace` make ScriptModules and ScriptFunctions, as programs expect. Nothing is
compiled: what looks into a script, and files of scripts, refuse.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final, NoReturn

from minitorch._jit_internal import (
    _drop,
    _IgnoreContextManager,
    _isinstance,
    _overload,
    _overload_method,
    export,
    ignore,
    is_scripting,
    unused,
)
from minitorch._public.questions import JITException as Error
from minitorch.futures import Future
from minitorch.jit import annotations
from minitorch.jit._async import fork, wait
from minitorch.jit._freeze import freeze, optimize_for_inference, run_frozen_optimizations
from minitorch.jit._fuser import (
    enable_onednn_fusion,
    fuser,
    last_executed_optimized_graph,
    onednn_fusion_enabled,
    optimized_execution,
    set_fusion_strategy,
)
from minitorch.jit._script import (
    Attribute,
    CompilationUnit,
    RecursiveScriptClass,
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    ScriptWarning,
    _unwrap_optional,
    interface,
    script,
    script_method,
)
from minitorch.jit._serialization import (
    jit_module_from_flatbuffer,
    load,
    save,
    save_jit_module_to_flatbuffer,
)
from minitorch.jit._trace import (
    ONNXTracedModule,
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    TracingCheckError,
    _script_if_tracing,
    _unique_state_dict,
    is_tracing,
    script_if_tracing,
    trace,
    trace_module,
)

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "export_opnames",
    "fork",
    "freeze",
    "interface",
    "ignore",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

_fork, _wait, _set_fusion_strategy = fork, wait, set_fusion_strategy


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value itself."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, or of one of a tuple of types: List[int] and the like, too.

    RuntimeError for types in a list, and for a container's type without members.

    Source: torch.jit.isinstance.
    """
    return _isinstance(obj, target_type)


def export_opnames(m: Any) -> NoReturn:
    """Refuses: there are no scripts whose operators could be named."""
    raise NotImplementedError("torch.jit.export_opnames is not implemented by minitorch")


class strict_fusion:
    """A context in which all operators must be joined: nothing is, and it warns of that."""

    __module__ = "torch.jit"

    def __init__(self) -> None:
        warnings.warn("Only works in script mode", stacklevel=2)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.jit.{name} is not implemented by minitorch")
