"""One rank fails; the other prints its error."""

import datetime
import os
import sys

import torch
import torch.distributed as dist

how, rank = sys.argv[1], int(sys.argv[3])
limit = datetime.timedelta(seconds=20)
path = f"file://{sys.argv[2]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2, timeout=limit)
dist.barrier()
if rank == 1:
    if how == "killed":
        os.kill(os.getpid(), 9)
    if how == "raises":
        raise ValueError("mine")
    if how == "hangs":
        dist.recv(torch.ones(1), 0)  # until the other leaves
try:
    work = dist.all_reduce(torch.ones(2), async_op=True)
    work.wait(datetime.timedelta(seconds=1) if how == "hangs" else limit)
except RuntimeError as error:
    print(error)
