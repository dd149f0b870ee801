"""Two ranks reduce by MPI's own algorithms."""

import sys

import torch
import torch.distributed as dist

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("mpi", init_method=path, rank=rank, world_size=2)
assert dist.get_backend() == "mpi"
assert dist.is_mpi_available()
for dtype in (torch.float32, torch.float64, torch.int64, torch.uint8, torch.bfloat16):
    for count in (1, 3, 50_000):
        x = torch.arange(count).remainder(7).to(dtype)
        expected = {"SUM": x + x + 1, "MAX": x + 1, "PRODUCT": x * (x + 1)}
        for op, sum_of_both in expected.items():
            mine = x + rank
            dist.all_reduce(mine, op=getattr(dist.ReduceOp, op))
            assert torch.equal(mine, sum_of_both), (dtype, count, op)
        mine = x + rank
        dist.reduce(mine, 1)
        assert rank == 0 or torch.equal(mine, expected["SUM"]), (dtype, count)
        part = torch.zeros(count, dtype=dtype)
        dist.reduce_scatter_single(part, torch.cat([x, x + 1]) + rank)
        assert torch.equal(part, x + x + 1 + 2 * rank), (dtype, count)
x = torch.tensor([1.0 + rank])
dist.all_reduce(x, op=dist.ReduceOp.AVG)
assert x.item() == 1.5
x = torch.tensor([6 if rank else 3])
dist.all_reduce(x, op=dist.ReduceOp.BAND)
assert x.item() == 2
x = torch.tensor([rank])
dist.broadcast(x, 1)
assert x.item() == 1
rows = [torch.zeros(1), torch.zeros(1)]
dist.all_gather(rows, torch.ones(1) * rank)
assert [each.item() for each in rows] == [0, 1]
objects = [None, None]
dist.all_gather_object(objects, "of rank")
try:
    dist.all_reduce(torch.ones(2 + rank))
    text = ""
except RuntimeError as error:
    text = str(error)
assert "Detected mismatch between collectives" in text
