"""torch.jit._script: a script is the function or the module itself; its classes are names."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from minitorch._public.refused import refused
from minitorch.jit._modules import RecursiveScriptModule, ScriptFunction, ScriptModule, as_script
from minitorch.jit._state import _enabled
from minitorch.nn.modules.module import Module

__all__ = ["RecursiveScriptModule", "ScriptFunction", "ScriptModule"]
_ADVICE = "switch to `torch.compile` or `torch.export`"


def deprecated(name: str, advice: str = _ADVICE) -> None:
    """Warns as torch does of everything that compiles scripts."""
    warnings.warn(
        f"`torch.jit.{name}` is deprecated. Please {advice}.", DeprecationWarning, stacklevel=2
    )


class ScriptWarning(Warning):
    """Raised for a script that does a forbidden thing."""

    __module__ = "torch.jit._script"


class Attribute(NamedTuple):
    """The value of a module's attribute with its type."""

    value: Any
    type: Any


Attribute.__module__ = "torch.jit._script"


class RecursiveScriptClass:
    """The class of objects in scripts: nothing here is an instance."""

    __module__ = "torch.jit._script"

    def __init__(self, cpp_class: Any) -> None:
        raise NotImplementedError("torch.jit.RecursiveScriptClass is not implemented by minitorch")


CompilationUnit = refused("CompilationUnit")


def script(
    obj: Any,
    optimize: None = None,
    _frames_up: int = 0,
    _rcb: Any = None,
    example_inputs: Any = None,
) -> Any:
    """A script of `obj`, which runs it as it is written.

    Args:
        obj: a function or a module; a class, a dict or a list comes back as it is
        optimize, _frames_up, _rcb, example_inputs: nothing here

    Returns: a ScriptFunction or a ScriptModule with the module's own parameters and buffers.

    Raises: TypeError for anything else.

    Source: torch.jit.script.
    """
    deprecated("script")
    if not _enabled:
        return obj
    if isinstance(obj, Module):
        return as_script(obj)
    if isinstance(obj, (type, ScriptFunction, dict, list)):
        return obj
    if not hasattr(obj, "__code__"):
        raise TypeError(f"{type(obj)} is a built-in class")
    return ScriptFunction(obj, obj.__name__)


def script_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` itself: a method of a ScriptModule."""
    deprecated("script_method")
    return fn


def interface(obj: Any) -> Any:
    """`obj` itself, a class. RuntimeError for anything else."""
    if not inspect.isclass(obj):
        raise RuntimeError("interface must be applied to a class")
    return obj


def _unwrap_optional(x: Any) -> Any:
    """`x`. AssertionError for None."""
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x
