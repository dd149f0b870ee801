"""torch.jit: scripts and traces are the functions themselves, once their arguments are checked.

`script` and `trace` give back what they were given; `save`, `load` and what looks into a script are
not there.
"""

from __future__ import annotations

import functools
import typing
import warnings
from collections.abc import Callable
from typing import Any, Final, NoReturn

from minitorch.futures import fork, wait
from minitorch.nn.modules.module import Module

__all__ = [
    "Final",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "save",
    "script",
    "script_if_tracing",
    "set_fusion_strategy",
    "trace",
    "trace_module",
    "unused",
    "wait",
]


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.jit.{name}` is deprecated. Please switch to `torch.compile` or `torch.export`.",
        DeprecationWarning,
        stacklevel=3,
    )


def script(
    obj: Any,
    optimize: None = None,
    _frames_up: int = 0,
    _rcb: Any = None,
    example_inputs: Any = None,
) -> Any:
    """`obj` itself: a function, a module or a class. TypeError for anything else."""
    _deprecated("script")
    scriptable = builtin_isinstance(obj, type) or hasattr(obj, "__code__")
    if not scriptable and not builtin_isinstance(obj, Module):
        raise TypeError(f"{type(obj)} is a built-in class")
    return obj


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
    """`func` itself, called once with the inputs, so that what is wrong with them shows now."""
    _deprecated("trace")
    if not callable(func):
        raise RuntimeError("Could not get name of python class object")
    if example_kwarg_inputs is not None and not builtin_isinstance(example_kwarg_inputs, dict):
        raise RuntimeError("example_kwarg_inputs should be a dict")
    if example_inputs is None and example_kwarg_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    if example_inputs is None:
        func(**example_kwarg_inputs)
    else:
        func(
            *(
                example_inputs
                if builtin_isinstance(example_inputs, (tuple, list))
                else [example_inputs]
            )
        )
    return func


def trace_module(mod: Any, inputs: Any, *options: Any, **more: Any) -> Any:
    """`mod` itself; the methods named in `inputs` are called once with what stands there."""
    _deprecated("trace_method")
    if not builtin_isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not builtin_isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, given in inputs.items():
        call = mod if name == "forward" else getattr(mod, name)
        call(*(given if builtin_isinstance(given, tuple) else [given]))
    return mod


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, which is never traced."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return run


def is_scripting() -> bool:
    """Whether this runs in a script: never."""
    return False


def is_tracing() -> bool:
    """Whether this runs in a trace: never."""
    return False


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that leaves the function as it is."""
    return drop if callable(drop) else (lambda fn: fn)


def unused(fn: Any) -> Any:
    """`fn` itself."""
    return fn


def export(fn: Any) -> Any:
    """`fn` itself."""
    return fn


def interface(obj: Any) -> Any:
    """`obj` itself."""
    return obj


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value itself."""
    return the_value


builtin_isinstance = isinstance


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether `obj` is of a type, which may be List[int], Dict[str, Tensor] and the like."""
    if builtin_isinstance(target_type, (tuple, list)):
        return any(isinstance(obj, each) for each in target_type)
    origin, inner = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        return builtin_isinstance(obj, target_type)
    if origin is typing.Union or type(target_type).__name__ == "UnionType":
        return any(isinstance(obj, each) for each in inner)
    if not builtin_isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, inner[0]) and isinstance(v, inner[1]) for k, v in obj.items())
    if origin is tuple:
        return len(obj) == len(inner) and all(map(isinstance, obj, inner))
    return all(isinstance(each, inner[0]) for each in obj)


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """`mod` itself. RuntimeError unless it is in evaluation mode."""
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call "
            ".eval() on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """`mod` itself."""
    return freeze(mod.eval())


def onednn_fusion_enabled() -> bool:
    """Whether operators are fused: never."""
    return False


def enable_onednn_fusion(enabled: bool) -> None:
    """Asks for operators to be fused: they are not."""


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Says how often to specialise what is fused: nothing is."""
    return strategy


def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """Not there: use torch.save of the state_dict."""
    raise NotImplementedError("torch.jit.save: there are no scripts; torch.save keeps a state_dict")


def load(
    f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False
) -> NoReturn:
    """Not there: files of scripts hold compiled code."""
    raise NotImplementedError("torch.jit.load: files of scripts hold compiled code")


def __getattr__(name: str) -> Any:
    raise AttributeError(f"torch.jit.{name} is not implemented by minitorch")
