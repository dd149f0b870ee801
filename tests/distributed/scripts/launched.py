"""A rank that torchrun started."""

import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(x)
line = f"sum {x.item()} {dist.is_torchelastic_launched()}\n"
sys.stdout.write(line)  # in one piece: two processes write
dist.destroy_process_group()
