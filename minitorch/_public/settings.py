"""Settings of torch as a whole: threads, determinism, precision, the default tensor type."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

from minitorch.aten.creation.default_device import set_default_device
from minitorch.core import determinism
from minitorch.core.arrays import blas
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.declare.wording.signatures import as_bool, without_arguments
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.legacy import tensortype
from minitorch.core.warning import warn_once

_MODES = ("default", "warn", "error")
_PRECISIONS = ("highest", "high", "medium")
_state: dict[str, Any] = {"precision": "highest", "cuda_precision": "none"}


# ---- threads


@without_arguments("torch.get_num_threads")
def get_num_threads() -> int:
    """The number of threads for a matrix product, or an elementary function of many elements."""
    return blas.threads()


def set_num_threads(n: int, /) -> None:
    """Sets how many threads a matrix product, or an elementary function of many elements, may use.

    NumPy's BLAS is told through threadpoolctl; where that is not installed a warning says so.
    """
    _check_count("set_num_threads", n)
    changed = n != get_num_threads()
    blas.use_threads(n)
    try:
        import threadpoolctl
    except ImportError:
        if changed:
            warnings.warn(
                "torch.set_num_threads: install threadpoolctl to let NumPy's BLAS know; until then "
                "it goes by OMP_NUM_THREADS as the process was started with.",
                stacklevel=2,
            )
        return
    threadpoolctl.threadpool_limits(n, user_api="blas")


@without_arguments("torch.get_num_interop_threads")
def get_num_interop_threads() -> int:
    """The number of operators that were asked to run at once; there is one at a time."""
    return _state.get("interop threads") or os.cpu_count() or 1


def set_num_interop_threads(num: int) -> None:
    """Remembers how many operators may run at once, which a process can say once."""
    _check_count("set_num_interop_threads", num)
    if "interop threads" in _state:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or "
            "set_num_interop_threads called"
        )
    _state["interop threads"] = num


def _check_count(name: str, n: Any) -> None:
    if type(n) is bool or not isinstance(n, int):
        raise RuntimeError(f"{name} expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")


# ---- determinism and precision
#
# Nothing here depends on chance or timing, nor is precision traded for speed; operators alert where
# torch's do.


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Demands algorithms whose results repeat: others raise, or warn if `warn_only`."""
    mode, warn_only = as_bool(mode), as_bool(warn_only)
    for name, place, given in (("mode", " (position 1)", mode), ("warn_only", "", warn_only)):
        if not isinstance(given, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument '{name}'{place} must be bool, not "
                f"{type(given).__name__}"
            )
    determinism.demand(mode, warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether algorithms whose results repeat were demanded."""
    return determinism.mode() != 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether only a warning was asked for where results do not repeat."""
    return determinism.warns_only()


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2: nothing demanded, warnings, errors."""
    return determinism.mode()


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Demands determinism by 'default', 'warn' or 'error', or by 0, 1 or 2."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                f"{debug_mode}"
            )
        debug_mode = _MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}"
        )
    determinism.demand(debug_mode != 0, debug_mode == 1)


def get_float32_matmul_precision() -> str:
    """'highest', 'high' or 'medium'."""
    return _state["precision"]


def set_float32_matmul_precision(precision: str) -> None:
    """Allows less exact float32 matrix products; they stay exact.

    RuntimeError unless `precision` is a str.
    """
    if not isinstance(precision, str):
        raise RuntimeError(
            f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}"
        )
    if precision not in _PRECISIONS:
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=2,
        )
        return
    _state["precision"] = precision
    _state["cuda_precision"] = "ieee" if precision == "highest" else "tf32"


def cuda_precision() -> str:
    """'none', 'ieee' or 'tf32': torch.backends.cuda.matmul.fp32_precision."""
    return _state["cuda_precision"]


def set_cuda_precision(precision: str) -> None:
    """Allows less exact float32 matrix products on a GPU; they stay exact."""
    _state["cuda_precision"] = precision


def set_flush_denormal(mode: bool) -> bool:
    """Whether the processor could be told to treat the smallest numbers as 0: it cannot.

    RuntimeError unless `mode` is a bool.
    """
    if type(mode) is not bool:
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


# ---- others


def get_default_device() -> devices.device:
    """The device of tensors made without one: of the innermost `with device(...)`, else as set.

    Raises what making a tensor there raises, where there is no such device.
    """
    chosen = devices.get_default_device()
    return chosen if chosen.index is not None else FUNCTIONS["tensor"]([]).device


def set_default_tensor_type(t: Any, /) -> None:
    """Makes a floating-point type, or its name, the default. Deprecated: use set_default_dtype."""
    kind = _named(t) if isinstance(t, str) else t
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
        "torch.set_default_dtype() and torch.set_default_device() as alternatives.",
        in_python=True,
    )
    if not isinstance(kind, tensortype):
        raise TypeError(
            "invalid type object: only floating-point types are supported as the default type"
        )
    kind.check_device()
    if not kind.dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    dtypes.set_default_dtype(kind.dtype)
    set_default_device("cuda" if kind.is_cuda else None)


def _named(path: str) -> Any:
    """The object under a dotted name such as "torch.cuda.FloatTensor"."""
    first, *names = path.split(".")
    found = import_module("minitorch" if first == "torch" else first)
    for name in names:
        found = getattr(found, name)
    return found
