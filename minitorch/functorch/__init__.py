"""The package functorch, which torch brings along: what torch.func was before.

`import functorch` finds it wherever `import torch` finds minitorch.
"""

from __future__ import annotations

from typing import Any

from minitorch._functorch.deprecated import (
    combine_state_for_ensemble,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    make_functional,
    make_functional_with_buffers,
    vjp,
    vmap,
)
from minitorch._functorch.make_functional import FunctionalModule, FunctionalModuleWithBuffers
from minitorch._public.outlines import refused_function as _refused_function
from minitorch.version import __version__

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "__version__",
    "combine_state_for_ensemble",
    "functionalize",
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
]


def __getattr__(name: str) -> Any:
    if name == "make_fx":
        return _refused_function("torch.fx.experimental.proxy_tensor", name)
    raise AttributeError(f"functorch.{name} is not implemented by minitorch")
