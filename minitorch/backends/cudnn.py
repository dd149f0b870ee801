"""torch.backends.cudnn: not used. Its switches can be set, and nothing depends on them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from minitorch.backends import switches

__path__: list[str] = []  # a package in torch, of whose modules there are outlines

enabled = True
benchmark = False
benchmark_limit = None  # cuDNN's alone has one
deterministic = False
allow_tf32 = True
fp32_precision = "none"
depthwise_kernel = "auto"


def is_available() -> bool:
    """Whether cuDNN is used: no."""
    return False


def version() -> int | None:
    """The version of cuDNN: None, there is none."""
    return None


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
    _depthwise_kernel: str | None = None,
) -> tuple[Any, ...]:
    """Sets the switches for which a value is given. What all were before."""
    return switches.change(
        globals(),
        enabled=_enabled,
        benchmark=_benchmark,
        benchmark_limit=_benchmark_limit,
        deterministic=_deterministic,
        allow_tf32=_allow_tf32,
        fp32_precision=_fp32_precision,
        depthwise_kernel=_depthwise_kernel,
    )


def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
    depthwise_kernel: str = "auto",
) -> AbstractContextManager[None]:
    """Sets all switches for the duration of a `with` block."""
    return switches.changed(
        globals(),
        enabled=enabled,
        benchmark=benchmark,
        deterministic=deterministic,
        allow_tf32=allow_tf32,
        fp32_precision=fp32_precision,
        depthwise_kernel=depthwise_kernel,
    )


def __getattr__(name: str) -> object:
    if name == "rnn":
        return import_module("minitorch.backends.cudnn.rnn")
    raise AttributeError(f"module 'torch.backends.cudnn' has no attribute '{name}'")


switches.guard(
    __name__,
    enabled="set_enabled_cudnn",
    benchmark="set_benchmark_cudnn",
    deterministic="set_deterministic_cudnn",
    allow_tf32="set_allow_tf32_cublas",
    fp32_precision="",
)
