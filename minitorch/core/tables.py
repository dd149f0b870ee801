"""The tables of text that come with the package."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(__file__))


def table(path: str) -> str:
    """The text of a file of this package, by its path in it, such as "aten/signatures.txt".

    Without pathlib: `import minitorch` would take 6 ms more with it.
    """
    with open(os.path.join(_PACKAGE, *path.split("/")), encoding="utf-8") as file:
        return file.read()
