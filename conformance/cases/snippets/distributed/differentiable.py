# ranks: 2 3
"""Collectives that autograd goes through: values, nodes, gradients of gradients, refusals."""

import torch
import torch.distributed as dist
import torch.distributed.nn
import torch.distributed.nn.functional as F
from meeting import RANK, SIZE, meet, numbers, show

meet()


def leaf(*shape, seed=1):
    count = torch.Size(shape).numel()
    return numbers(count, torch.float64, seed).reshape(shape).requires_grad_()


def told(function):
    """What a function of a leaf gives, and what its backward does to the leaf, twice over."""
    x = leaf(SIZE, 3)
    result = function(x)
    several = result if isinstance(result, tuple) else (result,)
    weights = [numbers(each.numel(), torch.float64, 7).reshape(each.shape) for each in several]
    total = sum((each**2 * weight).sum() for each, weight in zip(several, weights))
    (first,) = torch.autograd.grad(total, x, create_graph=True)
    again = None
    if first.requires_grad:
        (again,) = torch.autograd.grad((first**2).sum(), x)
    return several, several[0].grad_fn.name(), first, again


CASES = {
    "broadcast": lambda x: F.broadcast(x, 1),
    "gather": lambda x: F.gather(x, 1),
    "scatter": lambda x: F.scatter(list(x.unbind()), 1),
    "reduce": lambda x: F.reduce(x, 0) if RANK == 0 else F.reduce(x, 0) * 0,
    "reduce_scatter": lambda x: F.reduce_scatter(torch.empty(3).double(), list(x.unbind())),
    "all_gather": lambda x: F.all_gather(x),
    "all_to_all": lambda x: F.all_to_all(list(torch.empty(SIZE, 3).double()), list(x.unbind())),
    "all_to_all_single": lambda x: F.all_to_all_single(torch.empty(SIZE, 3).double(), x),
    "splits": lambda x: F.all_to_all_single(
        torch.empty(SIZE * SIZE if RANK == 0 else 0, 3).double(),
        x,
        [SIZE if RANK == 0 else 0] * SIZE,
        [SIZE] + [0] * (SIZE - 1),
    ),
    "all_reduce": lambda x: F.all_reduce(x),
    "all_reduce of a part": lambda x: F.all_reduce(x.t()[1:]),
    "all_reduce, average": lambda x: F.all_reduce(x, dist.ReduceOp.AVG),
    "base": lambda x: F._all_gather_base(torch.empty(SIZE * SIZE, 3).double(), x),
    "of the package": lambda x: torch.distributed.nn.all_reduce(x),
    "sizes": lambda x: F.scatter([x[0], x[0, :2]], 1),
}
for label, function in CASES.items():
    show(label, lambda function=function: told(function))
    dist.barrier()
pair = dist.new_group([0, SIZE - 1])
if RANK in (0, SIZE - 1):
    show("in a group", lambda: told(lambda x: F.all_reduce(x, group=pair)))
