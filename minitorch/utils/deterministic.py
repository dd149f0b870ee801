"""torch.utils.deterministic: whether memory that nothing has written yet is filled.

The module has a class of its own, because what is assigned to it is checked.
"""

from __future__ import annotations

import sys
from types import ModuleType

from minitorch.core import determinism


class _Deterministic(ModuleType):
    """torch.utils.deterministic."""

    @property
    def fill_uninitialized_memory(self) -> bool:
        """Whether torch.empty and its kin fill memory where deterministic results are demanded."""
        return determinism.fills_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        determinism.set_fills_memory(mode)


sys.modules[__name__].__class__ = _Deterministic
