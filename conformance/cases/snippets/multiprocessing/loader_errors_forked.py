"""DataLoader with forked workers that fail, die, or take too long; and options that it refuses."""

import os
import signal
import time
import warnings

from shown import part, show

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, _utils, get_worker_info

# The collector takes the iterator of a failed pass with its queues first: no worker then hears
# that it is to end, and each is waited for this long. By default that is 5 s, 23 times.
_utils.MP_STATUS_CHECK_INTERVAL = 0.5


class Own(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")


class Failing(Dataset):
    def __init__(self, error, where=1):
        self.error, self.where = error, where

    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == self.where:
            raise self.error
        return i


class Dying(Dataset):
    def __init__(self, how):
        self.how = how

    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 1:
            self.how()
        return i


class Stream(IterableDataset):
    def __init__(self, at=None):
        self.at = at

    def __iter__(self):
        for i in range(3):
            if i == self.at:
                raise ValueError("the stream breaks")
            yield i


def stop(worker):
    raise KeyError(f"worker {worker} cannot begin")


def collate(items):
    raise IndexError(f"no batch of {items}")


def loaded(dataset, **options):
    options.setdefault("num_workers", 1)
    return DataLoader(dataset, multiprocessing_context="fork", **options)


def passes(loader):
    """Goes on after errors, as a program that catches them can."""
    iterator, seen = iter(loader), []
    while True:
        try:
            seen.append(next(iterator))
        except StopIteration:
            return seen
        except Exception as error:
            seen.append(type(error).__name__)


def main():
    part("errors of workers")
    for error in (
        ValueError("bad"),
        KeyError("key"),
        IndexError("far"),
        Own(3, "own"),
        RuntimeError("two\nlines"),
        AssertionError(),
        NotImplementedError("later"),
        UnicodeDecodeError("utf8", b"x", 0, 1, "odd"),
        StopIteration("early"),
        OSError(2, "gone"),
    ):
        show(type(error).__name__, list, loaded(Failing(error)))
    print(passes(loaded(Failing(ValueError("bad"), 2))))
    print(passes(loaded(Failing(ValueError("bad"), 2), num_workers=2)))
    show("batch", list, loaded(Failing(ValueError("bad")), batch_size=4))
    show("collate_fn", list, loaded(range(4), collate_fn=collate))
    show("worker_init_fn", list, loaded(range(4), worker_init_fn=stop))
    show(
        "second of two",
        list,
        loaded(range(4), worker_init_fn=lambda i: stop(i) if i else None, num_workers=2),
    )
    show("stream", list, loaded(Stream(1)))
    print(passes(loaded(Stream(1))))
    show("uneven", list, loaded([torch.ones(1), torch.ones(2)], batch_size=2))
    show("none", list, loaded([None, 1], batch_size=2))
    show("no leaf", list, loaded([torch.ones(1, requires_grad=True)] * 2, batch_size=2))
    show("persistent", list, loaded(Failing(ValueError("bad")), persistent_workers=True))
    show("not an index", list, loaded({"a": 1, "b": 2}))
    show("CUDA", list, loaded([torch.ones(1)], collate_fn=lambda x: x[0].cuda()))

    part("workers that end")
    for how in (
        lambda: os._exit(3),
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os.kill(os.getpid(), signal.SIGTERM),
        lambda: os.abort(),
    ):
        show("ends", list, loaded(Dying(how)))

    part("waiting")
    show("timeout", list, loaded(Dying(lambda: time.sleep(30)), timeout=0.5))
    show("integer", list, loaded(Dying(lambda: time.sleep(30)), timeout=1))
    show("enough", list, loaded(range(2), timeout=60))

    part("options")
    for options in (
        {"num_workers": -1},
        {"timeout": -1},
        {"num_workers": 0, "prefetch_factor": 2},
        {"prefetch_factor": -1, "num_workers": 1},
        {"prefetch_factor": 0, "num_workers": 1},
        {"persistent_workers": True},
        {"multiprocessing_context": "fork"},
        {"batch_size": 0},
        {"multiprocessing_context": "thread", "num_workers": 1},
        {"batch_size": True},
        {"multiprocessing_context": 3, "num_workers": 1},
        {"batch_size": None, "drop_last": True},
        {"shuffle": True, "sampler": [0]},
        {"batch_sampler": [[0]], "batch_size": 2},
        {"batch_sampler": [[0]], "shuffle": True},
        {"batch_size": 1.5},
        {"timeout": 1},
        {"drop_last": 3},
        {"worker_init_fn": 3},
        {"collate_fn": 3},
        {"collate_fn": 3, "num_workers": 1},
        {"generator": 3, "shuffle": True},
        {"num_workers": 1, "worker_init_fn": 3},
        {"pin_memory": 3},
    ):
        show(str(options), lambda: list(DataLoader(range(3), **options)))
    for options in (
        {"shuffle": True},
        {"sampler": [0]},
        {"batch_sampler": [[0]]},
        {"shuffle": False},
    ):
        show(f"stream {options}", lambda: list(DataLoader(Stream(), **options)))
    loader = DataLoader(range(3))
    for name in (
        "batch_size",
        "batch_sampler",
        "sampler",
        "drop_last",
        "dataset",
        "persistent_workers",
    ):
        show(name, setattr, loader, name, 1)
    show("num_workers", setattr, loader, "num_workers", 2)
    show("context", setattr, loader, "multiprocessing_context", "fork")
    print(loader.multiprocessing_context.__class__.__name__)
    show("many", lambda: DataLoader(range(3), num_workers=1000).num_workers)
    show("pickle", lambda: __import__("pickle").dumps(iter(DataLoader(range(3)))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        show("quiet", lambda: list(loaded(range(2))))
    print(get_worker_info())


if __name__ == "__main__":
    main()
