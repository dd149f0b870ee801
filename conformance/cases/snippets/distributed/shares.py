# ranks: 2 3
"""ZeroRedundancyOptimizer: shares, steps, states, ranks without data, refusals."""

import copy

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, digest, meet, numbers, show
from torch.distributed.algorithms.join import Join
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

meet()
SIZES = (5, 70, 3, 40, 1, 12, 12)


def parameters(dtype=torch.float32):
    made = [torch.nn.Parameter(torch.zeros(n, dtype=dtype)) for n in SIZES]
    for i, each in enumerate(made):
        each.data.copy_(torch.arange(float(each.numel())) / 64 + i)
    return made


def take(optimizer, params, steps=3):
    for step in range(steps):
        for i, each in enumerate(params):
            each.grad = torch.full_like(each, (i + 1) * (step - 1.5))
        optimizer.step()


def trained(kind=torch.optim.SGD, views=False, **options):
    """The parameters after three steps, which rank has which, and the state of all."""
    params = parameters()
    optimizer = ZeroRedundancyOptimizer(params, kind, parameters_as_bucket_view=views, **options)
    shares = [optimizer._param_to_rank[each] for each in params]
    take(optimizer, params)
    optimizer.consolidate_state_dict(SIZE - 1)
    state = optimizer.state_dict() if RANK == SIZE - 1 else None
    held = len(optimizer.optim.state)
    return shares, digest(params), held, state and sorted(state["state"])


def reloaded():
    params = parameters()
    make = lambda: ZeroRedundancyOptimizer(params, torch.optim.Adam, lr=0.125)
    optimizer = make()
    take(optimizer, params)
    for rank in range(SIZE):
        optimizer.consolidate_state_dict(rank)
    state = copy.deepcopy(optimizer.state_dict()) if optimizer._all_state_dicts else None
    told = [state]
    dist.broadcast_object_list(told, SIZE - 1)
    other = make()
    other.load_state_dict(told[0])
    take(other, params)
    kept = [i for i, each in told[0]["state"].items() if each is not None]
    return digest(params), kept, other.param_groups[0]["lr"]


def groups():
    params = parameters()
    given = [{"params": params[:3]}, {"params": params[3:5], "lr": 0.5}]
    optimizer = ZeroRedundancyOptimizer(given, torch.optim.SGD, lr=0.25)
    optimizer.add_param_group({"params": params[5:], "lr": 2.0})
    take(optimizer, params)
    optimizer.param_groups[1]["lr"] = 1.0
    take(optimizer, params)
    return digest(params), [len(each["params"]) for each in optimizer.optim.param_groups]


def turned_off(views):
    params = parameters()
    optimizer = ZeroRedundancyOptimizer(
        params, torch.optim.SGD, parameters_as_bucket_view=views, lr=0.25
    )
    params[1].requires_grad_(False)
    take(optimizer, params)
    return digest(params)


def joined():
    """What ranks with two batches, and one more for each rank above the first, come to."""
    model = DistributedDataParallel(torch.nn.Linear(3, 2, bias=False))
    with torch.no_grad():
        model.module.weight.copy_(torch.arange(6.0).reshape(2, 3))
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.125)
    with Join([model, optimizer]):
        for step in range(2 + RANK):
            optimizer.zero_grad()
            model(torch.full((1, 3), float(RANK + step))).sum().backward()
            optimizer.step()
    return digest(model.parameters())


def closure():
    params = parameters()
    optimizer = ZeroRedundancyOptimizer(params, torch.optim.SGD, lr=0.25)

    def loss():
        total = sum((each**2).sum() for each in params)
        optimizer.zero_grad()
        total.backward()
        return total

    return float(optimizer.step(loss)), digest(params)


def in_a_group():
    pair = dist.new_group([0, SIZE - 1])
    if RANK not in (0, SIZE - 1):
        return None
    params = parameters()
    optimizer = ZeroRedundancyOptimizer(params, torch.optim.SGD, process_group=pair, lr=0.25)
    take(optimizer, params)
    optimizer.consolidate_state_dict(1)
    return digest(params), optimizer.rank, optimizer.global_rank


make = lambda params, **options: ZeroRedundancyOptimizer(params, torch.optim.SGD, **options)
one = torch.nn.Parameter(numbers(3, torch.float32, 1))
CASES = {
    "sgd": lambda: trained(lr=0.25),
    "momentum": lambda: trained(lr=0.25, momentum=0.5),
    "views": lambda: trained(views=True, lr=0.25, momentum=0.5),
    "adam": lambda: trained(torch.optim.Adam, lr=0.125)[0],
    "rmsprop": lambda: trained(torch.optim.RMSprop, lr=0.125)[2:],
    "reloaded": reloaded,
    "groups": groups,
    "turned off": lambda: turned_off(False),
    "turned off, views": lambda: turned_off(True),
    "joined": joined,
    "closure": closure,
    "in a group": in_a_group,
    "repr": lambda: repr(make([one], lr=0.5)),
    "a tensor": lambda: make(one),
    "a number": lambda: make(3),
    "none": lambda: make([]),
    "mixed": lambda: make([one, 3]),
    "no key": lambda: make([{"lr": 1}]),
    "two types": lambda: make([one, torch.nn.Parameter(numbers(3, torch.float64, 1))]),
    "two dtypes": lambda: make([torch.zeros(2), torch.zeros(2).double()]),
    "sparse": lambda: make([torch.zeros(2).to_sparse()]),
    "no state": lambda: make([one]).state_dict(),
}
for label, function in CASES.items():
    show(label, function)
    dist.barrier()
