"""torch.jit._fuser: which operators a compiler may join; nothing is joined."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

_fusing = False


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context in which scripts are made quicker, or are not: there are none."""
    yield


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A context in which operators are joined in a certain way. Exception for an unknown one."""
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3", "none"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


def last_executed_optimized_graph() -> NoReturn:
    """Refuses: no script has run."""
    raise NotImplementedError(
        "torch.jit.last_executed_optimized_graph is not implemented by minitorch"
    )


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Sets how often to specialise fused code, and returns the earlier setting."""
    global _strategy
    before, _strategy = _strategy, list(strategy)
    return before


_strategy: list[tuple[str, int]] = [("STATIC", 2), ("DYNAMIC", 10)]


def enable_onednn_fusion(enabled: bool) -> None:
    """Asks for operators to be joined by oneDNN: they are not."""
    global _fusing
    _fusing = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """Whether that was asked for."""
    return _fusing
