"""torch.fx.annotate: types said of values while they are traced."""

from __future__ import annotations

from typing import Any

from minitorch.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: Any) -> Any:
    """`val`, whose node has a type from now on if it is a Proxy.

    Raises: RuntimeError if it has one already.

    Source: torch.fx.annotate.annotate.
    """
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(
                "Tried to annotate a value that already had a type on it! Existing type is "
                f"{val.node.type} and new type is {type}. This could happen if you tried to "
                "annotate a function parameter value (in which case you should use the type slot "
                "on the function signature) or you called annotate on the same value twice"
            )
        val.node.type = type
    return val
