"""torch.compile and torch.compiler: nothing is compiled, everything runs as it is written.

What is compiled elsewhere is handed on here, once its arguments are checked: the results are those
of eager torch, a module is wrapped as torch wraps it (its state_dict's keys begin with _orig_mod).
A backend that is a function gets the graphs of what is called (minitorch/fx/_backends.py).
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

from minitorch._public import outlines
from minitorch.aten.creation.from_data import as_tensor
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import recorder
from minitorch.nn.modules.module import Module
from minitorch.utils import _pytree

__all__ = (
    "allow_in_graph assume_constant_result compile config cudagraph_mark_step_begin disable "
    "get_default_backend is_compiling is_dynamo_compiling is_exporting "
    "keep_portable_guards_unsafe keep_tensor_guards_unsafe list_backends load_cache_artifacts "
    "load_compiled_function nested_compile_region reset save_cache_artifacts set_default_backend "
    "set_enable_guard_collectives set_stance skip_all_guards_unsafe "
    "skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe "
    "skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph wrap_numpy"
).split()

__path__: list[str] = []  # a package in torch, of whose modules there are outlines

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
BACKENDS = ("cudagraphs", "inductor", "openxla", "tvm")
DEBUGGING = ("eager", "aot_eager", "aot_eager_decomp_partition", "aot_ts", "ts")


class OptimizedModule(Module):
    """A module that stands for another one, which it calls and whose attributes it has."""

    __module__ = "torch._dynamo.eval_frame"

    def __init__(self, mod: Module, run: Callable[..., Any] | None = None) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        self.__dict__["_run"] = run

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module, or what a backend has made of it."""
        return (self.__dict__["_run"] or self._orig_mod)(*args, **kwargs)

    @property
    def training(self) -> bool:
        """Whether the module is in training mode."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        if "_orig_mod" in self.__dict__.get("_modules", ()):
            self._orig_mod.training = mode

    def __len__(self) -> int:
        if not hasattr(type(self._orig_mod), "__len__"):
            raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")
        return len(self._orig_mod)

    def __getattr__(self, name: str) -> Any:
        original = self.__dict__["_modules"]["_orig_mod"]
        return original if name == "_orig_mod" else getattr(original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        modules = self.__dict__.get("_modules", ())
        own = name == "_orig_mod" or hasattr(type(self), name)
        if "_orig_mod" in modules and not own:
            setattr(self._orig_mod, name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})


_default_backend: list[Any] = ["inductor"]


def set_default_backend(backend: str | Callable[..., Any] | None) -> None:
    """Says which backend `compile` uses where none is given; None restores "inductor".

    TypeError for what is neither a name nor a function.
    As https://docs.pytorch.org/docs/stable/torch.compiler_api.html.
    """
    if not (backend is None or isinstance(backend, str) or callable(backend)):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default_backend[0] = "inductor" if backend is None else backend


def get_default_backend() -> str | Callable[..., Any]:
    """The backend that `compile` uses where none is given: a name or a function."""
    return _default_backend[0]


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """`model` itself, a function or a module, to be called as it is; a decorator without one.

    As torch.compile, but nothing is compiled. A backend that is a function gets the graphs of what
    is called, and what it makes of them runs. As in torch, distributions do not validate their
    arguments after the first call, unless they are told to.
    """
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if backend is None:
        backend = _default_backend[0]
    if model is None:
        given = {key: value for key, value in locals().items() if key != "model"}
        return functools.partial(_decorated, given)
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if isinstance(backend, str) and backend not in (*BACKENDS, *DEBUGGING):
        raise outlines.find("torch._dynamo.exc", "InvalidBackend")(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available "
            "backends."
        )
    if not (dynamic is None or isinstance(dynamic, bool)):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if not disable:
        _without_validation()
    if isinstance(model, type):
        return model
    inner = model
    if callable(backend) and not disable:
        from minitorch.fx._backends import with_backend  # start-up: few programs bring a backend

        inner = with_backend(model, backend, dynamic, fullgraph)
    if isinstance(model, Module):
        return OptimizedModule(model, None if inner is model else inner)

    @functools.wraps(model)
    def run(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    return run


@functools.cache
def _without_validation() -> None:
    """Lets distributions not validate their arguments: torch's compiler cannot follow the checks,
    and switches them off when a program first compiles."""
    distributions = sys.modules["minitorch"].distributions  # imported now: 16 ms
    distributions.Distribution.set_default_validate_args(False)


def _decorated(given: dict[str, Any], model: Any) -> Any:
    if model is None:
        raise RuntimeError("Model can't be None")
    return compile(model, **given)


# ---- torch.compiler


def is_compiling() -> bool:
    """Whether this runs in a program whose graphs a backend gets."""
    return recorder.get() is not None


def is_dynamo_compiling() -> bool:
    """Whether this runs in a program whose graphs a backend gets."""
    return recorder.get() is not None


def is_exporting() -> bool:
    """Whether this runs while something is exported: never."""
    return False


def reset() -> None:
    """Forgets the graphs that backends have got."""
    backends = sys.modules.get("minitorch.fx._backends")
    if backends is not None:
        backends.reset()


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """`fn`, which is no part of a graph, as `compile` returns it; a decorator without one."""
    if fn is None:
        return disable
    inner = compile(fn, disable=True)
    if isinstance(fn, (type, Module)):
        return inner

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        running = recorder.get()
        if running is None:
            return inner(*args, **kwargs)
        running.end_graph("the program calls what torch.compiler.disable has made")
        return running.aside(inner, *args, **kwargs)

    return run


def allow_in_graph(fn: Any) -> Any:
    """`fn` itself, or the list of functions."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Any) -> Any:
    """`fn` itself."""
    return fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy arrays as one of tensors."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        def array(x: Any) -> Any:
            return x.numpy() if isinstance(x, TensorBase) else x

        args, kwargs = _pytree.tree_map(array, (args, kwargs))
        return _pytree.tree_map(
            lambda x: as_tensor(x) if hasattr(x, "__array__") else x, fn(*args, **kwargs)
        )

    return run


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `compile` takes for a backend."""
    return sorted(BACKENDS if exclude_tags else (*BACKENDS, *DEBUGGING))


def cudagraph_mark_step_begin() -> None:
    """Marks that a step begins; nothing here reads the mark."""


def set_stance(
    stance: str = "default",
    *,
    skip_guard_eval_unsafe: bool = False,
    force_backend: Any = None,
) -> Any:
    """A context in which the stance towards compiling is another one: nothing is compiled."""
    return contextlib.nullcontext()
