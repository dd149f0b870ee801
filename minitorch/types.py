"""torch.types: names for what arguments may be."""

from __future__ import annotations

import os
from typing import IO, TypeAlias, Union

from minitorch.core.numbers.device import device
from minitorch.core.tensor.storage import UntypedStorage as Storage

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007
