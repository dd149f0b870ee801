"""A DataLoader with worker processes, samplers, a collate function and an iterable dataset."""

import torch
from torch.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    SequentialSampler,
    Subset,
    WeightedRandomSampler,
    get_worker_info,
    random_split,
)


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return {"x": torch.tensor([float(i)]), "y": i * i, "name": f"item {i}"}


class Count(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        step = 1 if info is None else info.num_workers
        first = 0 if info is None else info.id
        return iter(range(self.start + first, self.end, step))


def padded(batch):
    lengths = [len(item) for item in batch]
    out = torch.zeros(len(batch), max(lengths), dtype=torch.long)
    for row, item in zip(out, batch):
        row[: len(item)] = torch.tensor(item)
    return out, torch.tensor(lengths)


def seeded(worker):
    torch.manual_seed(100 + worker)


class Noise(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.rand(1) + i


if __name__ == "__main__":
    torch.manual_seed(0)
    for workers in (0, 2):
        loader = DataLoader(Squares(7), batch_size=3, shuffle=True, num_workers=workers)
        for batch in loader:
            print(workers, batch)
    for batch in DataLoader(Count(3, 12), batch_size=2, num_workers=2):
        print(batch)
    print(list(DataLoader(Noise(), batch_size=2, num_workers=2, worker_init_fn=seeded)))
    ragged = [[1], [2, 3], [4, 5, 6], [7, 8]]
    for out, lengths in DataLoader(ragged, batch_size=2, collate_fn=padded, num_workers=1):
        print(out, lengths)
    train, test = random_split(range(10), [0.8, 0.2], generator=torch.Generator().manual_seed(3))
    print(list(train), list(test), len(ConcatDataset([train, test])))
    weights = [0.1, 0.9, 0.4, 0.7]
    print(list(WeightedRandomSampler(weights, 6)), list(Subset("abcdef", [4, 1])))
    print(list(BatchSampler(SequentialSampler(range(5)), 2, drop_last=False)))
    keep = DataLoader(Squares(4), num_workers=2, persistent_workers=True, prefetch_factor=3)
    for epoch in range(2):
        print(epoch, [b["y"].item() for b in keep], len(keep))
