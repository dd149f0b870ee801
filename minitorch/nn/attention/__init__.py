"""torch.nn.attention: which way attention is computed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

from minitorch.aten.layers.attention import ENABLED

__all__ = [
    "WARN_FOR_UNFUSED_KERNELS",
    "SDPBackend",
    "activate_flash_attention_impl",
    "current_flash_attention_impl",
    "list_flash_attention_impls",
    "register_flash_attention_impl",
    "restore_flash_attention_impl",
    "sdpa_kernel",
]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(IntEnum):
    """The ways to compute attention: in steps (MATH), and fused ones.

    As torch.nn.attention.SDPBackend.
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __str__(self) -> str:
        return f"SDPBackend.{self.name}"


SDPBackend.__module__, SDPBackend.__qualname__ = "torch.nn.attention", "_SDPBackend"

_NAMES = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
}


@contextlib.contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[Any]:
    """A block in which attention is computed in these ways alone; of them, the fused one first.

    Args:
        backends: an SDPBackend or a list of them.
        set_priority: without effect: on a CPU torch has one order alone, too.

    Raises:
        AssertionError: for other `backends`.

    As torch.nn.attention.sdpa_kernel.
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    before = dict(ENABLED)
    try:
        ENABLED.update({name: backend in chosen for name, backend in _NAMES.items()})
        yield {}
    finally:
        ENABLED.update(before)


_implementations: dict[str, Callable[[], Any]] = {}
_active: list[str] = []


def register_flash_attention_impl(impl: str, *, register_fn: Callable[[], Any]) -> None:
    """Gives a name to a function that puts another implementation of attention in.

    Args:
        impl: the name.
        register_fn: the function, called without arguments.

    As torch.nn.attention.register_flash_attention_impl.
    """
    _implementations[impl] = register_fn


def activate_flash_attention_impl(impl: str) -> None:
    """Calls the function of that name. ValueError if there is none.

    Args:
        impl: a name that was registered.

    Raises:
        ValueError: for another.

    As torch.nn.attention.activate_flash_attention_impl.
    """
    if impl not in _implementations:
        raise ValueError(
            f"Unknown flash attention impl '{impl}'. Available implementations: "
            f"{list_flash_attention_impls()}"
        )
    _implementations[impl]()
    _active[:] = [impl]


def list_flash_attention_impls() -> list[str]:
    """The names of implementations.

    As torch.nn.attention.list_flash_attention_impls.
    """
    return sorted(_implementations)


def current_flash_attention_impl() -> str | None:
    """The one that is active; None for the library's own.

    As torch.nn.attention.current_flash_attention_impl.
    """
    return _active[0] if _active else None


def restore_flash_attention_impl(_raise_warn: bool = True) -> None:
    """Goes back to the library's own.

    As torch.nn.attention.restore_flash_attention_impl.
    """
    _active.clear()
