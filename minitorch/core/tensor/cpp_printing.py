"""Tensors as C++ writes them into a stream, in the texts of a few errors.

As aten/src/ATen/core/Formatting.cpp.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy

_LINE = 80


def streamed(x: Any, title: str) -> str:
    """The numbers of an array, and below them its type and shape.

    Args:
        x: the array; only real parts are shown.
        title: its type, such as torch.FloatTensor.
    """
    sizes = ",".join(map(str, x.shape))
    numbers = numpy.asarray(x.real, numpy.float64)
    return f"{_rows(numbers) if x.size else ''}[ {title}{{{sizes}}} ]"


class _Format(NamedTuple):
    """The format of numbers: each as `kind` in `width` columns, divided by `scale`."""

    kind: str
    width: int
    scale: float = 1

    def of(self, number: float) -> str:
        return f"{number / self.scale:>{self.width}{self.kind}}"

    @property
    def head(self) -> str:
        """The line with the number by which the numbers are divided, if any."""
        if self.scale == 1:
            return ""
        return f"{int(self.scale) if 1 < self.scale < 1e16 else self.scale} *\n"


def _format(x: Any) -> _Format:
    finite = x[numpy.isfinite(x)]
    least = most = 1
    if finite.size:
        sizes = numpy.abs(finite)
        least, most = _digits(sizes.min()), _digits(sizes.max())
    if (finite == numpy.ceil(finite)).all():
        return _Format(".4e", 11) if most > 9 else _Format("g", most + 1)
    if most - least > 4:
        return _Format(".4e", 12 if abs(most) > 99 or abs(least) > 99 else 11)
    if most > 5 or most < 0:
        return _Format(".4f", 7, 10.0 ** (most - 1))
    return _Format(".4f", most + 6 if most else 7)


def _digits(size: float) -> int:
    """How many digits a number has before the point."""
    return math.floor(math.log10(size)) + 1 if size else 1


def _rows(x: Any) -> str:
    if x.ndim == 0:
        return f"{x.item():g}\n"
    if x.ndim == 1:
        form = _format(x)
        return form.head + "".join([f"{form.of(each)}\n" for each in x])
    if x.ndim == 2:
        return _matrix(x, 0)
    parts = []
    for turned in itertools.product(*map(range, x.shape[-3::-1])):  # the first runs fastest
        place = turned[::-1]
        shown = "".join([f"{i + 1}," for i in place])
        parts.append(f"({shown}.,.) = \n{_matrix(x[place], 1)}")
    return "\n".join(parts)


def _matrix(x: Any, indent: int) -> str:
    """The rows of a matrix, as many columns at a time as a line takes."""
    form = _format(x)
    space = " " * indent
    many = (_LINE - indent) // (form.width + 1)
    text = ""
    for first in range(0, x.shape[1], many):
        last = min(first + many, x.shape[1])
        if many < x.shape[1]:
            text += "\n" * bool(first) + f"Columns {first + 1} to {last}{space}"
        if form.head:
            text += form.head + space
        rows = [" ".join([form.of(each) for each in row[first:last]]) for row in x]
        text += f"\n{space}{' ' * bool(form.head)}".join(rows) + "\n"
    return text
