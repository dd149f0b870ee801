"""The libraries that torch may be built with: what torch's build for CPUs says of each.

Their switches can be set, and no number depends on them.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from minitorch.backends import switches


def _never() -> bool:
    """Whether torch is built with it: not for CPUs."""
    return False


def _always() -> bool:
    """Whether torch is built with it: always."""
    return True


def _none() -> None:
    """The answer about a library that is not there: None."""


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


class QuantizedEngine(ModuleType):
    """torch.backends.quantized: the name of the library for integers, which no number depends on.

    engine: one of supported_engines; RuntimeError for another name.
    """

    _chosen = "x86"

    @property
    def engine(self) -> str:
        """The name that was set last."""
        return self._chosen

    @engine.setter
    def engine(self, val: Any) -> None:
        if val in (None, "", "none"):
            raise RuntimeError("quantized engine NoQEngine is not supported")
        if val not in self.supported_engines:
            raise RuntimeError(f"{val} is not a valid value for quantized engine")
        vars(self)["_chosen"] = val

    @property
    def supported_engines(self) -> list[str]:
        """The names that torch's build for CPUs knows."""
        return ["qnnpack", "onednn", "x86", "fbgemm"]

    @supported_engines.setter
    def supported_engines(self, val: Any) -> None:
        raise RuntimeError("Assignment not supported")


_switches = {"fastpath": True, "nnpack": True}


def get_fastpath_enabled() -> bool:
    """Whether attention may take a path of its own in evaluation; the numbers are the same."""
    return _switches["fastpath"]


def set_fastpath_enabled(value: bool) -> None:
    """Says whether it may."""
    _switches["fastpath"] = value


def _names(module: str) -> dict[str, Any]:
    return vars(MODULES[module])


def _set_mkldnn(
    _enabled: bool | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
) -> tuple[Any, ...]:
    """Sets the switches for which a value is given. What all were before."""
    before = switches.change(
        _names("mkldnn"),
        enabled=_enabled,
        deterministic=_deterministic,
        allow_tf32=_allow_tf32,
        fp32_precision=_fp32_precision,
    )
    return before


def _mkldnn_flags(
    enabled: bool = False,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> AbstractContextManager[None]:
    """Sets all switches for the duration of a `with` block."""
    return switches.changed(
        _names("mkldnn"),
        enabled=enabled,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
        fp32_precision=fp32_precision,
    )


def _set_opt_einsum(
    _enabled: bool | None = None, _strategy: str | None = None
) -> tuple[bool, str | None]:
    """Sets the switches for which a value is given. What both were before."""
    return switches.change(_names("opt_einsum"), enabled=_enabled, strategy=_strategy)


def _opt_einsum_flags(
    enabled: bool | None = None, strategy: str | None = None
) -> AbstractContextManager[None]:
    """Sets the switches for the duration of a `with` block."""
    return switches.changed(_names("opt_einsum"), enabled=enabled, strategy=strategy)


def nnpack_enabled() -> bool:
    """The switch of NNPACK."""
    return _switches["nnpack"]


def _set_nnpack(_enabled: bool) -> tuple[bool]:
    """Switches NNPACK on or off; returns the earlier state."""
    switches.check("set_enabled_NNPACK", _enabled)
    return switches.change(_switches, nnpack=_enabled)


def _nnpack_flags(enabled: bool = False) -> AbstractContextManager[None]:
    """Switches NNPACK on or off for the duration of a `with` block."""
    switches.check("set_enabled_NNPACK", enabled)
    return switches.changed(_switches, nnpack=enabled)


def _set_miopen(_immediate: bool | None = None) -> tuple[bool]:
    """Sets the switch, if a value is given; returns the earlier state."""
    return switches.change(_names("miopen"), immediate=_immediate)


def _miopen_flags(immediate: bool = False) -> AbstractContextManager[None]:
    """Sets the switch for the duration of a `with` block."""
    return switches.changed(_names("miopen"), immediate=immediate)


def _with_flags(flags: Any, set_flags: Any, **attributes: Any) -> dict[str, Any]:
    flags.__name__, set_flags.__name__ = "flags", "set_flags"
    return {"flags": flags, "set_flags": set_flags, **attributes}


MODULES = {
    each.__name__.rpartition(".")[2]: each
    for each in (
        _of("mkl", is_available=_always, VERBOSE_OFF=0, VERBOSE_ON=1, verbose=verbose),
        _of(
            "mkldnn",
            is_available=_always,
            enabled=True,
            deterministic=False,
            allow_tf32=None,
            fp32_precision="none",
            **_with_flags(_mkldnn_flags, _set_mkldnn),
        ),
        _of("openmp", is_available=_always),
        _of("nnpack", is_available=_always, **_with_flags(_nnpack_flags, _set_nnpack)),
        _of(
            "opt_einsum",
            enabled=False,
            strategy=None,
            **_with_flags(_opt_einsum_flags, _set_opt_einsum),
        ),
        _of("kleidiai"),
        _of("cusparselt", version=_none, get_max_alg_id=_none),
        _of("miopen", immediate=False, **_with_flags(_miopen_flags, _set_miopen)),
        _of("quantized"),
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
MODULES["quantized"].__class__ = QuantizedEngine
switches.guard(
    "minitorch.backends.mkldnn",
    enabled="set_enabled_mkldnn",
    deterministic="set_deterministic_mkldnn",
    allow_tf32="_set_onednn_allow_tf32",
    fp32_precision="",
)
switches.guard("minitorch.backends.miopen", immediate="set_immediate_miopen")
