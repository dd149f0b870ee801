# ranks: 2 3
"""Sums of sparse tensors, and sparse gradients of DistributedDataParallel."""

import torch
import torch.distributed as dist
from meeting import RANK, digest, meet, numbers, show
from torch.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks
from torch.nn.parallel import DistributedDataParallel
from torch.nn.parallel.distributed import _MixedPrecision

meet()


def tensor(nnz=4, dtype=torch.float32, dense=()):
    places = (torch.arange(nnz) * (RANK + 2) + RANK) % 7
    values = numbers(nnz * torch.Size(dense).numel(), dtype, 1).reshape(nnz, *dense)
    return torch.sparse_coo_tensor(places[None], values, (7, *dense), check_invariants=False)


def summed(x, **options):
    dist.all_reduce(x, **options)
    return x, x._version, x.is_coalesced()


def handled():
    x = tensor()
    work = dist.all_reduce(x, async_op=True)
    work.wait()
    return work.is_success(), work.get_future().wait()[0] is not None, x


class Words(torch.nn.Module):
    """A sparse and a dense table, and a layer."""

    def __init__(self, kind="sparse"):
        super().__init__()
        self.table = torch.nn.Embedding(9, 3, sparse=True)
        self.bag = torch.nn.EmbeddingBag(9, 3, mode="sum", sparse=True)
        self.dense = torch.nn.Embedding(9, 3)
        self.layer = torch.nn.Linear(3, 1, bias=False)
        for i, each in enumerate(self.parameters()):
            torch.nn.init.constant_(each, 1.0 + i)
        self.kind = kind

    def forward(self, x):
        table = self.table.weight[x] if self.kind == "dense" else self.table(x)
        if self.kind == "unused":
            return self.layer(table + self.dense(x))
        return self.layer(table + self.bag(x[None]) + self.dense(x))


def trained(kind="sparse", hook=None, passes=1, keep=False, steps=4, **options):
    """The gradients of four steps, and the last sparse one."""
    model, seen = DistributedDataParallel(Words(kind), **options), []
    if hook:
        model.register_comm_hook(None, hook)
    for step in range(steps):
        model.zero_grad(set_to_none=not keep)
        for _ in range(passes):
            model(torch.tensor([RANK, RANK + 1, 3 + step % 2, RANK])).sum().backward()
        seen += [each.grad.to_dense() for each in model.parameters() if each.grad is not None]
    return digest(seen), model.module.table.weight.grad


def mixed():
    dtypes = _MixedPrecision(torch.float16, torch.float16, torch.float64)
    model = DistributedDataParallel(torch.nn.BatchNorm1d(2), mixed_precision=dtypes)
    show("buffers", lambda: [each.dtype for each in model.buffers()])
    return model(torch.ones(3, 2))


CASES = {
    "sum": lambda: summed(tensor()),
    "coalesced": lambda: summed(tensor().coalesce()),
    "none": lambda: summed(tensor(0)),
    "some": lambda: summed(tensor(RANK)),
    "rows": lambda: summed(tensor(5, torch.float64, (2, 3))),
    "int32": lambda: summed(tensor(5, torch.int32)),
    "int64": lambda: summed(tensor(5, torch.int64, (2,))),
    "max": lambda: summed(tensor(), op=dist.ReduceOp.MAX),
    "average": lambda: summed(tensor(), op=dist.ReduceOp.AVG),
    "handle": handled,
    "plain": lambda: trained(),
    "small buckets": lambda: trained(bucket_cap_mb=0.00001),
    "kept": lambda: trained(keep=True),
    "two passes": lambda: trained(passes=2),
    "views": lambda: trained(gradient_as_bucket_view=True),
    "static": lambda: trained(static_graph=True),
    "finding": lambda: trained(find_unused_parameters=True),
    "hook": lambda: trained(hook=default_hooks.allreduce_hook),
    "nothing": lambda: trained(hook=debugging_hooks.noop_hook),
    "dense": lambda: trained("dense"),
    "unused": lambda: trained("unused", find_unused_parameters=True),
    "mixed": mixed,
}
for label, function in CASES.items():
    show(label, function)
    dist.barrier()
