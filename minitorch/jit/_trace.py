"""torch.jit._trace: a trace is the function itself, once its inputs are checked."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch.jit._modules import (
    ScriptFunction,
    TopLevelTracedModule,
    TracedModule,
    as_trace,
)
from minitorch.jit._script import deprecated
from minitorch.jit._state import _enabled
from minitorch.nn.modules.module import Module

__all__ = ["TopLevelTracedModule", "TracedModule"]

# How many traces run on this thread.
_tracing: ContextVar[int] = ContextVar("jit_tracing", default=0)


class TracerWarning(Warning):
    """A trace may not hold for other inputs."""

    __module__ = "torch.jit._trace"

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Asks for no such warnings of torch itself: there are none."""


class TracingCheckError(Exception):
    """A trace computes something else than its function."""

    __module__ = "torch.jit._trace"


class ONNXTracedModule(Module):
    """The class of a module that is traced for ONNX: nothing here is an instance."""

    __module__ = "torch.jit._trace"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("torch.jit.ONNXTracedModule is not implemented by minitorch")


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: Any = None,
    _store_inputs: bool = True,
) -> Any:
    """A script of `func`, called once with the inputs, so that errors in them show now.

    Unlike torch's, it follows conditions of the function anew at each call.

    Args:
        func: a function or a module
        example_inputs: its inputs, a tuple or a list of them, or the only one
        example_kwarg_inputs: those by name, instead
        optimize, check_trace, check_inputs, check_tolerance, strict: nothing here

    Raises: RuntimeError for what cannot be called, or without inputs.

    Source: torch.jit.trace.
    """
    deprecated("trace")
    if not _enabled:
        return func
    if not callable(func):
        raise RuntimeError("Could not get name of python class object")
    if example_inputs is None:
        if not isinstance(example_kwarg_inputs, dict):
            raise RuntimeError("example_kwarg_inputs should be a dict")
        _traced(func, (), example_kwarg_inputs)
    else:
        if example_kwarg_inputs is not None and not isinstance(example_kwarg_inputs, dict):
            raise RuntimeError("example_kwarg_inputs should be a dict")
        several = isinstance(example_inputs, (tuple, list))
        _traced(func, example_inputs if several else [example_inputs], {})
    if isinstance(func, Module):
        for _ in range(2 if check_trace else 1):  # torch traces once more to compare
            deprecated("trace_method")
        return as_trace(func)
    name = getattr(func, "__name__", type(func).__name__)
    return ScriptFunction(func, "_lambda" if name == "<lambda>" else name)


def _traced(func: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a call within which is_tracing() is true."""
    token = _tracing.set(_tracing.get() + 1)
    try:
        return func(*args, **kwargs)
    finally:
        _tracing.reset(token)


def trace_module(mod: Any, inputs: Any, *options: Any, **more: Any) -> Any:
    """A script of `mod`; the methods named in `inputs` are called once with what stands there.

    AttributeError for what is no module, or inputs that are no dict.
    """
    deprecated("trace_method")
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, given in inputs.items():
        call = mod if name == "forward" else getattr(mod, name)
        _traced(call, given if isinstance(given, (tuple, list)) else [given], {})
    return as_trace(mod)


def is_tracing() -> bool:
    """Whether this runs in a trace."""
    return _tracing.get() > 0


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, which is never traced."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    run.__original_fn = fn  # type: ignore[attr-defined]
    run.__script_if_tracing_wrapper = True  # type: ignore[attr-defined]
    return run


_script_if_tracing = script_if_tracing


def _unique_state_dict(module: Any, keep_vars: bool = False) -> dict[str, Any]:
    """The state of a module, each tensor once."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    for name, value in module.state_dict(keep_vars=True).items():
        if id(value) not in seen:
            seen.add(id(value))
            found[name] = value if keep_vars else value.detach()
    return found
