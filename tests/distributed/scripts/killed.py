"""Three ranks add up over and over, until one of them is killed."""

import sys

import torch
import torch.distributed as dist

count, rank = int(sys.argv[1]), int(sys.argv[3])
path = f"file://{sys.argv[2]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=3)
x = torch.zeros(count)
dist.all_reduce(x)
print("begun", flush=True)
while True:
    dist.all_reduce(x)
