"""Starts two ranks by torch.multiprocessing.spawn, which work together."""

import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    x = torch.tensor([float(rank + 1)])
    dist.all_reduce(x)
    assert x.item() == 3
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, (sys.argv[1],), nprocs=2)
    print("well")
