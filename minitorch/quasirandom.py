"""torch.quasirandom: points that fill a cube evenly; imported when first asked for.

Sobol, https://doi.org/10.1016/0041-5553(67)90144-9, with the direction numbers of Joe and Kuo,
https://web.maths.unsw.edu.au/~fkuo/sobol, which SciPy has in a file; scrambled as by Owen.
"""

from __future__ import annotations

from typing import Any

import numpy

import minitorch
from minitorch.core.base.fields import tensor

__all__ = ["SobolEngine"]


def direction_numbers(dimension: int, bits: int) -> Any:
    """The bits that each bit of a counter flips, (dimension, bits), by polynomial recurrences."""
    from importlib.resources import files

    with (files("scipy.stats") / "_sobol_direction_numbers.npz").open("rb") as file:
        table = numpy.load(file)
        polynomials, start = table["poly"][:dimension], table["vinit"]
    numbers = numpy.ones((dimension, bits), numpy.int64)
    for row, first, polynomial in zip(
        numbers[1:], start[1:], polynomials[1:].tolist(), strict=False
    ):
        degree = polynomial.bit_length() - 1
        row[:degree] = first[:degree]
        for j in range(degree, bits):
            row[j] = row[j - degree] ^ numpy.bitwise_xor.reduce(
                [
                    row[j - k] << k if polynomial >> (degree - k) & 1 else 0
                    for k in range(1, degree + 1)
                ]
            )
    return numbers << numpy.arange(bits)[::-1]


class SobolEngine:
    """Draws points of (0, 1)^dimension one after the other, scrambled by `seed` if asked to.

    As https://docs.pytorch.org/docs/stable/generated/torch.quasirandom.SobolEngine.html.
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]"
            )
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = tensor(direction_numbers(dimension, self.MAXBIT))
        self.shift = minitorch.zeros(dimension, dtype=minitorch.long)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """The next `n` points, a row each."""
        dtype = minitorch.get_default_dtype() if dtype is None else dtype
        first = self.num_generated == 0
        if n < first:
            raise RuntimeError(
                "Trying to create tensor with negative dimension "
                f"{n - first}: {[n - first, self.dimension]}"
            )
        steps = self._steps(n - first)
        points = numpy.bitwise_xor.accumulate(numpy.concatenate([self.quasi._array[None], steps]))
        self.quasi = tensor(points[-1].copy())
        result = (tensor(points[1:]) * 2.0**-self.MAXBIT).to(dtype)
        if first:
            result = minitorch.cat((self._first_point.to(dtype), result), dim=-2)
        self.num_generated += n
        if out is not None:
            return out.resize_as_(result).copy_(result)
        return result

    def _steps(self, n: int) -> Any:
        """The bits that each of the next `n` points flips: by the lowest zero of a counter."""
        start = max(self.num_generated - 1, 0)
        counters = numpy.arange(start, start + n)
        lowest = ~counters & (counters + 1)
        return self.sobolstate._array.T[numpy.log2(lowest).astype(int)]

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """The next 2**m points. ValueError unless they make a power of two with those before."""
        n = 2**m
        total_n = self.num_generated + n
        if total_n & (total_n - 1):
            raise ValueError(
                "The balance properties of Sobol' points require "
                f"n to be a power of 2. {self.num_generated} points have been "
                f"previously generated, then: n={self.num_generated}+2**{m}={total_n}. "
                "If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> Any:
        """Goes back to the first point."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> Any:
        """Leaves out the next `n` points."""
        steps = self._steps(n - (self.num_generated == 0))
        self.quasi ^= tensor(numpy.bitwise_xor.reduce(steps, 0))
        self.num_generated += n
        return self

    def _scramble(self) -> None:
        generator = None
        if self.seed is not None:
            generator = minitorch.Generator()
            generator.manual_seed(self.seed)
        size = (self.dimension, self.MAXBIT)
        bits = minitorch.randint(2, size, generator=generator)
        self.shift = minitorch.mv(bits, minitorch.pow(2, minitorch.arange(self.MAXBIT)))
        lower = minitorch.randint(2, (*size, self.MAXBIT), generator=generator).tril()._array
        lower = lower.copy()
        places = numpy.arange(self.MAXBIT)
        lower[:, places, places] = 1
        down = places[::-1]
        state = self.sobolstate._array
        bits_of_state = state[:, None, :] >> down[None, :, None] & 1  # (dimension, bit, number)
        mixed = (lower @ bits_of_state) & 1
        state[...] = (mixed << down[None, :, None]).sum(1)

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts += ["scramble=True"]
        if self.seed is not None:
            parts += [f"seed={self.seed}"]
        return f"{type(self).__name__}({', '.join(parts)})"
