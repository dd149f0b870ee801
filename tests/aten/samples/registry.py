"""Samples: small calls of every operator row, as NumPy arrays.

A file per family registers builders: `@sampled("mul_Tensor", "sub_Tensor")` on a function of a
`Draw` that yields calls. Each row draws from a stream of its own: a new sample changes no others.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from minitorch.core.declare.registry import ROWS, load_families

load_families()


@dataclass(frozen=True)
class Sample:
    """The arguments of one call: float64, int64 or bool arrays where the operator takes tensors.

    exact: whether the row's formulas are the derivatives of its forward here.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    exact: bool = True

    def map(self, change: Callable[[Any], Any], kind: type = numpy.ndarray) -> Sample:
        """This call with every array, or everything of another `kind`, changed."""
        return Sample(
            deep_map(change, self.args, kind),
            {name: deep_map(change, value, kind) for name, value in self.kwargs.items()},
            self.exact,
        )

    def all(self, kind: type = numpy.ndarray) -> list[Any]:
        """The arrays of the sample, or its parts of another `kind`, in order."""
        found: list[Any] = []
        self.map(found.append, kind)
        return found


def deep_map(change: Callable[[Any], Any], value: Any, kind: type = numpy.ndarray) -> Any:
    """`value` with everything of a kind in it, inside lists and tuples too, changed."""
    if isinstance(value, kind):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)([deep_map(change, each, kind) for each in value])
    return value


def call(*args: Any, **kwargs: Any) -> Sample:
    """A sample of a call with these arguments."""
    return Sample(args, kwargs)


def inexact(*args: Any, **kwargs: Any) -> Sample:
    """A sample of a call whose gradients are, as in torch, not its derivatives."""
    return Sample(args, kwargs, exact=False)


class Draw:
    """Arrays that repeat from run to run. Numbers keep off the kinks, the multiples of a half, and
    no two of one array lie close to each other: there are no ties and no kinks within 0.04."""

    def __init__(self, key: str) -> None:
        self.random = numpy.random.default_rng(zlib.crc32(key.encode()))

    def __call__(self, *shape: int, low: float = -2.0, high: float = 2.0) -> numpy.ndarray:
        """Floats between `low` and `high`."""
        count = max(int(numpy.prod(shape)), 1)
        step = (high - low) / count
        x = low + step * (self.random.permutation(count) + self.random.uniform(0.3, 0.7, count))
        near = numpy.round(2 * x) / 2
        x = numpy.where(abs(x - near) < 0.05, near + numpy.where(x < near, -0.06, 0.06), x)
        return numpy.clip(x, low, high)[: int(numpy.prod(shape))].reshape(shape)

    def positive(self, *shape: int, low: float = 0.3, high: float = 2.3) -> numpy.ndarray:
        """Positive floats."""
        return self(*shape, low=low, high=high)

    def integers(self, low: int, high: int, *shape: int) -> numpy.ndarray:
        """Integers from `low` to `high` - 1."""
        return self.random.integers(low, high, shape)

    def places(self, size: int, *shape: int) -> numpy.ndarray:
        """Different positions below `size`."""
        return self.random.permutation(size)[: int(numpy.prod(shape))].reshape(shape)

    def mask(self, *shape: int) -> numpy.ndarray:
        """Booleans, of both kinds where there are two."""
        flat = self.random.permutation(int(numpy.prod(shape))) % 2 == 0
        return flat.reshape(shape)


Builder = Callable[[Draw], Iterator[Sample]]
BUILDERS: dict[str, Builder] = {}


def sampled(*keys: str) -> Callable[[Builder], Builder]:
    """Registers the builder of some rows' samples."""

    def register(builder: Builder) -> Builder:
        for key in keys:
            if key in BUILDERS:
                raise ValueError(f"two builders of samples for {key}")
            BUILDERS[key] = builder
        return builder

    return register


def of_one_tensor(draw: Draw) -> Iterator[Sample]:
    """For an operator whose only required argument is a tensor."""
    yield call(draw(2, 3))
    yield call(draw())
    yield call(draw(3, 2).T)


def of_two_tensors(draw: Draw) -> Iterator[Sample]:
    """For a binary element-wise operator: equal shapes, broadcasting both ways, other layouts."""
    yield call(draw(2, 3), draw(2, 3))
    yield call(draw(2, 3), draw(3))
    yield call(draw(2, 1), draw(1, 3))
    yield call(draw(3, 2).T, draw())


def default_builder(key: str) -> Builder | None:
    """The builder that a row's schema suggests; None where it needs samples of its own."""
    schema = ROWS[key].schema
    required = [a for a in schema.arguments if a.default is None and not a.type.endswith("?")]
    if [a.type for a in required] == ["Tensor"]:
        return of_one_tensor
    if ROWS[key].family == "binary" and len(required) == 2:
        return of_two_tensors
    return None


def has_samples(key: str) -> bool:
    """Whether there are samples of a row."""
    return key in BUILDERS or default_builder(key) is not None


def samples(key: str) -> list[Sample]:
    """The samples of a row. KeyError if there are none."""
    builder = BUILDERS.get(key) or default_builder(key)
    if builder is None:
        raise KeyError(f"no samples for the row {key}: write some in tests/aten/samples")
    return list(builder(Draw(key)))
