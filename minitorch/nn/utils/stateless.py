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
    """module(*args, **kwargs) with other parameters and buffers, given by their names.

    Deprecated, and warns: torch.func.functional_call does it.

    Args:
        module: any Module.
        parameters_and_buffers: names and tensors.
        args: an argument, or a tuple of them; None for none.
        kwargs: arguments by name.
        tie_weights: whether what is one tensor under several names is replaced under all of them.
        strict: whether all names must be given, and no others.

    Raises:
        RuntimeError: for missing or unknown names, if `strict`.

    As torch.nn.utils.stateless.functional_call.
    """
    return stateless.functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )


# The function that packages call without the advice above.


def _functional_call(
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


def _untie_named_tensors_map(module: Any, parameters_and_buffers: dict[str, Any]) -> dict[str, Any]:
    """The tensors also under the other names that the module has for those they replace."""
    return stateless.under_all_names(module, parameters_and_buffers)


def _reparametrize_module(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Any:
    """A context in which a module has other tensors, given by their names."""
    return stateless.replaced(module, parameters_and_buffers, tie_weights, strict)
