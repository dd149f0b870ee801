"""What the processes of a DataLoader do: fetch batches, and send what they or their errors are."""

from __future__ import annotations

import os
import queue
import random
import sys
import traceback
from dataclasses import dataclass
from typing import Any

import numpy

from minitorch.utils.data.collate import default_collate
from minitorch.utils.data.dataset import TensorDataset, items_of

PATIENCE = 5.0  # seconds after which a process looks whether the others still are


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Which worker a process is, of how many, with which seed and copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker this process is; None in the main process."""
    return _info


class Fetcher:
    """Batches of a dataset: by numbers, or of as many items as there are numbers."""

    def __init__(
        self, kind: int, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any
    ) -> None:
        self.dataset = dataset
        self.batched = auto_collation
        self.collate = collate_fn
        self.drop_last = drop_last
        self.items = iter(dataset) if kind == 1 else None
        self.ended = False
        # The rows of tensors are taken at once: a batch of 64 costs 15 us instead of 150.
        self.rows = (
            self.batched
            and type(self.dataset) is TensorDataset
            and self.collate is default_collate
            and not any(tensor.requires_grad for tensor in self.dataset.tensors)
        )

    def fetch(self, index: Any) -> Any:
        """The batch of some numbers. StopIteration at the end of an iterable dataset."""
        if self.items is not None:
            return self.collate(self._next(index))
        if self.rows:
            return [tensor[index] for tensor in self.dataset.tensors]
        return self.collate(items_of(self.dataset, index) if self.batched else self.dataset[index])

    def _next(self, index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.batched:
            return next(self.items)
        batch = []
        for _ in index:
            try:
                batch.append(next(self.items))
            except StopIteration:
                self.ended = True
                break
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return batch


def fetcher_of(loader: Any) -> Fetcher:
    """A loader's own."""
    kind, batched = loader._dataset_kind, loader._auto_collation
    return Fetcher(kind, loader.dataset, batched, loader.collate_fn, loader.drop_last)


class Caught:
    """An exception of a worker, with its traceback as text."""

    def __init__(self, where: str) -> None:
        kind, value, trace = sys.exc_info()
        self.kind: Any = kind
        self.text = "".join(traceback.format_exception(kind, value, trace))
        self.where = where

    def reraise(self) -> None:
        """Raises it here, with the worker's traceback as its message."""
        text: Any = f"Caught {self.kind.__name__} {self.where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            text = _Plain(text)
        elif getattr(self.kind, "message", None):
            raise self.kind(message=text)
        try:
            error = self.kind(text)
        except Exception:  # one that is made of other things than a text
            raise RuntimeError(text) from None
        raise error


class _Plain(str):
    """A text that a KeyError shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


@dataclass(frozen=True)
class Ended:
    """Says that a worker's part of an iterable dataset has ended."""

    worker: int


@dataclass(frozen=True)
class Again:
    """Asks a worker to begin anew, and says that it does."""


def seed_everything(base: int, worker: int) -> int:
    """Seeds Python's, NumPy's and this library's numbers of a worker; returns the seed."""
    from minitorch.random import manual_seed

    seed = base + worker
    random.seed(seed)
    manual_seed(seed)
    words = [worker, base & 0xFFFFFFFF, base >> 32, 0]
    numpy.random.seed(numpy.random.SeedSequence(words).generate_state(4))
    return seed


def work(loader: Any, numbers: Any, results: Any, done: Any, base_seed: int, worker: int) -> None:
    """The life of a worker: fetches what `numbers` asks for until it asks for None."""
    global _info
    try:
        seed = seed_everything(base_seed, worker)
        _info = WorkerInfo(worker, loader.num_workers, seed, loader.dataset)
        where = f"in DataLoader worker process {worker}"
        failure = fetcher = None
        try:
            if loader.worker_init_fn is not None:
                loader.worker_init_fn(worker)
            fetcher = fetcher_of(loader)
        except Exception:
            failure = Caught(where)
        ended, parent = False, os.getppid()
        while os.getppid() == parent:
            try:
                task = numbers.get(timeout=PATIENCE)
            except queue.Empty:
                continue
            if task is None:
                break
            if isinstance(task, Again):
                results.put((task, None))
                fetcher, ended = fetcher_of(loader), False
                continue
            if done.is_set() or ended:
                continue
            number, index = task
            data: Any = failure
            if failure is None:
                try:
                    data = fetcher.fetch(index)
                except Exception as error:
                    ended = isinstance(error, StopIteration) and loader._dataset_kind == 1
                    data = Ended(worker) if ended else Caught(where)
            failure = None
            results.put((number, data))
            del data, task
    except KeyboardInterrupt:  # which the main process reports
        pass
    if done.is_set():
        results.cancel_join_thread()
        results.close()
