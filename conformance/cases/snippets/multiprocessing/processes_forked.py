"""Processes that share tensors: what a forked child writes, and what its parent then reads."""

import os

from shown import part, show

import torch
import torch.multiprocessing as mp
from torch import nn


def add_one(*tensors):
    for tensor in tensors:
        tensor.add_(1)


def train(model, steps):
    for step in range(steps):
        model.zero_grad()
        model(torch.ones(1, model.weight.shape[1]) * (step + 1)).sum().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 0.5 * parameter.grad


def accumulate(parameter):
    (parameter * 3).sum().backward()


def rank_writes(rank, out, lock):
    with lock:
        out[rank] = rank * 10
        out[-1] += 1


def run(function, *arguments, processes=1, ranked=False):
    started = []
    for rank in range(processes):
        given = (rank, *arguments) if ranked else arguments
        started.append(fork.Process(target=function, args=given))
        started[-1].start()
    for each in started:
        each.join()
    return [each.exitcode for each in started]


fork = mp.get_context("fork")

if __name__ == "__main__":
    part("share_memory_")
    plain, shared = torch.zeros(3), torch.zeros(3).share_memory_()
    print(plain.is_shared(), shared.is_shared(), shared.share_memory_() is shared)
    print(run(add_one, plain, shared), plain, shared)
    view = torch.arange(6.0).view(2, 3)
    row, turned = view[1], view.t()
    print(row.share_memory_() is row, view.is_shared(), turned.is_shared())
    run(add_one, row)
    print(view, turned, row.storage_offset())
    for made in (
        torch.arange(3),
        torch.ones(2).bool(),
        torch.ones(2).half(),
        torch.ones(2) * 1j,
        torch.ones(2, dtype=torch.bfloat16),
        torch.tensor(4.0),
        torch.arange(6)[::2],
    ):
        made.share_memory_()
        show("code", run, add_one, made)
        print(made, made.is_shared(), made._version)
    empty = torch.empty(0)
    print(empty.share_memory_().is_shared(), torch.empty(2, 0).share_memory_().shape)
    show("meta", lambda: torch.empty(2, device="meta").share_memory_().is_shared())
    sparse = torch.eye(2).to_sparse()
    show("sparse", lambda: sparse.share_memory_().is_shared())
    show("sparse is_shared", sparse.is_shared)
    show("expanded", lambda: torch.ones(1).expand(3).share_memory_())
    leaf = torch.ones(2, requires_grad=True)
    show("leaf", lambda: leaf.share_memory_())
    show("no leaf", lambda: (leaf * 2).share_memory_())

    part("storages")
    storage = torch.arange(4, dtype=torch.uint8).untyped_storage()
    print(storage.is_shared(), storage.share_memory_() is storage, storage.is_shared())
    print(storage.resizable(), storage.tolist(), storage.filename)
    other = torch.UntypedStorage._new_shared(4)
    print(other.is_shared(), other.nbytes(), other.tolist(), other.device)
    show("new_shared", lambda: torch.FloatStorage._new_shared(3).tolist())
    numbers = torch.zeros(2, dtype=torch.int32).set_(
        torch.UntypedStorage._new_shared(8).fill_(0), 0, (2,)
    )
    print(run(add_one, numbers), numbers, numbers.is_shared())
    alive = torch.ones(2)
    alive.untyped_storage().share_memory_()
    print(run(add_one, alive), alive, alive.is_shared())
    show("smaller", lambda: torch.zeros(4).share_memory_().resize_(2))
    old = torch.zeros(2)
    alias = old.share_memory_().numpy()
    run(add_one, old)
    print(alias, old)

    part("modules")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    print([p.is_shared() for p in model.parameters()], model.share_memory() is model)
    print([p.is_shared() for p in model.parameters()], [b.is_shared() for b in model.buffers()])
    linear = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        linear.weight.fill_(1)
    linear.share_memory()
    print(run(train, linear, 2), linear.weight, linear.weight.grad)
    unshared = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        unshared.weight.fill_(1)
    run(train, unshared, 2)
    print(unshared.weight)
    with_gradient = nn.Parameter(torch.ones(2))
    with_gradient.grad = torch.zeros(2)
    with_gradient.grad.share_memory_()
    with_gradient.share_memory_()
    print(run(accumulate, with_gradient), with_gradient.grad)

    part("several")
    out, lock = torch.zeros(4, dtype=torch.long).share_memory_(), fork.Lock()
    print(run(rank_writes, out, lock, processes=3, ranked=True), out)

    part("what a child has")
    torch.manual_seed(5)
    drawn = torch.zeros(2).share_memory_()
    run(lambda: drawn.copy_(torch.rand(2)))
    print(torch.equal(drawn, torch.rand(2)))
    flag = torch.zeros(3, dtype=torch.long).share_memory_()

    def look():
        flag[0] = torch.is_grad_enabled()
        flag[1] = torch.get_default_dtype() is torch.float64
        flag[2] = os.getpid() != parent

    parent = os.getpid()
    torch.set_default_dtype(torch.float64)
    with torch.no_grad():
        run(look)
    print(flag.tolist())
    print(run(os._exit, 3), run(lambda: os.kill(os.getpid(), 15)))
    event, value = fork.Event(), fork.Value("d", 1.5)
    run(lambda: (event.set(), setattr(value, "value", torch.tensor(2.5).item())))
    print(event.is_set(), value.value)
    print(mp.current_process().name, mp.active_children(), mp.parent_process())
    print(mp.get_start_method(), mp.get_all_start_methods())
    show("get_context", mp.get_context, "thread")
    print([mp.get_context(each).__class__.__name__ for each in mp.get_all_start_methods()])
