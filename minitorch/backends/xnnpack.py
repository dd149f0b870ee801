"""torch.backends.xnnpack: kernels for phones, which torch's build for CPUs does not have."""

import sys
from types import ModuleType
from typing import NoReturn


class XNNPACKEngine(ModuleType):
    """The module, with a switch that can be read and not set."""

    @property
    def enabled(self) -> bool:
        """Whether torch is built with it: not for CPUs."""
        return False

    @enabled.setter
    def enabled(self, value: object) -> NoReturn:
        raise RuntimeError("Assignment not supported")


sys.modules[__name__].__class__ = XNNPACKEngine
