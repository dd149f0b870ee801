"""torch.classes: the classes of compiled libraries, which cannot be loaded here."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from minitorch._ops import ops


class _ClassNamespace(ModuleType):
    """The classes of a library: torch.classes.mylib."""

    __module__ = "torch._classes"

    def __init__(self, name: str) -> None:
        super().__init__(f"torch.classes{name}")
        self.name = name

    def __getattr__(self, attr: str) -> Any:
        if attr.startswith("__"):
            raise AttributeError(attr)
        raise RuntimeError(
            f"Tried to instantiate class '{self.name}.{attr}', but it does not exist! Ensure that "
            "it is registered via torch::class_"
        )


class _Classes(ModuleType):
    """All libraries of classes: torch.classes."""

    __module__ = "torch._classes"
    __file__ = "_classes.py"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        library = self.__dict__[name] = _ClassNamespace(name)
        return library

    @property
    def loaded_libraries(self) -> set[str]:
        """The files of the libraries that were loaded."""
        return ops.loaded_libraries

    def load_library(self, path: Any) -> None:
        """Loads a library of compiled code. As torch.ops.load_library."""
        ops.load_library(path)


classes = _Classes("torch.classes")
