"""torch.jit._freeze: modules that only infer stay as they are."""

from __future__ import annotations

from typing import Any

from minitorch.jit._modules import ScriptModule
from minitorch.jit._script import deprecated

INSTEAD = "use `torch.compile` instead"


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """`mod` itself, a ScriptModule. RuntimeError unless it is one, and in evaluation mode."""
    deprecated("freeze", INSTEAD)
    if not isinstance(mod, ScriptModule):
        raise RuntimeError(
            "Freezing expects a ScriptModule as input. Please use torch.jit.script or "
            "torch.jit.trace to script your 'nn.Module'."
        )
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call "
            ".eval() on your module before freezing."
        )
    return mod


def run_frozen_optimizations(
    mod: Any, optimize_numerics: bool = True, preserved_methods: Any = None
) -> None:
    """Asks for a frozen module to be made quicker: it is not."""


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """`mod` itself, in evaluation mode."""
    deprecated("optimize_for_inference", INSTEAD)
    return freeze(mod.eval())
