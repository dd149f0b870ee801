"""The checks that every rank of a world of two or more makes for itself."""

import sys

import torch
import torch.distributed as dist

dist.init_process_group(
    "gloo", init_method=f"file://{sys.argv[1]}", rank=int(sys.argv[2]), world_size=2
)
rank, size = dist.get_rank(), dist.get_world_size()
mine = lambda *shape: torch.full(shape, float(rank + 1))

for count in (3, 100_000):  # one message, and the ring
    x = mine(count)
    dist.all_reduce(x)
    assert x.eq(3).all()
    work = dist.all_reduce(x, op=dist.ReduceOp.MAX, async_op=True)
    work.wait()
    assert x.eq(3).all()
x = mine(4)
dist.reduce(x, 1, op=dist.ReduceOp.AVG)
assert rank == 0 or x.eq(1.5).all()
x = mine(3)
dist.broadcast(x, 1)
assert x.eq(2).all()
rows = [torch.zeros(2) for _ in range(size)]
dist.all_gather(rows, mine(2))
assert [row.tolist() for row in rows] == [[1, 1], [2, 2]]
x = torch.zeros(2)
dist.reduce_scatter_single(x, torch.arange(4.0) + rank)
assert x.tolist() == ([1, 3] if rank == 0 else [5, 7])
dist.scatter(x, [torch.zeros(2), torch.ones(2)] if rank == 1 else None, 1)
assert x.tolist() == [rank, rank]
dist.gather(x, rows if rank == 0 else None)
x = torch.zeros(3)
sizes = ([1, 2], [1, 2]) if rank == 0 else ([2, 1], [2, 1])
dist.all_to_all_single(x, torch.arange(3.0) + 10 * rank, *sizes)
assert x.tolist() == ([0, 10, 11] if rank == 0 else [1, 2, 12])

x = torch.zeros(3, 2)[:, 0] if rank else torch.ones(3, 2)[:, 0]  # not contiguous
dist.broadcast(x, 0)
assert x.tolist() == [1, 1, 1]

if rank == 0:
    dist.send(torch.arange(3.0), 1, tag=5)
    dist.send_object_list(["a", {"b": 1}], 1)
else:
    x = torch.zeros(3)
    assert dist.recv(x, tag=5) == 0  # from any rank
    assert x.tolist() == [0, 1, 2]
    objects = [None, None]
    dist.recv_object_list(objects, 0)
    assert objects == ["a", {"b": 1}]
x = torch.zeros(1)
other = 1 - rank
messages = [dist.P2POp(dist.isend, mine(1), other), dist.P2POp(dist.irecv, x, other)]
for work in dist.batch_isend_irecv(messages):
    work.wait()
assert x.item() == other + 1
objects = [None] * size
dist.all_gather_object(objects, "x" * rank)
assert objects == ["", "x"]

# Groups, whose operations may be started in any order.
turned = dist.new_group([1, 0], sort_ranks=False)
alone = dist.new_group([1])
assert dist.get_rank(turned) == 1 - rank
assert dist.get_rank(alone) == (0 if rank == 1 else -1)
a, b = mine(2), mine(2)
pairs = [(a, turned), (b, None)]
works = [dist.all_reduce(t, group=g, async_op=True) for t, g in pairs[:: 1 if rank else -1]]
for work in works:
    work.wait()
assert a.eq(3).all()
assert b.eq(3).all()
dist.monitored_barrier()
dist.barrier()

# A second world of the same processes, numbered the other way round.
dist.destroy_process_group()
path = f"file://{sys.argv[1]}-2"
dist.init_process_group("gloo", init_method=path, rank=1 - rank, world_size=2)
x = torch.tensor([float(dist.get_rank())])
dist.broadcast(x, 1)
assert x.item() == 1
sys.stdout.write(f"well {rank}\n")  # at once: ranks share the pipe
