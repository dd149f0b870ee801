"""DataLoader: batches of a dataset, fetched here or by worker processes."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import multiprocessing.context
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from minitorch._public.later import names_of as _names_of
from minitorch.utils.data._utils.collate import default_collate, default_convert
from minitorch.utils.data._utils.fetch import _DatasetKind
from minitorch.utils.data._utils.worker import get_worker_info
from minitorch.utils.data.dataset import IterableDataset
from minitorch.utils.data.loading import (
    _BaseDataLoaderIter,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from minitorch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T = TypeVar("T", covariant=True)
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler[None]):
    """The sampler of iterable datasets, which take no numbers."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T]):
    """Batches of a dataset, in an order of a sampler.

    Args:
        dataset: what is asked by number, or an IterableDataset.
        batch_size: how many items are in a batch; None gives items themselves.
        shuffle: in random order, drawn from `generator` or the default one.
        sampler: an order of one's own, of items.
        batch_sampler: an order of one's own, of lists of items.
        num_workers: processes that fetch; 0 fetches here.
        collate_fn: makes a batch of a list of items; default_collate if None, or default_convert
            without batches.
        pin_memory: whether batches are put in memory from which a GPU copies faster.
        drop_last: whether a last batch that is not full is left out.
        timeout: seconds to wait for a worker's batch; 0 is forever.
        worker_init_fn: called in each worker with its number.
        multiprocessing_context: how workers are started: 'fork', 'spawn', 'forkserver' or a
            context.
        generator: where random numbers come from; the default one if None.
        prefetch_factor: how many batches each worker fetches ahead; 2 if None.
        persistent_workers: they stay for the next epoch.
        pin_memory_device: the device of that memory.
        in_order: whether batches come in order, also if a later one is ready first.

    Raises:
        ValueError: for options out of range, and those that exclude one another.
        TypeError: for another `multiprocessing_context`.

    As https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader.
    """

    __module__ = "torch.utils.data.dataloader"
    __initialized = False

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable "
                "multiprocessing."
            )
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let "
                "num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        elif prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = int(isinstance(dataset, IterableDataset))
        if self._dataset_kind == _DatasetKind.Iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                    "and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator: Any = None
        self.check_worker_number_rationality()

    @property
    def multiprocessing_context(self) -> Any:
        """The context of `multiprocessing` that starts worker processes, or None."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and self.num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers "
                f"> 0), but got num_workers={self.num_workers}"
            )
        if isinstance(context, str):
            valid = multiprocessing.get_all_start_methods()
            if context not in valid:
                raise ValueError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{valid!r}, but got multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, multiprocessing.context.BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string "
                f"specifying the start method, but got multiprocessing_context={context}"
            )
        self.__multiprocessing_context = context

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in _FIXED:
            raise ValueError(
                f"{attr} attribute should not be set after {type(self).__name__} is initialized"
            )
        super().__setattr__(attr, val)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self) -> Any:
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        if self.drop_last:
            return length // self.batch_size
        return math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warns of more workers than this machine has processors."""
        affinity = getattr(os, "sched_getaffinity", None)
        most = len(affinity(0)) if affinity else os.cpu_count()
        if not self.num_workers or (most is not None and self.num_workers <= most):
            return
        suggested = (
            "DataLoader is not able to compute a suggested max number of worker in current system."
            if most is None
            else f"Our suggested max number of worker in current system is {most}"
            f"{'' if affinity else ' (`cpuset` is not taken into account)'}, which is smaller than "
            "what this DataLoader is going to create."
        )
        warnings.warn(
            f"This DataLoader will create {self.num_workers} worker processes in total. {suggested}"
            " Please be aware that excessive worker creation might get DataLoader running slow or "
            "even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
            stacklevel=2,  # a line of this file: once for all loaders, as torch's
        )


def _check_iterable(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    given = {"sampler": sampler, "batch_sampler": batch_sampler}
    if shuffle:
        given = {"shuffle": shuffle}
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={value}"
            )


__getattr__ = _names_of("torch.utils.data.dataloader")
