"""Rank 0 sends and leaves at once; the other receives later, and leaves well."""

import sys
import time

import torch
import torch.distributed as dist

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)
sizes = (1, 10, 1000)
if rank == 0:
    for each in [dist.isend(torch.full((n,), float(n)), 1, tag=n) for n in sizes]:
        each.wait()
else:
    time.sleep(2)  # longer than a rank waits at exit
    for n in sizes:
        x = torch.zeros(n)
        dist.recv(x, 0, tag=n)
        assert x.sum() == n * n
