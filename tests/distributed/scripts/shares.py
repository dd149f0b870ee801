"""Two ranks share the state of an optimizer, and average parameters now and then."""

import sys
from collections import OrderedDict

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.algorithms.model_averaging.hierarchical_model_averager import (
    HierarchicalModelAverager,
)
from torch.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)


def made():
    return [torch.nn.Parameter(torch.ones(n)) for n in (2, 6, 3)]


def take(optimizer, params, steps):
    for step in range(steps):
        for i, each in enumerate(params):
            each.grad = torch.full_like(each, (i + 1.0) * (step + 1))
        optimizer.step()


alone = made()
take(torch.optim.Adam(alone, lr=0.1), alone, 5)
for views in (False, True):
    params = made()
    options = {"parameters_as_bucket_view": views, "lr": 0.1}
    optimizer = ZeroRedundancyOptimizer(params, torch.optim.Adam, **options)
    take(optimizer, params, 3)
    assert len(optimizer.optim.state) == (1 if rank == 0 else 2)  # the one of 6; of 3 and 2
    optimizer.consolidate_state_dict()
    told = [optimizer.state_dict() if rank == 0 else None]
    dist.broadcast_object_list(told)
    (state,) = told
    assert sorted(state["state"]) == [0, 1, 2]
    again = ZeroRedundancyOptimizer(params, torch.optim.Adam, lr=7.0)
    again.load_state_dict(state)
    for step in (3, 4):
        for i, each in enumerate(params):
            each.grad = torch.full_like(each, (i + 1.0) * (step + 1))
        again.step()
    assert all(torch.equal(*pair) for pair in zip(params, alone))

parameter = torch.nn.Parameter(torch.zeros(2))
averager, seen = PeriodicModelAverager(2, warmup_steps=1), []
for _ in range(4):
    parameter.grad = torch.ones(2)
    parameter.data += rank
    averager.average_parameters([parameter])
    seen.append(parameter.tolist()[0])
assert seen == ([0, 1, 1, 2.0] if rank == 0 else [1, 1, 2, 2]), seen
averager = HierarchicalModelAverager(OrderedDict([(1, 1), (2, 2)]))
parameter.data.fill_(rank)
averager.average_parameters([{"params": [parameter]}])
assert parameter.tolist() == [0.5, 0.5]

subgroup, _ = dist.new_subgroups(1)
model = DistributedDataParallel(torch.nn.Linear(2, 1, bias=False))
torch.nn.init.zeros_(model.module.weight)
model.register_comm_hook(local.PostLocalSGDState(None, subgroup, 1), local.post_localSGD_hook)
own = torch.optim.SGD(model.parameters(), lr=1.0)
optimizer, seen = PostLocalSGDOptimizer(own, PeriodicModelAverager(2, warmup_steps=1)), []
for _ in range(3):
    optimizer.zero_grad()
    model(torch.full((1, 2), float(rank))).sum().backward()
    optimizer.step()
    seen.append(model.module.weight[0, 0].item())
# together, alone and averaged, alone
assert seen == [-0.5, -1.0, -1.0 - rank], seen
assert optimizer.state_dict()["step"] == 3
dist.barrier()
