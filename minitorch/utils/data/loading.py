"""One pass through a DataLoader: batches fetched in this process, or asked of workers ahead.

`dataloader` has these classes under the same names, which classes derived from them use, and the
names of their fields.
"""

from __future__ import annotations

import itertools
import queue
import warnings
import weakref
from pickle import PicklingError
from typing import Any

import minitorch
from minitorch._utils import ExceptionWrapper
from minitorch.autograd._named_blocks import named_block
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.utils.data import _utils
from minitorch.utils.data._utils import signal_handling
from minitorch.utils.data._utils.fetch import _DatasetKind
from minitorch.utils.data._utils.worker import (
    _IterableDatasetStopIteration,
    _ResumeIteration,
    _worker_loop,
)
from minitorch.utils.data.sampler import seed_of

_NOT_PICKLED = (
    "Got pickle error when attempting to start a worker Process. This might be because the worker "
    "Process arguments are not picklable. Python 3.14+ changed the multiprocessing start method in "
    "non-Mac POSIX platforms to 'forkserver', which requires the worker Process arguments to be "
    "picklable. You can also try multiprocessing.set_start_method('fork')."
)


class _BaseDataLoaderIter:
    """One pass through a loader. Derived classes define `_next_data`."""

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._shared_seed: int | None = None
        self._pg: Any = None
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._world_size, self._rank = _get_distributed_settings()
        self._pin_memory = loader.pin_memory and minitorch.accelerator.is_available()
        self._pin_memory_device = "cuda" if self._pin_memory else None
        if loader.pin_memory:
            _warn_of_pinning(loader)
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = seed_of(loader.generator)
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = 0
        self._profile_name = f"enumerate(DataLoader)#{type(self).__name__}.__next__"

    def __iter__(self) -> Any:
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def __next__(self) -> Any:
        if not ASSEMBLED_GLOBALS["WATCHED"]:  # by a profile, or a mode
            return self._counted_data()
        with named_block(self._profile_name):
            return self._counted_data()

    def _counted_data(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if self._dataset_kind == _DatasetKind.Iterable:
            expected = self._IterableDataset_len_called
            if expected is not None and self._num_yielded > expected:
                self._warn_of_length()
        return data

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        """Begins another pass."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called

    def _next_index(self) -> Any:
        """The numbers of the next batch. StopIteration after the last."""
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        """The next batch. StopIteration after the last."""
        raise NotImplementedError

    def _pinned(self, data: Any) -> Any:
        """A batch, in memory that is locked for copies to a device where that is asked for."""
        if not self._pin_memory:
            return data
        return _utils.pin_memory.pin_memory(data, self._pin_memory_device)

    def _warn_of_length(self) -> None:
        advice = (
            "For multiprocessing data-loading, this could be caused by not properly configuring "
            "the IterableDataset replica at each worker. Please see "
            "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for "
            "examples."
        )
        warnings.warn(
            f"Length of IterableDataset {self._dataset} was reported to be "
            f"{self._IterableDataset_len_called}(when accessing len(dataloader)), but "
            f"{self._num_yielded} samples have been fetched. "
            f"{advice if self._num_workers else ''}",
            stacklevel=3,
        )


def _get_distributed_settings() -> tuple[int, int]:
    """The number of processes in the default group, and the rank of this one."""
    import sys

    distributed = sys.modules.get("minitorch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size(), distributed.get_rank()
    return 1, 0


def _warn_of_pinning(loader: Any) -> None:
    """Says if there is no device to lock memory for, and which argument has no meaning any more."""
    if loader.pin_memory_device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,"
            f"ignore pin_memory_device='{loader.pin_memory_device}'.",
            stacklevel=4,
        )
    if not minitorch.accelerator.is_available():
        text = (
            "'pin_memory' argument is set as true but no accelerator is found, then device "
            "pinned memory won't be used."
        )
        warnings.warn(text, stacklevel=4)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """One whose batches are fetched in this process."""

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if self._num_workers != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires num_workers == 0")
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind,
            self._dataset,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
        )

    def _next_data(self) -> Any:
        return self._pinned(self._dataset_fetcher.fetch(self._next_index()))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """One whose batches are fetched by worker processes, which are asked for several ahead.

    Tasks are numbered. `_task_info` has for each the number of its worker, and the batch too once
    it came before its turn.
    """

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: Any) -> None:
        self._workers: list[Any] = []
        self._index_queues: list[Any] = []
        self._shutdown = self._worker_pids_set = False
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        self._in_order = loader.in_order
        if self._num_workers <= 0:
            raise AssertionError(
                "num_workers must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        if not self._prefetch_factor:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        from minitorch import multiprocessing  # start-up: 6 ms; it lets batches cross as memory

        context: Any = loader.multiprocessing_context or multiprocessing
        self._worker_init_fn = loader.worker_init_fn
        self._worker_result_queue = context.Queue()
        self._data_queue = self._worker_result_queue
        self._workers_done_event = context.Event()
        # If a pass is garbage in a cycle, as the traceback of an error makes one, its queues must
        # not be: their pipes would be closed first, and other files have the numbers by then.
        kept = id(self), self._workers, self._index_queues, self._workers_done_event
        self._end_workers = weakref.finalize(self, _end_workers, *kept)
        self._end_workers.atexit = False
        for number in range(self._num_workers):
            self._start_worker(context, number)
        signal_handling._set_worker_pids(id(self), tuple(w.pid for w in self._workers))
        self._worker_pids_set = True
        signal_handling._set_SIGCHLD_handler()
        self._reset(loader, first_iter=True)

    def _start_worker(self, context: Any, number: int) -> None:
        index_queue = context.Queue()
        index_queue.cancel_join_thread()
        arguments = (
            self._dataset_kind,
            self._dataset,
            index_queue,
            self._worker_result_queue,
            self._workers_done_event,
            self._auto_collation,
            self._collate_fn,
            self._drop_last,
            self._base_seed,
            self._worker_init_fn,
            number,
            self._num_workers,
            self._persistent_workers,
            self._shared_seed,
        )
        worker = context.Process(target=_worker_loop, args=arguments, daemon=True)
        try:
            worker.start()
        except (TypeError, AttributeError, PicklingError):
            warnings.warn(_NOT_PICKLED, stacklevel=2)
            raise
        self._index_queues.append(index_queue)
        self._workers.append(worker)

    def _reset(self, loader: Any, first_iter: bool = False) -> None:
        super()._reset(loader, first_iter)
        count = self._num_workers
        self._send_idx = self._rcvd_idx = 0
        self._task_info: dict[int, tuple[Any, ...]] = {}
        self._tasks_outstanding = 0  # how many were asked for and did not come yet
        self._workers_status = [True] * count
        self._workers_num_tasks = [0] * count
        self._worker_queue_idx_cycle = itertools.cycle(range(count))
        if not first_iter:
            for index_queue in self._index_queues:
                index_queue.put(_ResumeIteration(self._shared_seed))
            agreed = 0
            while agreed < count:  # what comes before is of the last pass
                agreed += isinstance(self._get_data()[0], _ResumeIteration)
        for _ in range(self._prefetch_factor * count):
            self._try_put_index()

    def _try_get_data(self, timeout: float | None = None) -> tuple[bool, Any]:
        """Whether a result came in so many seconds, and which. RuntimeError of dead workers."""
        try:
            wait = _utils.MP_STATUS_CHECK_INTERVAL if timeout is None else timeout
            return True, self._data_queue.get(timeout=wait)
        except Exception as error:
            dead = []
            for number, worker in enumerate(self._workers):
                if self._workers_status[number] and not worker.is_alive():
                    dead.append(str(worker.pid))
                    self._mark_worker_as_unavailable(number)
            if dead:
                raise RuntimeError(
                    f"DataLoader worker (pid(s) {', '.join(dead)}) exited unexpectedly"
                ) from error
            if isinstance(error, queue.Empty):
                return False, None
            raise

    def _get_data(self) -> Any:
        """The next result of any worker."""
        while True:
            came, data = self._try_get_data(self._timeout or None)
            if came:
                return data
            if self._timeout:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")

    def _next_data(self) -> Any:
        while True:
            if not self._find_next_task():
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            if len(self._task_info[self._rcvd_idx]) == 2:
                worker, data = self._task_info.pop(self._rcvd_idx)
                self._rcvd_idx += 1
                return self._process_data(data, worker)
            if self._shutdown or self._tasks_outstanding <= 0:
                raise AssertionError(
                    "Invalid iterator state: shutdown or no outstanding tasks when fetching "
                    "next data"
                )
            number, data = self._get_data()
            self._tasks_outstanding -= 1
            if isinstance(data, _IterableDatasetStopIteration):
                if self._persistent_workers:
                    self._workers_status[data.worker_id] = False
                else:
                    self._mark_worker_as_unavailable(data.worker_id)
                self._try_put_index()
            elif number == self._rcvd_idx or not self._in_order:
                self._rcvd_idx += number == self._rcvd_idx
                return self._process_data(data, self._task_info.pop(number)[0])
            else:
                self._task_info[number] += (data,)

    def _find_next_task(self) -> bool:
        """Goes to the next task that will have a result; False if there is none.

        Tasks of workers whose part has ended come to nothing.
        """
        while self._rcvd_idx < self._send_idx:
            task = self._task_info.get(self._rcvd_idx)
            if task is not None:
                if len(task) == 2 or self._workers_status[task[0]]:
                    return True
                del self._task_info[self._rcvd_idx]
            self._rcvd_idx += 1
        return False

    def _try_put_index(self) -> None:
        """Gives the next task to a worker whose turn it is, if there are both."""
        most = self._prefetch_factor * self._num_workers
        if self._tasks_outstanding >= most:
            raise AssertionError("Number of outstanding tasks exceeded maximum allowed tasks")
        try:
            index = self._next_index()
        except StopIteration:
            return
        active = max(sum(self._workers_status), 1)
        for worker in itertools.islice(self._worker_queue_idx_cycle, self._num_workers):
            free = self._in_order or self._workers_num_tasks[worker] < most // active
            if self._workers_status[worker] and free:
                break
        else:
            return
        self._index_queues[worker].put((self._send_idx, index))
        self._task_info[self._send_idx] = (worker,)
        self._workers_num_tasks[worker] += 1
        self._tasks_outstanding += 1
        self._send_idx += 1

    def _process_data(self, data: Any, worker_idx: int) -> Any:
        """A result, after its worker got another task. Raises the worker's error."""
        self._workers_num_tasks[worker_idx] -= 1
        self._try_put_index()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return self._pinned(data)

    def _mark_worker_as_unavailable(self, worker_id: int, shutdown: bool = False) -> None:
        """Ends a worker, and gives it no more tasks."""
        self._index_queues[worker_id].put(None)
        self._workers_status[worker_id] = False

    def _shutdown_workers(self) -> None:
        """Ends the workers."""
        if self._shutdown or _utils is None or _utils.python_exit_status:
            return
        self._shutdown = True
        self._worker_pids_set = False
        if self._workers:
            self._end_workers()

    def __del__(self) -> None:
        self._shutdown_workers()


def _end_workers(number: int, workers: list[Any], index_queues: list[Any], done_event: Any) -> None:
    """Ends the workers of the pass that has a number: they are told, and waited for."""
    if _utils is None or _utils.python_exit_status:
        return
    if number in signal_handling._pids:  # first: how these workers end is no error any more
        signal_handling._remove_worker_pids(number)
    try:
        done_event.set()
        for index_queue in index_queues:
            index_queue.put(None)
        for worker in workers:
            worker.join(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
        for index_queue in index_queues:
            index_queue.cancel_join_thread()
            index_queue.close()
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
