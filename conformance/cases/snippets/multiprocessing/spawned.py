"""Processes started by spawn, which import the library anew: spawn, queues, a DataLoader."""

import sys

from shown import part, show

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Numbers(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        info = get_worker_info()
        return torch.tensor([i, info.id, info.seed % 1000, torch.initial_seed() % 1000])


def work(i, model, out, queue, lock):
    with lock:
        out[i] += model(torch.ones(1, 2)).item()
    model.weight.grad = torch.full_like(model.weight, i)
    with torch.no_grad():
        model.weight.mul_(2)
    received = queue.get()
    received.add_(1)
    queue.put((received[0], "torch" in sys.modules, torch.is_grad_enabled(), __name__))
    queue.get()
    if out[0] > 0:
        raise ValueError(f"process {i} has seen {out.tolist()}")


def main():
    part("spawn")
    context = mp.get_context("spawn")
    model = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(2)
    out, queue, lock = torch.zeros(2).share_memory_(), context.Queue(), context.Lock()
    print(model.weight.is_shared())
    started = mp.spawn(work, (model, out, queue, lock), nprocs=1, join=False)
    print(type(started).__name__, model.weight.is_shared())
    sent = torch.arange(4.0).view(2, 2)
    queue.put(sent)
    while (got := queue.get(timeout=300)) is sent or not isinstance(got, tuple):
        queue.put(got)
    print(got, sent, out, model.weight, model.weight.grad)
    print(got[0].data_ptr() == sent.data_ptr())
    queue.put("end")
    show("join", started.join)
    show("fork by spawn", mp.spawn, work, nprocs=0, start_method="fork")
    show("lambda", mp.spawn, lambda i: None)
    show("no leaf", mp.spawn, work, (sent.requires_grad_() * 2,))

    part("loader")
    torch.manual_seed(3)
    loader = DataLoader(Numbers(), 2, num_workers=1, multiprocessing_context="spawn")
    print(list(loader), loader.multiprocessing_context.get_start_method())
    show(
        "lambda",
        list,
        DataLoader([1], num_workers=1, collate_fn=lambda x: x, multiprocessing_context="spawn"),
    )


if __name__ == "__main__":
    main()
