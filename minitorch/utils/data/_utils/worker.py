"""torch.utils.data._utils.worker: what the processes of a DataLoader do."""

from __future__ import annotations

import os
import queue
import random
from dataclasses import dataclass
from typing import Any

import numpy

from minitorch._public.later import names_of as _names_of
from minitorch._utils import ExceptionWrapper
from minitorch.core.arrays import blas
from minitorch.random import manual_seed
from minitorch.utils.data import _utils
from minitorch.utils.data._utils import signal_handling
from minitorch.utils.data._utils.fetch import _DatasetKind


class ManagerWatchdog:
    """Tells a worker whether the process that started it is still there."""

    def __init__(self) -> None:
        self.manager_pid = os.getppid()
        self.manager_dead = False

    def is_alive(self) -> bool:
        """Whether it is; once it is not, it stays so."""
        self.manager_dead = self.manager_dead or os.getppid() != self.manager_pid
        return not self.manager_dead


@dataclass(frozen=True, slots=True)
class _RNG:
    """The generators of a worker that is a thread."""

    random_generator: random.Random
    torch_generator: Any
    numpy_generator: Any = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """The identity of a worker: its number, how many there are, the seed and its dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: _RNG | None = None
    worker_method: str | None = "multiprocessing"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """The worker that this process is; None in the main process.

    Returns:
        A WorkerInfo with `id`, `num_workers`, `seed` and `dataset`, or None.

    As torch.utils.data.get_worker_info.
    """
    return _worker_info


@dataclass(frozen=True)
class _IterableDatasetStopIteration:
    """Says that a worker's part of an iterable dataset has ended."""

    worker_id: int


@dataclass(frozen=True)
class _ResumeIteration:
    """Asks a worker to begin anew, and says that it does."""

    seed: int | None = None


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """The four words that seed NumPy's numbers of a worker."""
    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return numpy.random.SeedSequence(words).generate_state(4).tolist()


def _seed_everything(base_seed: int, worker_id: int) -> int:
    """Seeds Python's, NumPy's and this library's numbers of a worker; returns the seed."""
    seed = base_seed + worker_id
    random.seed(seed)
    manual_seed(seed)
    numpy.random.seed(_generate_state(base_seed, worker_id))
    return seed


def _worker_loop(
    dataset_kind: int,
    dataset: Any,
    index_queue: Any,
    data_queue: Any,
    done_event: Any,
    auto_collation: Any,
    collate_fn: Any,
    drop_last: Any,
    base_seed: int,
    init_fn: Any,
    worker_id: int,
    num_workers: int,
    persistent_workers: bool,
    shared_seed: int | None,
) -> None:
    """The life of a worker: fetches what `index_queue` asks for until it asks for None.

    Its first task gets the error of `init_fn`, if that had one. Other errors go with their tasks.
    """
    global _worker_info
    watchdog = ManagerWatchdog()  # first: a parent that ends while a worker starts is noticed
    try:
        signal_handling._set_worker_signal_handlers()
        blas.use_threads(1)  # the workers share the cores
        seed = _seed_everything(base_seed, worker_id)
        _worker_info = WorkerInfo(worker_id, num_workers, seed, dataset)
        where = f"in DataLoader worker process {worker_id}"
        parts = (dataset_kind, dataset, auto_collation, collate_fn, drop_last)
        failure: Any = None
        fetcher: Any = None
        try:
            if init_fn is not None:
                init_fn(worker_id)
            fetcher = _DatasetKind.create_fetcher(*parts)
        except Exception:
            failure = ExceptionWrapper(where=where)
        ended = False
        while watchdog.is_alive():
            try:
                task = index_queue.get(timeout=_utils.MP_STATUS_CHECK_INTERVAL)
            except queue.Empty:
                continue
            if task is None:
                break
            if isinstance(task, _ResumeIteration):
                data_queue.put((task, None))
                fetcher, ended = _DatasetKind.create_fetcher(*parts), False
                continue
            if done_event.is_set() or ended:
                continue
            number, index = task
            data, failure = failure, None
            if data is None:
                try:
                    data = fetcher.fetch(index)
                except Exception as error:
                    ended = isinstance(error, StopIteration) and bool(dataset_kind)
                    data = (
                        _IterableDatasetStopIteration(worker_id)
                        if ended
                        else ExceptionWrapper(where=where)
                    )
            data_queue.put((number, data))
            del data, task, number, index  # before the next task is waited for
    except KeyboardInterrupt:  # which the main process reports
        pass
    if done_event.is_set():
        data_queue.cancel_join_thread()
        data_queue.close()


__getattr__ = _names_of("torch.utils.data._utils.worker")
