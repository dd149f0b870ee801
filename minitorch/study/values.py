"""Values: what a recording keeps of the numbers of a tensor."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy

from minitorch.study.recording import Value

WHOLE = 256  # tensors of up to so many elements are kept whole,
TINY = 16  # or of so many once
BUDGET = 1 << 20  # so many elements were kept
SAMPLE = 65_536  # of larger ones so many elements are looked at, at equal distances,
HISTOGRAM, BINS = 8_192, 24  # so many for the histogram,
PICTURE = 24  # and a picture has so many rows and columns


class Values:
    """The values of a recording; equal small ones are kept once.

    kept: "all", "small" (only tensors that are kept whole) or "none".
    """

    def __init__(self, values: list[Value], kept: str) -> None:
        self.values = values
        self.kept = kept
        self._known: dict[tuple[Any, ...], int] = {}
        self._elements = 0

    def add(self, x: Any) -> int | None:
        """The number of the value of an array, if there is one; None if it is not kept."""
        if x is None or self.kept == "none":
            return None
        if x.size <= (WHOLE if self._elements < BUDGET else TINY):
            flat = as_float32(x)
            key = x.shape, flat.tobytes()
            number = self._known.get(key)
            if number is None:
                number = self._known[key] = self._append(Value(list(x.shape), flat.reshape(-1)))
            return number
        if self.kept == "small":
            return None
        return self._append(summary(x, light=self._elements >= BUDGET))

    def _append(self, value: Value) -> int:
        self._elements += int(value.numbers.size)
        self.values.append(value)
        return len(self.values) - 1


def as_float32(x: Any) -> Any:
    """The numbers of an array as a contiguous copy in float32; of complex ones absolute values."""
    with numpy.errstate(all="ignore"):
        return numpy.array(numpy.abs(x) if x.dtype.kind == "c" else x, numpy.float32, order="C")


def summary(x: Any, light: bool = False) -> Value:
    """A picture and statistics of a large array.

    Args:
        x: an array of any shape and dtype; of complex numbers their absolute values count.
        light: leaves the picture and the histogram out.
    """
    if x.dtype.kind == "c":
        x = numpy.abs(x)
    flat = (x.T if x.flags.f_contiguous else x).reshape(-1)  # no copy, in either order
    looked = flat[:: -(-x.size // SAMPLE)]
    with numpy.errstate(all="ignore"):
        numbers = looked.astype(numpy.float64)
        finite = numpy.isfinite(numbers)
        good = numbers if finite.all() else numbers[finite]
        found: dict[str, Any] = {
            "n": int(x.size),
            "of": int(numbers.size),
            "bad": int(numbers.size - good.size),
        }
        if good.size:
            found |= {
                "min": short(good.min()),
                "max": short(good.max()),
                "mean": short(good.mean()),
                "std": short(good.std()),
                "norm": short(math.sqrt(float(numpy.dot(good, good)) / good.size * x.size)),
                "zeros": round(1 - numpy.count_nonzero(good) / good.size, 4),
            }
        if light:
            return Value(list(x.shape), numpy.zeros(0, numpy.float32), 0, 0, found)
        if good.size:
            some = good[:: -(-good.size // HISTOGRAM)]
            with contextlib.suppress(ValueError):  # a range that is too wide for bins
                found["hist"] = numpy.histogram(some, BINS)[0].tolist()
        matrix = x.reshape(-1, x.shape[-1]) if x.ndim > 1 else x.reshape(1, -1)
        rows, columns = [-(-length // PICTURE) for length in matrix.shape]
        picture = as_float32(matrix[::rows, ::columns])
    return Value(list(x.shape), picture.reshape(-1), *picture.shape, found)


def short(number: Any) -> Any:
    """A number with five digits; texts for what JSON has no number for."""
    number = float(number)
    if number != number:
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if number == int(number) and abs(number) < 1e9:
        return int(number)
    return float(f"{number:.5g}")
