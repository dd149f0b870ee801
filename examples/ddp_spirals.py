"""Two ranks, or as many as there are, train a classifier of spirals together.

    python -m minitorch.distributed.run --standalone --nproc-per-node 2 examples/ddp_spirals.py
    python -m minitorch examples/ddp_spirals.py

The second line is a world of one: what a rank does is the same.
"""

import math
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

for name, value in (("RANK", "0"), ("WORLD_SIZE", "1"), ("MASTER_ADDR", "127.0.0.1")):
    os.environ.setdefault(name, value)
os.environ.setdefault("MASTER_PORT", "29511")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

# All ranks have the same data; each takes every size-th point.
torch.manual_seed(0)
angles = torch.rand(240) * 3 * math.pi
sides = torch.arange(240) % 2
turned = angles + sides * math.pi
points = torch.stack([angles * turned.cos(), angles * turned.sin()], 1) / 10
points, sides = points[rank::size], sides[rank::size]

layers = [torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh()]
model = DistributedDataParallel(torch.nn.Sequential(*layers, torch.nn.Linear(32, 2)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for _ in range(150):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(points), sides)
    loss.backward()
    optimizer.step()

right = torch.tensor([(model(points).argmax(1) == sides).sum().item(), len(sides)])
dist.all_reduce(right)
weights = [None] * size
dist.all_gather_object(weights, sum(p.sum().item() for p in model.parameters()))
if rank == 0:
    print("more than 95 % right:", bool(right[0] > 0.95 * right[1]))
    print("all ranks have the same parameters:", len(set(weights)) == 1)
dist.destroy_process_group()
