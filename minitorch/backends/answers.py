"""The libraries that torch may be built with, and whether they are used here: of most, no.

Their switches can be set, and nothing depends on them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType
from typing import Any


def _never() -> bool:
    """Whether it is used here: no."""
    return False


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
    vars(module).update({"is_available": _never, **attributes})
    sys.modules[path] = module
    return module


def get_cpu_capability() -> str:
    """The instructions for vectors of this processor that NumPy uses, by torch's names."""
    from numpy._core._multiarray_umath import __cpu_features__ as features

    if features.get("AVX512_SKX"):
        return "AVX512"
    return "AVX2" if features.get("AVX2") else "DEFAULT"


def _fastpath() -> bool:
    """Whether attention may take a path of its own in evaluation: it never does."""
    return False


def _set_fastpath(value: bool) -> None:
    """Asks for it, or not."""


MODULES = {
    each.__name__.rpartition(".")[2]: each
    for each in (
        _of("mkl", VERBOSE_OFF=0, VERBOSE_ON=1, verbose=verbose),
        _of("mkldnn", enabled=False, deterministic=False, allow_tf32=False, flags=_flags),
        _of("openmp"),
        _of("nnpack", flags=_flags),
        _of("opt_einsum", enabled=False, strategy=None, flags=_flags),
        _of("kleidiai"),
        _of("cusparselt", version=lambda: None),
        _of("miopen", immediate=False, flags=_flags),
        _of("quantized", engine="none", supported_engines=["none"]),
        _of("mha", get_fastpath_enabled=_fastpath, set_fastpath_enabled=_set_fastpath),
        _of("cpu", get_cpu_capability=get_cpu_capability),
    )
}
for _name in ("mha", "cpu", "quantized"):
    del vars(MODULES[_name])["is_available"]
