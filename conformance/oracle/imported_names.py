"""Writes minitorch/_public/imported_names.txt: names that torch's modules have by importing them.

python -m conformance.oracle.imported_names      for the torch that is installed

Packages take such names from where torch has them: `from torch.hub import urlparse`. Listed are
those that minitorch's module of the same name lacks, and that Python, NumPy or minitorch have
elsewhere: `name=place`, or the name alone for a module; and constants: `name:value`.
"""

import contextlib
import importlib
import io
import math
import pkgutil
import re
import sys
import types
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance.oracle.outline import is_alias
from minitorch._public import private_names

FILE = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "imported_names.txt"
LEFT_OUT = re.compile(
    r".*(__main__|\.test|contrib)|torch\.(_dynamo|_inductor|_export|_higher_order_ops|_lazy|_numpy|_prims|_refs"
    r"|distributed|testing\._internal|onnx\._internal|utils\.benchmark)\."
)


def modules() -> Iterator[str]:
    """Yields the names of torch's modules that minitorch has, too, as real ones."""
    yield "torch"
    waiting = ["torch"]
    while waiting:
        package = waiting.pop()
        try:
            path = importlib.import_module(package).__path__
        except ImportError:  # its requirements are not installed
            continue
        for info in pkgutil.iter_modules(path, f"{package}."):
            if LEFT_OUT.match(info.name) or not _is_real(info.name):
                continue
            yield info.name
            if info.ispkg:
                waiting.append(info.name)


def _is_real(name: str) -> bool:
    try:
        spec = find_spec(f"mini{name}")
    except (ImportError, ValueError):  # the latter: a module made by hand
        return False
    return spec is not None and spec.origin not in (None, "outline")


def entries(module: str) -> Iterator[str]:
    """Yields `name=place` for the names of a module, or `name` for a module of that name."""
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = importlib.import_module(module)
        ours = importlib.import_module(f"mini{module}")
    for name, thing in sorted(vars(theirs).items()):
        if name.startswith("__") or name in ("annotations", "TYPE_CHECKING"):
            continue
        # A module in it is there because something has imported it, or else by `__getattr__`.
        within = isinstance(thing, types.ModuleType) and thing.__name__ == f"{module}.{name}"
        if not (within and name in vars(ours)) and _has(ours, name):
            continue
        place = _place(thing)
        if place is not None:
            yield name if place == name else f"{name}={place}"
        elif isinstance(thing, float) and repr(abs(thing)) in ("inf", "nan"):
            if thing != -math.inf:
                yield f"{name}=math.{thing!r}"
        elif _is_plain(thing):
            yield f"{name}:{thing!r}"
        elif is_alias(thing) or isinstance(thing, types.GenericAlias):
            yield f"{name}=typing.Any"


def _is_plain(thing: Any) -> bool:
    text = repr(thing) if type(thing) in (bool, int, str, float, type(None)) else " "
    here = text.startswith("'/")  # a folder of this machine
    return len(text) < 60 and not here and not set(" =\n") & set(text)


def _has(module: types.ModuleType, name: str) -> bool:
    try:
        getattr(module, name)
    except Exception:
        return False
    return True


def _place(thing: Any) -> str | None:
    """The place in Python, NumPy or minitorch of a thing of torch's; None if there is none."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__ if _found(thing.__name__) is not None else None
    try:
        home = thing.__module__
        own = (
            getattr(thing, "__qualname__", None) or getattr(thing, "_name", None) or thing.__name__
        )
    except Exception:
        return None
    if not isinstance(home, str) or not isinstance(own, str) or "." in own:
        return None
    if home == "typing_extensions":
        home = "typing"
    found = _found(home)
    known = home.startswith("torch") or home == "typing"
    if found is None or not _has(found, own) or not (known or getattr(found, own) is thing):
        return None
    return f"{home}.{own}"


def _found(name: str) -> types.ModuleType | None:
    root = name.partition(".")[0]
    if root not in sys.stdlib_module_names and root not in ("numpy", "torch"):
        return None
    try:
        return importlib.import_module(f"mini{name}" if root == "torch" else name)
    except Exception:
        return None


def main() -> None:
    """Writes the table."""
    warnings.simplefilter("ignore")
    lines = []
    FILE.write_text("", encoding="utf-8")  # so that no name is found through it
    for each in (private_names._imported, private_names._places):
        each.cache_clear()
    for module in sorted(modules()):
        try:
            listed = list(entries(module))
        except Exception as error:
            print(f"{module} is left out: {error}", file=sys.stderr)
            continue
        if listed:
            lines.append(f"{module}: {' '.join(listed)}\n")
    FILE.write_text("".join(lines), encoding="utf-8")
    print(len(lines), "modules", FILE.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
