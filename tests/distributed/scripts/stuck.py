"""Rank 1 of three is stuck; the others tell where each rank is."""

import datetime
import sys
import time

import torch
import torch.distributed as dist

rank = int(sys.argv[3])
limit = datetime.timedelta(seconds=20)
path = f"file://{sys.argv[2]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=3, timeout=limit)
dist.barrier()


def stuck():
    time.sleep(4)


if rank == 1:
    stuck()
else:
    work = dist.all_reduce(torch.ones(2), async_op=True)
    try:
        if rank == 0:
            work.wait(datetime.timedelta(seconds=1))
        dist.recv(torch.ones(2), 1)
    except RuntimeError as error:
        print(error)
