"""The owner of code that runs: the reader, or a library."""

from __future__ import annotations

import os
import sysconfig

LIBRARIES = frozenset(("minitorch", "torch", "runpy"))
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
_INSTALLED = tuple(
    os.path.join(each, "")
    for each in {
        _PACKAGE,  # its __main__ is not the reader's
        *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
    }
)


def is_own(file: str, module: str = "") -> bool:
    """Whether code is the reader's: not of a library, nor of Python's own.

    Args:
        file: where it stands; a notebook's cells have a file of ipykernel's.
        module: the name of its module, "" if that is not known.
    """
    if module.partition(".")[0] in LIBRARIES or file.startswith("<frozen "):
        return False
    if not module and file.startswith("<minitorch"):  # written by the library while it runs
        return False
    return "ipykernel_" in file or not file.startswith(_INSTALLED)
