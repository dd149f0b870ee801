"""torch.jit._script: a script is the function or the module itself; its classes are names."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from minitorch.nn.modules.module import Module
from minitorch.refused import refused


def deprecated(name: str) -> None:
    """Warns as torch does of everything that compiles scripts."""
    warnings.warn(
        f"`torch.jit.{name}` is deprecated. Please switch to `torch.compile` or `torch.export`.",
        DeprecationWarning,
        stacklevel=3,
    )


class ScriptWarning(Warning):
    """A script may not do what it says."""

    __module__ = "torch.jit._script"


class Attribute(NamedTuple):
    """The value of a module's attribute with its type."""

    value: Any
    type: Any


Attribute.__module__ = "torch.jit._script"


class ScriptModule(Module):
    """A module whose methods are scripts: they run as they are written.

    Source: torch.jit.ScriptModule.
    """

    __module__ = "torch.jit._script"

    def save(self, f: Any, **kwargs: Any) -> NoReturn:
        """Refuses: there are no scripts to be kept."""
        raise NotImplementedError(
            "torch.jit.ScriptModule.save: there are no scripts; torch.save keeps a state_dict"
        )


class RecursiveScriptModule(ScriptModule):
    """The class of what torch makes of a module by `script`: nothing here is an instance."""

    __module__ = "torch.jit._script"

    def __init__(self, cpp_module: Any) -> None:
        raise NotImplementedError("torch.jit.RecursiveScriptModule is not implemented by minitorch")


class RecursiveScriptClass:
    """The class of objects in scripts: nothing here is an instance."""

    __module__ = "torch.jit._script"

    def __init__(self, cpp_class: Any) -> None:
        raise NotImplementedError("torch.jit.RecursiveScriptClass is not implemented by minitorch")


ScriptFunction = refused("ScriptFunction")
CompilationUnit = refused("CompilationUnit")


def script(
    obj: Any,
    optimize: None = None,
    _frames_up: int = 0,
    _rcb: Any = None,
    example_inputs: Any = None,
) -> Any:
    """`obj` itself: a function, a module or a class. TypeError for anything else.

    Source: torch.jit.script.
    """
    deprecated("script")
    scriptable = isinstance(obj, type) or hasattr(obj, "__code__")
    if not scriptable and not isinstance(obj, Module):
        raise TypeError(f"{type(obj)} is a built-in class")
    return obj


def script_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` itself: a method of a ScriptModule."""
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
