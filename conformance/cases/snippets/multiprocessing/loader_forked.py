"""DataLoader with forked workers: order, seeds, options, datasets of both kinds."""

import random

import numpy
from shown import part, show

import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
)


class Numbers(Dataset):
    def __init__(self, count):
        self.count, self.offset = count, 0

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return i + self.offset


class Seeds(Numbers):
    def __getitem__(self, i):
        info = get_worker_info()
        return (
            info.id,
            info.seed,
            random.random(),
            numpy.random.rand(),
            torch.rand(1).item(),
            torch.get_num_threads(),
            torch.initial_seed() == info.seed,
        )


class Told(Numbers):
    def __getitem__(self, i):
        info = get_worker_info()
        return f"{i} {info.id} of {info.num_workers} {info.dataset is self} {info.worker_method} {info.rng}"


class Batched(Numbers):
    def __getitems__(self, numbers):
        return [(i, len(numbers)) for i in numbers]


class Stream(IterableDataset):
    def __init__(self, count, share=True, length=None):
        self.count, self.share, self.length = count, share, length

    def __iter__(self):
        info = get_worker_info()
        if info is None or not self.share:
            return iter(range(self.count))
        return iter(range(info.id, self.count, info.num_workers))

    def __len__(self):
        if self.length is None:
            raise TypeError("no length")
        return self.length


class Pair:
    def __init__(self, items):
        self.items = torch.tensor(items)

    def pin_memory(self):
        return self


def begin(worker):
    get_worker_info().dataset.offset = 100 * (worker + 1)


def batches(loader):
    return list(loader)


def loaded(dataset, **options):
    options.setdefault("num_workers", 2)
    options.setdefault("multiprocessing_context", "fork")
    return DataLoader(dataset, **options)


def main():
    part("order")
    print(batches(loaded(Numbers(7), batch_size=2)))
    print(batches(loaded(Numbers(7), batch_size=3, drop_last=True, num_workers=1)))
    torch.manual_seed(1)
    print(batches(loaded(Numbers(6), batch_size=2, shuffle=True)))
    generator = torch.Generator().manual_seed(3)
    shuffled = loaded(Numbers(6), batch_size=4, shuffle=True, generator=generator)
    print(batches(shuffled), batches(shuffled))
    print(
        batches(loaded(Numbers(4), batch_size=None)), batches(loaded([1.5, 2.5], batch_size=None))
    )
    print(
        batches(
            loaded(Numbers(5), batch_sampler=BatchSampler(SequentialSampler(range(5)), 2, False))
        )
    )
    print(batches(loaded(Numbers(5), sampler=[4, 2, 0], num_workers=1)))
    weighted = WeightedRandomSampler([0.0, 1.0, 3.0], 5, generator=torch.Generator().manual_seed(0))
    print(batches(loaded(Numbers(3), sampler=weighted, batch_size=5)))
    print(batches(loaded(Subset(Numbers(9), [8, 1]), batch_size=2)))
    print(batches(loaded(ConcatDataset([Numbers(2), Numbers(1)]), batch_size=3)))
    print(
        batches(loaded(TensorDataset(torch.arange(4.0).view(2, 2), torch.arange(2)), batch_size=2))
    )
    print(batches(loaded(Batched(4), batch_size=3)))
    print(
        batches(loaded(Numbers(5), prefetch_factor=1)),
        batches(loaded(Numbers(5), prefetch_factor=9)),
    )
    print(sorted(batch.item() for batch in loaded(Numbers(6), in_order=False)))
    print(torch.initial_seed(), torch.rand(1))

    part("workers")
    torch.manual_seed(2)
    for batch in loaded(Seeds(4), batch_size=2, collate_fn=list):
        print(batch)
    for batch in loaded(Seeds(2), collate_fn=list, generator=torch.Generator().manual_seed(9)):
        print(batch)
    print(batches(loaded(Told(3), batch_size=1)), get_worker_info())
    print(batches(loaded(Numbers(4), worker_init_fn=begin)))
    kept = loaded(Numbers(4), worker_init_fn=begin, persistent_workers=True)
    first = iter(kept)
    print(list(first), list(first), iter(kept) is first, batches(kept), kept._iterator is first)
    print(first._base_seed == iter(kept)._base_seed, len(first), first._num_workers)
    print([worker.is_alive() for worker in first._workers], [w.daemon for w in first._workers])
    first._shutdown_workers()
    print([worker.is_alive() for worker in first._workers], [w.exitcode for w in first._workers])
    stopped = iter(loaded(Numbers(20)))
    print(next(stopped), next(stopped))
    workers = stopped._workers
    del stopped
    print([worker.is_alive() for worker in workers])

    part("batches")
    shared = next(iter(loaded(Numbers(3), batch_size=3)))
    print(shared.is_shared(), shared.untyped_storage().nbytes(), shared.stride(), shared._version)
    print(next(iter(loaded([{"a": 1, "b": [torch.ones(2), "x"]}] * 2, batch_size=2))))
    print(next(iter(loaded([(1, 2.5), (3, 4.5)], batch_size=2, collate_fn=tuple))))
    made = next(iter(loaded(Numbers(3), batch_size=3, collate_fn=Pair)))
    print(type(made).__name__, made.items, made.items.is_shared())
    show("requires grad", next, iter(loaded([torch.ones(2, requires_grad=True)])))
    show("unequal", batches, loaded([torch.ones(2), torch.ones(3)], batch_size=2))
    show("pinned", batches, loaded(Numbers(2), pin_memory=True))
    show("pinned device", batches, loaded(Numbers(2), pin_memory=True, pin_memory_device="cuda"))
    show("pinned here", batches, DataLoader(Numbers(2), pin_memory=True))

    part("streams")
    print(batches(loaded(Stream(7), batch_size=2)))
    print(batches(loaded(Stream(7), batch_size=2, drop_last=True)))
    print(batches(loaded(Stream(3), batch_size=None)), batches(loaded(Stream(5), num_workers=1)))
    print(batches(loaded(Stream(2, share=False))))
    kept = loaded(Stream(5), persistent_workers=True, batch_size=2)
    print(batches(kept), batches(kept))
    told = loaded(Stream(4, share=False, length=4), batch_size=2)
    print(len(told))
    show("too many", batches, told)
    show("length", len, loaded(Stream(3)))
    print(len(loaded(Stream(3, length=5), batch_size=2, drop_last=True)))
    print(sorted(x.item() for x in loaded(Stream(5), in_order=False)))

    part("no workers")
    print(default_collate([1, 2]), batches(DataLoader(Numbers(3), batch_size=2)))
    print(RandomSampler(range(3)).num_samples, len(DataLoader(Numbers(3), batch_size=2)))


if __name__ == "__main__":
    main()
