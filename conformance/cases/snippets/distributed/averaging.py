# ranks: 2 3
"""Averages of parameters, and post-local SGD."""

import warnings
from collections import OrderedDict

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, digest, meet, numbers, show
from torch.distributed.algorithms.ddp_comm_hooks import post_localSGD_hook as local
from torch.distributed.algorithms.model_averaging import averagers, hierarchical_model_averager
from torch.distributed.algorithms.model_averaging.utils import (
    average_parameters,
    get_params_to_average,
)
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.parallel import DistributedDataParallel

meet()
alone, _ = dist.new_subgroups(1)


def module():
    made = torch.nn.ParameterList(
        torch.nn.Parameter(numbers(n, dtype, 1))
        for n, dtype in ((5, torch.float32), (7, torch.float64), (2, torch.float16))
    )
    for each in list(made)[:2]:
        each.grad = numbers(each.numel(), each.dtype, 2)
    return made


def periods(period, warmup, steps=7):
    """What parameters are after each step of an averager."""
    made, averager, seen = module(), averagers.PeriodicModelAverager(period, warmup), []
    for _ in range(steps):
        for each in made:
            each.data += RANK
        averager.average_parameters(made.parameters())
        seen.append(digest(made))
    return seen, averager.step


def levels(**options):
    """What parameters are after each step of a hierarchy of averagers."""
    sizes = OrderedDict([(2, 1), (4, SIZE)])
    make = hierarchical_model_averager.HierarchicalModelAverager
    averager, made, seen = make(sizes, **options), module(), []
    for _ in range(9):
        made[0].data += RANK
        averager.average_parameters(made.parameters())
        seen.append(digest(made))
    return seen, list(averager.period_process_group_dict)


def trained(start, gradients=True, optimizer=False):
    """A digest of parameters that post-local SGD made."""
    model = DistributedDataParallel(torch.nn.Linear(3, 2, bias=False))
    with torch.no_grad():
        model.module.weight.copy_(torch.arange(6.0).reshape(2, 3))
    state = local.PostLocalSGDState(None, alone, start, gradients)
    model.register_comm_hook(state, local.post_localSGD_hook)
    own = torch.optim.SGD(model.parameters(), lr=0.125, momentum=0.5)
    averager = averagers.PeriodicModelAverager(3, start)
    used = PostLocalSGDOptimizer(own, averager) if optimizer else own
    seen = []
    for step in range(8):
        used.zero_grad()
        (model(torch.full((1, 3), float(RANK + step))).sum()).backward()
        used.step()
        seen.append(digest(model.parameters()))
    return seen, state.iter, averager.step


def saved():
    own = torch.optim.SGD(module().parameters(), lr=0.5)
    used = PostLocalSGDOptimizer(own, averagers.PeriodicModelAverager(2))
    used.step()
    kept = used.state_dict()
    other = PostLocalSGDOptimizer(own, averagers.PeriodicModelAverager(2))
    other.load_state_dict(kept)
    before = other.averager.step
    del kept["step"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        other.load_state_dict(kept)
    return before, other.averager.step, [str(each.message) for each in told], repr(used)


def warned(function):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        function()
    return [str(each.message) for each in told]


def averaged():
    made = module()
    average_parameters(iter(made.parameters()), None if RANK else dist.group.WORLD)
    return digest(made), [each.dtype for each in made]


hierarchy = hierarchical_model_averager.HierarchicalModelAverager
CASES = {
    "all": averaged,
    "with gradients": lambda: len(get_params_to_average(module().parameters())),
    "of groups": lambda: len(get_params_to_average([{"params": list(module())}])),
    "of others": lambda: get_params_to_average([1]),
    "period 1": lambda: (warned(lambda: averagers.PeriodicModelAverager(1)), periods(1, 2)),
    "period 2": lambda: periods(2, 0),
    "period 3, later": lambda: periods(3, 2),
    "period 0": lambda: averagers.PeriodicModelAverager(0),
    "earlier": lambda: averagers.PeriodicModelAverager(2, -1),
    "levels": lambda: levels(),
    "levels, later": lambda: levels(warmup_steps=3),
    "no levels": lambda: hierarchy({}),
    "level 0": lambda: hierarchy({0: SIZE}),
    "level 1": lambda: warned(lambda: hierarchy({1: SIZE})),
    "few": lambda: hierarchy({2: 1}),
    "earlier levels": lambda: hierarchy({2: SIZE}, -1),
    "hook": lambda: trained(3),
    "hook, alone": lambda: trained(3, False),
    "optimizer": lambda: trained(3, optimizer=True),
    "state": saved,
}
for label, function in CASES.items():
    show(label, function)
    dist.barrier()
