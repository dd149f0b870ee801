"""Sub-modules of the standard library that are there once torch is imported.

Torch imports them for itself, and an imported sub-module is an attribute of its package: a program
that imports torch and `importlib` calls `importlib.util.find_spec`, and one that waits for the
processes it started calls `multiprocessing.connection.wait`, although it imports neither. To import
all of them takes 60 ms. So a package gets a `__getattr__` that imports those of the table when
somebody asks for one. Only a program whose `import torch` finds minitorch sees it.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# conformance/tests/test_standard_modules.py compares the table with what torch leaves imported.
SUBMODULES = {
    "concurrent": ("futures",),
    "concurrent.futures": ("thread",),
    "email": (
        *("base64mime", "charset", "encoders", "errors", "feedparser", "header", "iterators"),
        *("message", "parser", "quoprimime", "utils"),
    ),
    "http": ("client",),
    "importlib": ("abc", "machinery", "metadata", "resources", "util"),
    "multiprocessing": ("connection", "resource_sharer", "resource_tracker", "spawn", "util"),
    "unittest": ("mock",),
    "urllib": ("error", "parse", "request", "response"),
}


def show_submodules(package: ModuleType) -> None:
    """Lets a package of the table import its sub-modules when they are asked for by attribute."""
    plain = vars(package).get("__getattr__")
    if not isinstance(plain, _Submodules):
        vars(package)["__getattr__"] = _Submodules(package.__name__, plain)


def show_all() -> None:
    """Does so for all that are imported by now."""
    for name in SUBMODULES.keys() & sys.modules.keys():
        show_submodules(sys.modules[name])


def hide_all() -> None:
    """Takes back what `show_submodules` did."""
    for name in SUBMODULES.keys() & sys.modules.keys():
        names = vars(sys.modules[name])
        if isinstance(shown := names.get("__getattr__"), _Submodules):
            del names["__getattr__"]
            if shown.plain is not None:
                names["__getattr__"] = shown.plain


class _Submodules:
    """The `__getattr__` of a package."""

    def __init__(self, package: str, plain: Any) -> None:
        self.package, self.plain = package, plain

    def __call__(self, name: str) -> Any:
        if name in SUBMODULES[self.package]:
            return import_module(f"{self.package}.{name}")
        if self.plain is not None:
            return self.plain(name)
        raise AttributeError(
            f"module {self.package!r} has no attribute {name!r}",
            name=name,
            obj=sys.modules.get(self.package),
        )
