"""torch.jit._freeze: modules that only infer stay as they are."""

from __future__ import annotations

from typing import Any


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """`mod` itself. RuntimeError unless it is in evaluation mode."""
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
    return freeze(mod.eval())
