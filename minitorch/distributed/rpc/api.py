"""torch.distributed.rpc.api: the decorator of functions that need other machines."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from minitorch._public import outlines


def _require_initialized(func: Callable[..., Any]) -> Callable[..., NoReturn]:
    """A function that says, as torch's do before init_rpc, that there are no other machines."""

    @wraps(func)
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "RPC has not been initialized. Call torch.distributed.rpc.init_rpc first."
        )

    return refuse


__getattr__, __dir__ = outlines.rest_of("torch.distributed.rpc.api")
