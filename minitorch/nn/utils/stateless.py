"""The old place of torch.func.functional_call."""

from __future__ import annotations

from typing import Any

from minitorch.core.warning import deprecated
from minitorch.func import stateless

__all__ = ["functional_call"]


@deprecated(
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be "
    "removed in a future version of PyTorch. Please use `torch.func.functional_call` instead which "
    "is a drop-in replacement."
)
def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """module(*args, **kwargs) with other parameters and buffers, given by their names."""
    return stateless.functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )
