"""Arrays as other dtypes."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.warning import warn_once


def cast(x: Any, dtype: Any, order: Any = "K") -> Any:
    """`x` as another NumPy dtype, with torch's warning where complex numbers become real."""
    if x.dtype.kind == "c" and dtype.kind != "c" and dtype.kind != "b":
        if x.size:
            warn_of_real_parts()
        x = x.real
    with numpy.errstate(all="ignore"):
        return x.astype(dtype, order=order)


def warn_of_real_parts() -> None:
    """Says that only the real parts of complex numbers are kept."""
    warn_once("Casting complex values to real discards the imaginary part")
