"""DataLoader: batches of a dataset, fetched here or by worker processes."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import multiprocessing.context
import os
import queue
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from minitorch.utils.data.collate import default_collate, default_convert
from minitorch.utils.data.dataset import IterableDataset
from minitorch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    seed_of,
)
from minitorch.utils.data.worker import (
    PATIENCE,
    Again,
    Caught,
    Ended,
    Fetcher,
    fetcher_of,
    get_worker_info,
    work,
)

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T = TypeVar("T", covariant=True)
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _DatasetKind:
    """Whether items are asked for by numbers or come one after another."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any
    ) -> Fetcher:
        """What gives the batches of a dataset: its fetch(numbers)."""
        return Fetcher(kind, dataset, auto_collation, collate_fn, drop_last)


class _Forever(Sampler[None]):
    """The sampler of iterable datasets, which take no numbers."""

    def __iter__(self) -> Iterator[None]:
        return itertools.repeat(None)


class DataLoader(Generic[T]):
    """Batches of a dataset, in an order of a sampler.

    shuffle: in random order, drawn from `generator` or the default one.
    sampler, batch_sampler: orders of one's own.
    num_workers: processes that fetch; `prefetch_factor` batches each ahead.
    collate_fn: makes a batch of a list of items; default_collate if None.
    timeout: seconds to wait for a worker's batch; 0 is forever.
    persistent_workers: they stay for the next epoch.
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
                sampler = _Forever()
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
        """How worker processes are started: a context of `multiprocessing`, or None."""
        return self.__context

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
        self.__context = context

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

    def __iter__(self) -> Any:
        if self.num_workers == 0:
            return _Here(self)
        if not self.persistent_workers:
            self.check_worker_number_rationality()
            return _InWorkers(self)
        if self._iterator is None:
            self._iterator = _InWorkers(self)
        else:
            self._iterator._begin_again()
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
            stacklevel=3,
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


class _Epoch:
    """One pass through a DataLoader."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self.loader = loader
        self._begin()
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device "
                "pinned memory won't be used.",
                stacklevel=3,
            )
        self._base_seed = seed_of(loader.generator)

    def _begin(self) -> None:
        self._numbers = iter(self.loader._index_sampler)
        self._expected = self.loader._IterableDataset_len_called
        self._given = 0

    def __iter__(self) -> Any:
        return self

    def __len__(self) -> int:
        return len(self.loader._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def __next__(self) -> Any:
        data = self._next()
        self._given += 1
        if self._expected is not None and self._given > self._expected:
            self._warn_of_length()
        return data

    def _warn_of_length(self) -> None:
        loader = self.loader
        if loader._dataset_kind == _DatasetKind.Map:
            return
        advice = (
            "For multiprocessing data-loading, this could be caused by not properly configuring "
            "the IterableDataset replica at each worker. Please see "
            "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for "
            "examples."
        )
        warnings.warn(
            f"Length of IterableDataset {loader.dataset} was reported to be {self._expected}(when "
            f"accessing len(dataloader)), but {self._given} samples have been fetched. "
            f"{advice if loader.num_workers else ''}",
            stacklevel=3,
        )

    def _next(self) -> Any:
        raise NotImplementedError


class _Here(_Epoch):
    """One whose batches are fetched in this process."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetcher = fetcher_of(loader)

    def _next(self) -> Any:
        return self._fetcher.fetch(next(self._numbers))


class _InWorkers(_Epoch):
    """One whose batches are fetched by worker processes, which are asked for several ahead.

    Tasks are numbered; a batch that comes before its turn is kept.
    """

    def __init__(self, loader: DataLoader[Any]) -> None:
        self._workers: list[Any] = []
        super().__init__(loader)
        if not loader.prefetch_factor:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        context: Any = loader.multiprocessing_context or multiprocessing
        self._results = context.Queue()
        self._done = context.Event()
        self._queues = []
        iterator, loader._iterator = loader._iterator, None  # which no worker needs
        for i in range(loader.num_workers):
            numbers = context.Queue()
            numbers.cancel_join_thread()
            arguments = (loader, numbers, self._results, self._done, self._base_seed, i)
            worker = context.Process(target=work, args=arguments, daemon=True)
            worker.start()
            self._queues.append(numbers)
            self._workers.append(worker)
        loader._iterator = iterator
        self._start()

    def _start(self) -> None:
        count = self.loader.num_workers
        self._sent = self._received = 0
        self._tasks: dict[int, int] = {}  # number -> worker, of batches that did not come yet
        self._early: dict[int, tuple[int, Any]] = {}
        self._active = [True] * count
        self._loads = [0] * count
        self._turns = itertools.cycle(range(count))
        for _ in range(self.loader.prefetch_factor * count):
            self._ask()

    def _begin_again(self) -> None:
        self._begin()
        for numbers in self._queues:
            numbers.put(Again())
        agreed = 0
        while agreed < len(self._workers):  # what comes before is of the last epoch
            agreed += isinstance(self._get()[0], Again)
        self._start()

    def _ask(self) -> None:
        """Gives the next task to a worker whose turn it is."""
        most = self.loader.prefetch_factor * self.loader.num_workers
        try:
            index = next(self._numbers)
        except StopIteration:
            return
        for worker in itertools.islice(self._turns, len(self._workers)):
            free = self.loader.in_order or self._loads[worker] < most // max(sum(self._active), 1)
            if self._active[worker] and free:
                break
        else:
            return
        self._queues[worker].put((self._sent, index))
        self._tasks[self._sent] = worker
        self._loads[worker] += 1
        self._sent += 1

    def _get(self) -> Any:
        """The next result of any worker."""
        timeout = self.loader.timeout
        while True:
            try:
                return self._results.get(timeout=timeout or PATIENCE)
            except queue.Empty as error:
                dead = [
                    i for i, w in enumerate(self._workers) if self._active[i] and not w.is_alive()
                ]
                if dead:
                    pids = ", ".join([str(self._workers[i].pid) for i in dead])
                    for i in dead:
                        self._active[i] = False
                    raise RuntimeError(
                        f"DataLoader worker (pid(s) {pids}) exited unexpectedly"
                    ) from error
                if timeout:
                    raise RuntimeError(f"DataLoader timed out after {timeout} seconds") from None

    def _next(self) -> Any:
        while True:
            # Tasks of workers whose part has ended come to nothing.
            while self._received < self._sent and self._received not in self._early:
                worker = self._tasks.get(self._received)
                if worker is not None and self._active[worker]:
                    break
                self._tasks.pop(self._received, None)
                self._received += 1
            if self._received >= self._sent:
                if not self.loader.persistent_workers:
                    self._shut_down()
                raise StopIteration
            if self._received in self._early:
                worker, data = self._early.pop(self._received)
                self._received += 1
                return self._taken(worker, data)
            number, data = self._get()
            if isinstance(data, Ended):
                self._active[data.worker] = False
                if not self.loader.persistent_workers:
                    self._queues[data.worker].put(None)
                self._ask()
                continue
            worker = self._tasks.pop(number)
            if number == self._received:
                self._received += 1
                return self._taken(worker, data)
            if not self.loader.in_order:
                return self._taken(worker, data)
            self._early[number] = worker, data

    def _taken(self, worker: int, data: Any) -> Any:
        self._loads[worker] -= 1
        self._ask()
        if isinstance(data, Caught):
            data.reraise()
        return data

    def _shut_down(self) -> None:
        """Ends the workers."""
        workers, self._workers = self._workers, []
        if not workers:
            return
        try:
            self._done.set()
            for numbers in self._queues:
                numbers.put(None)
            for worker in workers:
                worker.join(timeout=PATIENCE)
            for numbers in self._queues:
                numbers.cancel_join_thread()
                numbers.close()
            self._results.cancel_join_thread()
            self._results.close()
        finally:
            for worker in workers:
                if worker.is_alive():
                    worker.terminate()

    def __del__(self) -> None:
        self._shut_down()
