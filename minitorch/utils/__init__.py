"""torch.utils."""

import os as _os
from importlib import import_module as _import_module
from typing import Any as _Any

from minitorch._public.later import missing as _missing

__all__ = (
    "ThroughputBenchmark backcompat backend_registration checkpoint cmake_prefix_path collect_env "
    "cpp_backtrace data deterministic dlpack generate_methods_for_privateuse1_backend "
    "get_cpp_backtrace hooks rename_privateuse1_backend set_module swap_tensors "
    "throughput_benchmark weak"
).split()

# Sub-modules that are imported when first asked for.
_LAZY = (
    "_contextlib",
    "_pytree",
    "_python_dispatch",
    "backcompat",
    "benchmark",
    "checkpoint",
    "data",
    "deterministic",
    "dlpack",
    "file_baton",
    "flop_counter",
    "hooks",
    "model_zoo",
    "module_tracker",
    "weak",
)
# Names of modules in here.
_ELSEWHERE = {
    "swap_tensors": "swapping",
}


def __getattr__(name: str) -> _Any:
    if name in _ELSEWHERE:
        return getattr(_import_module(f"minitorch.utils.{_ELSEWHERE[name]}"), name)
    if name in _LAZY:
        return _import_module(f"minitorch.utils.{name}")
    if name.startswith("_"):
        return _missing("torch.utils", name)
    from minitorch._public.outlines import outline  # start-up: 0.7 ms

    if outline(f"torch.utils.{name}") is not None:
        return _import_module(f"minitorch.utils.{name}")
    return _missing("torch.utils", name)


def set_module(obj: _Any, mod: str) -> None:
    """Says of a class or function that it belongs to the module of this name.

    Raises:
        TypeError: the name is no text.
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


cmake_prefix_path = _os.path.join(_os.path.dirname(_os.path.dirname(__file__)), "share", "cmake")
