"""Samplers: the order in which the items of a dataset are taken."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.generator import Generator

__all__ = (
    "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler"
).split()

T = TypeVar("T", covariant=True)


class Sampler(Generic[T]):
    """Gives the numbers of items. Subclasses define `__iter__`, and `__len__` where they can.

    As torch.utils.data.Sampler.
    """

    __module__ = "torch.utils.data.sampler"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("minitorch."):
            cls.__module__ = "torch.utils.data.sampler"

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All items in order.

    Args:
        data_source: what has a length, mostly a dataset.

    As torch.utils.data.SequentialSampler.
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Items at random: each once, or any every time.

    Args:
        data_source: what has a length, mostly a dataset; not empty, unless `num_samples` is given.
        replacement: whether an item may come again before all have come.
        num_samples: how many; as many as there are if None.
        generator: where random numbers come from; if None, one with a seed that the default one
            draws.

    Raises:
        TypeError: if `replacement` is no bool.
        ValueError: if there are no items, or `num_samples` is not positive.

    As torch.utils.data.RandomSampler.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, but got "
                f"num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        """The number of indices that the sampler draws."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, count, generator = len(self.data_source), self.num_samples, self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(seed_of(None))
        if self.replacement:
            for size in (*[32] * (count // 32), count % 32):
                yield from OPS.randint(
                    high=n, size=(size,), dtype=dtypes.int64, generator=generator
                ).tolist()
            return
        for _ in range(count // n):
            yield from OPS.randperm(n, generator=generator).tolist()
        yield from OPS.randperm(n, generator=generator).tolist()[: count % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Some items, each once, in random order.

    Args:
        indices: the numbers of these items.
        generator: where random numbers come from; the default one if None.

    As torch.utils.data.SubsetRandomSampler.
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in OPS.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Items at random, as likely as their weights say.

    Args:
        weights: one number for each item, not negative; they need not add up to 1.
        num_samples: how many numbers of items to give.
        replacement: whether an item may come again.
        generator: where random numbers come from; the default one if None.

    Raises:
        ValueError: if `num_samples` is not positive, `replacement` is no bool, or weights are not
            in one dimension.
        RuntimeError: by the iterator, for more samples than items without replacement.

    As torch.utils.data.WeightedRandomSampler.
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Any = None,
    ) -> None:
        _check_positive("num_samples", num_samples)
        _check_flag("replacement", replacement)
        self.weights = OPS.as_tensor(weights, dtype=dtypes.float64)
        if self.weights.dim() != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from OPS.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        ).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The numbers of another sampler in lists of `batch_size`.

    Args:
        sampler: what gives the numbers.
        batch_size: how many are in a list.
        drop_last: whether a last list that is not full is left out.

    Raises:
        ValueError: if `batch_size` is not positive, or `drop_last` is no bool.

    As torch.utils.data.BatchSampler.
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_positive("batch_size", batch_size)
        _check_flag("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                break
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def seed_of(generator: Any) -> int:
    """A seed that a generator draws; the default one if None."""
    return OPS.empty((), dtype=dtypes.int64).random_(generator=generator).item()


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
