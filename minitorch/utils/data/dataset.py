"""Datasets: items by number, or one after another; and those made of others."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.generator import default_generator

__all__ = (
    "ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset "
    "random_split"
).split()

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Gives the item of a number. Subclasses define `__getitem__`, mostly `__len__`, and may
    define `__getitems__`, which gives those of a list of numbers at once.

    As https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Dataset.
    """

    __module__ = "torch.utils.data.dataset"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("minitorch."):
            cls.__module__ = "torch" + cls.__module__.removeprefix("minitorch")

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """Gives items one after another. Abstract, as Iterable is: subclasses define `__iter__`.

    As torch.utils.data.IterableDataset.
    """

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """The rows of tensors, which have one first size: item i is a tuple of each tensor's row i.

    Args:
        *tensors: of one first size.

    Raises:
        AssertionError: if their first sizes differ.

    As torch.utils.data.TensorDataset.
    """

    def __init__(self, *tensors: Any) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def items_of(dataset: Any, indices: list[int]) -> Any:
    """The items of several numbers, at once where the dataset can."""
    at_once = getattr(dataset, "__getitems__", None)
    return at_once(indices) if callable(at_once) else [dataset[i] for i in indices]


class StackDataset(Dataset[Any]):
    """The items of several datasets side by side: tuples, or dicts of those given by name.

    Args:
        *args: datasets of one length, for tuples.
        **kwargs: or those, by name, for dicts.

    Raises:
        ValueError: for none, both kinds, or different lengths.

    As torch.utils.data.StackDataset.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        every = list(args or kwargs.values())
        self._length = len(every[0])
        self.datasets: Any = args or kwargs
        if any(len(dataset) != self._length for dataset in every):
            raise ValueError("Size mismatch between datasets")

    def _every(self) -> list[Any]:
        named = isinstance(self.datasets, dict)
        return list(self.datasets.values() if named else self.datasets)

    def _named(self, items: Iterable[Any]) -> Any:
        named = isinstance(self.datasets, dict)
        return dict(zip(self.datasets, items, strict=True)) if named else tuple(items)

    def __getitem__(self, index: Any) -> Any:
        return self._named([dataset[index] for dataset in self._every()])

    def __getitems__(self, indices: list[int]) -> list[Any]:
        columns = [items_of(dataset, indices) for dataset in self._every()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(
                    "Nested dataset's output size mismatch. Expected "
                    f"{len(indices)}, got {len(column)}"
                )
        return [self._named(row) for row in zip(*columns, strict=True)]

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """The items of several datasets, one dataset after another.

    Args:
        datasets: those that are asked by number; at least one.

    Raises:
        AssertionError: for none, or an IterableDataset.

    As torch.utils.data.ConcatDataset.
    """

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The position at which each dataset ends."""
        return list(itertools.accumulate(map(len, sequence)))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - self.cumulative_sizes[which - 1] if which else idx]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The old name of `cumulative_sizes`."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`",
            FutureWarning,
            stacklevel=2,
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """The items of several iterable datasets, one dataset after another.

    Args:
        datasets: iterable datasets.

    Raises:
        AssertionError: by the iterator, for another dataset.

    As torch.utils.data.ChainDataset.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def _checked(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self) -> Iterator[Any]:
        for dataset in self._checked():
            yield from dataset

    def __len__(self) -> int:
        return sum(map(len, self._checked()))


class Subset(Dataset[Any]):
    """Some items of a dataset, by their numbers.

    Args:
        dataset: what is asked by number.
        indices: the numbers of the items.

    Raises:
        NotImplementedError: for a subclass that overrides `__getitem__`, but not `__getitems__`.

    As torch.utils.data.Subset.
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing "
                "Subset and overriding __getitem__, you must also override __getitems__ to ensure "
                "DataLoader works correctly with your custom logic. A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> Any:
        return items_of(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[Any], generator: Any = default_generator
) -> list[Subset]:
    """Splits a dataset at random into subsets without common items.

    Args:
        dataset: what is asked by number.
        lengths: how many items each gets, or which parts of them, which add up to 1; what rounding
            leaves over goes to the first ones.
        generator: where random numbers come from.

    Returns:
        A list of Subsets.

    Raises:
        ValueError: if the lengths do not add up, or a part is not from 0 to 1.

    As https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.random_split.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _counts(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = OPS.randperm(sum(lengths), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, indices[end - n : end]) for end, n in zip(ends, lengths, strict=True)]


def _counts(total: int, parts: Sequence[float]) -> list[int]:
    counts = []
    for i, part in enumerate(parts):
        if part < 0 or part > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        counts.append(math.floor(total * part))
    for i in range(total - sum(counts)):  # the remainder goes round
        counts[i % len(counts)] += 1
    for i, count in enumerate(counts):
        if count == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return counts
