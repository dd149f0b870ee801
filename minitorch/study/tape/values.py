"""Values: what a recording keeps of the numbers of a tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy

from minitorch.study.tape.recording import Value

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
    if x.dtype == numpy.float32:
        return numpy.array(x, order="C")  # no cast that might warn: 5 us less
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
        good = numbers
        if not math.isfinite(total := float(numbers.sum())):
            good = numbers[numpy.isfinite(numbers)]
            total = float(good.sum())
        found: dict[str, Any] = {
            "n": int(x.size),
            "of": int(numbers.size),
            "bad": int(numbers.size - good.size),
        }
        if good.size:
            _describe(good, total, x.size, found)
        if light:
            return Value(list(x.shape), numpy.zeros(0, numpy.float32), 0, 0, found)
        if good.size:
            found["hist"] = histogram(good[:: -(-good.size // HISTOGRAM)])
        matrix = x.reshape(-1, x.shape[-1]) if x.ndim > 1 else x.reshape(1, -1)
        rows, columns = [-(-length // PICTURE) for length in matrix.shape]
        picture = as_float32(matrix[::rows, ::columns])
    rows, columns = picture.shape
    return Value(list(x.shape), picture.reshape(-1), rows, columns, found)


def _describe(good: Any, total: float, elements: int, found: dict[str, Any]) -> None:
    """Adds the statistics of finite numbers, which sum up to `total`; 40 us less than by mean(),
    std() and linalg.norm()."""
    mean = total / good.size
    apart = good - mean
    squares = float(numpy.dot(good, good))
    found["min"], found["max"] = short(good.min()), short(good.max())
    found["mean"] = short(mean)
    found["std"] = short(math.sqrt(float(numpy.dot(apart, apart)) / good.size))
    found["norm"] = short(math.sqrt(squares / good.size * elements))
    found["zeros"] = round(1 - int(numpy.count_nonzero(good)) / good.size, 4)


def histogram(numbers: Any) -> list[int]:
    """How many of some finite numbers are in each of BINS equal parts of their range; 100 us less
    than by numpy.histogram."""
    low, high = float(numbers.min()), float(numbers.max())
    if not math.isfinite(high - low) or high == low:
        return [int(numbers.size) if i == BINS // 2 else 0 for i in range(BINS)]
    part = ((numbers - low) * (BINS / (high - low))).astype(numpy.int64)
    counted: list[int] = numpy.bincount(numpy.minimum(part, BINS - 1), minlength=BINS).tolist()
    return counted


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
