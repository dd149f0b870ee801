"""Two ranks add up sparse tensors, and train a table of words whose gradients are sparse."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.nn.parallel.distributed import _MixedPrecision

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)


def tensor(places, values, dtype=torch.float32):
    return torch.sparse_coo_tensor([places], torch.tensor(values, dtype=dtype), (5,))


for dtype in (torch.float32, torch.int64, torch.bfloat16):
    x = tensor([0, 3, 3], [1, 2, 3], dtype) if rank == 0 else tensor([3], [10], dtype)
    dist.all_reduce(x)
    assert x.is_coalesced()
    assert x.to_dense().tolist() == [1, 0, 0, 15, 0]
x = tensor([], []) if rank == 0 else tensor([2], [1])
dist.all_reduce(x)
assert x.to_dense().tolist() == [0, 0, 1, 0, 0]
try:
    dist.all_reduce(x, op=dist.ReduceOp.MAX)
    text = ""
except RuntimeError as error:
    text = str(error)
assert "only works with ReduceOp.SUM" in text


class Words(torch.nn.Module):
    """A table whose gradients are sparse, and a layer."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(4, 2, sparse=True)
        self.layer = torch.nn.Linear(2, 1, bias=False)
        for each in self.parameters():
            torch.nn.init.ones_(each)

    def forward(self, words):
        return self.layer(self.table(words))


for options in ({}, {"gradient_as_bucket_view": True}, {"static_graph": True}):
    model = DistributedDataParallel(Words(), **options)
    for _ in range(3):
        model.zero_grad()
        model(torch.tensor([rank, rank + 1, 3])).sum().backward()
        grad = model.module.table.weight.grad
        assert grad.is_sparse
        assert grad.to_dense()[:, 0].tolist() == [0.5, 1, 0.5, 1]
        assert model.module.layer.weight.grad.tolist() == [[3, 3]]
half = _MixedPrecision(torch.float16, torch.float16, torch.float16)
model = DistributedDataParallel(torch.nn.Linear(2, 2), mixed_precision=half)
try:
    model(torch.ones(1, 2))
    text = ""
except RuntimeError as error:
    text = str(error)
assert text == "cpu backend doesn't support events."
dist.barrier()
