"""torch._functorch.deprecated: the package functorch's functions, which warn and go on.

torch.func and torch.vmap have taken their place.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from minitorch._functorch import apis
from minitorch._functorch import make_functional as modules
from minitorch.func import transforms

__all__ = [
    "combine_state_for_ensemble",
    "functionalize",
    "get_warning",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
    "warn_deprecated",
]


def get_warning(api: str, new_api: str | None = None, replace_newlines: bool = False) -> str:
    """The text that says what to call in the place of functorch's function `api`."""
    new_api = new_api or f"torch.func.{api}"
    lines = (
        "We've integrated functorch into PyTorch. As the final step of the ",
        f"integration, `functorch.{api}` is deprecated as of PyTorch ",
        "2.0 and will be deleted in a future version of PyTorch >= 2.3. ",
        f"Please use `{new_api}` instead; see the PyTorch 2.0 release notes ",
        "and/or the `torch.func` migration guide for more details ",
        "https://pytorch.org/docs/main/func.migrating.html",
    )
    return ("" if replace_newlines else "\n").join(lines)


def warn_deprecated(api: str, new_api: str | None = None) -> None:
    """Warns the caller of functorch's function `api`. FutureWarning."""
    warnings.warn(get_warning(api, new_api, replace_newlines=True), FutureWarning, stacklevel=3)


def _deprecated(function: Callable[..., Any], new_api: str | None = None) -> Callable[..., Any]:
    """`function`, which warns of itself first."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        warn_deprecated(name, new_api)
        return function(*args, **kwargs)

    call.__module__ = "torch._functorch.deprecated"
    call.__doc__ = f"{function.__doc__}\n{get_warning(name, new_api)}"
    return call


_CALL = "torch.func.functional_call"

vmap = _deprecated(apis.vmap, "torch.vmap")
grad = _deprecated(apis.grad)
grad_and_value = _deprecated(apis.grad_and_value)
vjp = _deprecated(transforms.vjp)
jvp = _deprecated(transforms.jvp)
jacrev = _deprecated(transforms.jacrev)
jacfwd = _deprecated(transforms.jacfwd)
hessian = _deprecated(transforms.hessian)
functionalize = _deprecated(transforms.functionalize)
make_functional = _deprecated(modules.make_functional, _CALL)
make_functional_with_buffers = _deprecated(modules.make_functional_with_buffers, _CALL)
combine_state_for_ensemble = _deprecated(
    modules.combine_state_for_ensemble, "torch.func.stack_module_state"
)
