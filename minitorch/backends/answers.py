"""The libraries that torch may be built with: what torch's build for CPUs says of each.

Their switches can be set, and no number depends on them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def _never() -> bool:
    """Whether torch is built with it: not for CPUs."""
    return False


def _always() -> bool:
    """Whether torch is built with it: always."""
    return True


def _none() -> None:
    """What is said of a library that is not there."""


@contextmanager
def _flags(*args: Any, **kwargs: Any) -> Any:
    """Sets switches for the duration of a `with` block: nothing depends on them."""
    yield


class verbose:
    """Asks for reports for the duration of a `with` block: there are none."""

    def __init__(self, enable: int) -> None:
        self.enable = enable

    def __enter__(self) -> verbose:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def _of(name: str, **attributes: Any) -> ModuleType:
    path = f"minitorch.backends.{name}"
    module = ModuleType(path, f"torch.backends.{name}: not used here.")
    module.__spec__ = ModuleSpec(path, None)
    vars(module).update({"is_available": _never, **attributes})
    sys.modules[path] = module
    return module


def get_cpu_capability() -> str:
    """The instructions for vectors of this processor that NumPy uses, by torch's names."""
    from numpy._core._multiarray_umath import __cpu_features__ as features

    if features.get("AVX512_SKX"):
        return "AVX512"
    return "AVX2" if features.get("AVX2") else "DEFAULT"


_switches = {"fastpath": True}


def get_fastpath_enabled() -> bool:
    """Whether attention may take a path of its own in evaluation; the numbers are the same."""
    return _switches["fastpath"]


def set_fastpath_enabled(value: bool) -> None:
    """Says whether it may."""
    _switches["fastpath"] = value


def set_flags(_enabled: bool) -> tuple[bool]:
    """Switches NNPACK on or off. What it was before."""
    if not isinstance(_enabled, bool):
        text = f"set_enabled_NNPACK expects a bool, but got {type(_enabled).__name__}"
        raise RuntimeError(text)
    before = _switches.get("nnpack", True)
    _switches["nnpack"] = _enabled
    return (before,)


MODULES = {
    each.__name__.rpartition(".")[2]: each
    for each in (
        _of("mkl", is_available=_always, VERBOSE_OFF=0, VERBOSE_ON=1, verbose=verbose),
        _of("mkldnn", is_available=_always, enabled=True, deterministic=False, flags=_flags),
        _of("openmp", is_available=_always),
        _of("nnpack", is_available=_always, set_flags=set_flags, flags=_flags),
        _of("opt_einsum", enabled=False, strategy=None, flags=_flags),
        _of("kleidiai"),
        _of("cusparselt", version=_none, get_max_alg_id=_none),
        _of("miopen", immediate=False, flags=_flags),
        _of("quantized", engine="none", supported_engines=["none"]),
        _of(
            "mha",
            get_fastpath_enabled=get_fastpath_enabled,
            set_fastpath_enabled=set_fastpath_enabled,
        ),
        _of("cpu", get_cpu_capability=get_cpu_capability),
    )
}
for _name in ("mha", "cpu", "quantized"):
    del vars(MODULES[_name])["is_available"]
