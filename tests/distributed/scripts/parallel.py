"""Two ranks train a module together: gradients are the averages, and rank 0's values are all's."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)
torch.manual_seed(rank)
module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
alone = torch.nn.Linear(3, 2, bias=False)
model = DistributedDataParallel(module)
weights = [None, None]
dist.all_gather_object(weights, module[0].weight.tolist())
assert weights[0] == weights[1]

for step in range(3):  # the buckets are made anew after the first
    model.zero_grad()
    model(torch.randn(5, 3)).sum().backward()
    grads = [None, None]
    dist.all_gather_object(grads, [p.grad.tolist() for p in model.parameters()])
    assert grads[0] == grads[1], step

model = DistributedDataParallel(alone)
data = torch.full((1, 3), float(rank + 1))
model(data).sum().backward()
assert alone.weight.grad.eq(1.5).all()
with model.no_sync():
    model(data).sum().backward()
assert alone.weight.grad.eq(1.5 + rank + 1).all()
model(data).sum().backward()
assert alone.weight.grad.eq(1.5 + 1.5 + 1.5).all()

pair = torch.nn.ModuleList([torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)])
pair.forward = lambda x: pair[0](x)
model = DistributedDataParallel(pair)
model(torch.ones(1)).sum().backward()
try:
    model(torch.ones(1))
except RuntimeError as error:
    text = str(error)
assert "parameters that were not used in producing loss" in text
assert f"did not receive grad for rank {rank}: 2 3" in text
sys.stdout.write(f"well {rank}\n")
