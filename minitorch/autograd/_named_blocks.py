"""Blocks that stand in profiles under a name; profiles are loaded where one is open."""

from __future__ import annotations

from typing import Any


def named_block(name: str) -> Any:
    """A context manager: profiles and modes see its block under a name."""
    from minitorch.autograd.profiler import record_function  # start-up: 5 ms

    return record_function(name)
