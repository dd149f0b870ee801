"""Two ranks of a world that sends nothing make groups of gloo, as those of a world of nccl do."""

import sys

import torch
import torch.distributed as dist

store, rank = dist.FileStore(sys.argv[1], 2), int(sys.argv[2])
dist.init_process_group("fake", store=store, rank=rank, world_size=2)
x = torch.ones(3) * (rank + 1)
dist.all_reduce(x)
assert x.tolist() == [rank + 1.0] * 3  # nothing was sent
alone = dist.new_group([1], backend="gloo")  # which rank 0 is not in, and helps to make
both = dist.new_group(backend="gloo")
dist.all_reduce(x, group=both)
assert x.tolist() == [3.0] * 3
if rank == 1:
    dist.all_reduce(x, group=alone)
    assert x.tolist() == [3.0] * 3
dist.barrier(both)
