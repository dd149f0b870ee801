# ranks: 2 3
"""Functional collectives: values, gradients, when they wait, groups, refusals."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as F
from meeting import RANK, SIZE, digest, meet, numbers, show
from torch.distributed.device_mesh import init_device_mesh

meet()
WORLD = dist.group.WORLD
mesh = init_device_mesh("cpu", (1, SIZE), mesh_dim_names=("a", "b"))


def leaf(*shape):
    return numbers(torch.Size(shape).numel(), torch.float64, 1).reshape(shape).requires_grad_()


def told(function, *shape):
    """What a function of a leaf gives, and the leaf's gradient."""
    x = leaf(*(shape or (SIZE, 2 * SIZE)))
    result = function(x)
    weights = numbers(result.numel(), torch.float64, 7).reshape(result.shape)
    name = type(result).__name__
    node = result.grad_fn.name()
    (result * weights).sum().backward()
    return name, node, result.tolist(), x.grad


def waits():
    x = F.all_reduce(torch.ones(4), "sum", WORLD)
    seen = [x.completed, x.shape, x.completed]
    part = x.view(2, 2)[0]
    seen += [type(part).__name__, part.completed, x.completed]
    total = x + part.sum()
    return seen, type(total).__name__, x.completed, part.completed, total, part


def several(function):
    given = [numbers(SIZE * n, torch.float32, n).reshape(SIZE, n) for n in (1, 3)]
    results = function(given)
    return [type(each).__name__ for each in results], results


sizes = [1] * SIZE
swap = list(range(1, SIZE)) + [0]
names = [name for name in torch.ops._c10d_functional.__dict__ if name == "all_reduce"]


def gradients(function):
    """The gradients of two tensors, of which the second counts RANK + 2 times."""
    x = torch.ones(SIZE, 2, requires_grad=True)
    y = torch.full((2 * SIZE,), 3.0, requires_grad=True)
    first, second = function([x * 2, y])
    return torch.autograd.grad(first.sum() + (second * (RANK + 2)).sum(), (x, y))


CASES = {
    "all_reduce": lambda: told(lambda x: F.all_reduce(x, "sum", WORLD)),
    "all_reduce, max": lambda: told(lambda x: F.all_reduce(x, "MAX", WORLD)),
    "all_reduce, average": lambda: F.all_reduce(torch.ones(2) * RANK, "avg", WORLD),
    "all_gather": lambda: told(lambda x: F.all_gather_single(x, 0, WORLD)),
    "all_gather along 1": lambda: told(lambda x: F.all_gather_single(x, 1, WORLD)),
    "all_gather, view": lambda: told(lambda x: F.all_gather_single(x, 1, WORLD), 1, 3),
    "all_gather along 2": lambda: told(lambda x: F.all_gather_single(x, 2, WORLD), 1, 2, 3),
    "all_gather, view 2": lambda: told(lambda x: F.all_gather_single(x, 2, WORLD), 1, 1, 3),
    "reduce_scatter": lambda: told(lambda x: F.reduce_scatter_single(x, "sum", 0, WORLD)),
    "reduce_scatter along 1": lambda: told(lambda x: F.reduce_scatter_single(x, "sum", 1, WORLD)),
    "reduce_scatter, min": lambda: F.reduce_scatter_single(
        numbers(SIZE, torch.int64, 1), "min", 0, WORLD
    ),
    "all_to_all": lambda: told(lambda x: F.all_to_all_single(x, None, None, WORLD)),
    "all_to_all, sizes": lambda: told(lambda x: F.all_to_all_single(x, sizes, sizes, WORLD)),
    "permute": lambda: F.permute_tensor(numbers(3, torch.float32, 1), swap, WORLD),
    "broadcast": lambda: F.broadcast(numbers(3, torch.float32, 1), 1, WORLD),
    "autograd": lambda: told(lambda x: F.all_gather_single_autograd(x, 0, WORLD)),
    "deprecated": lambda: told(lambda x: F.all_gather_tensor(x, 0, WORLD)),
    "by name": lambda: F.all_reduce(torch.ones(2), "sum", "0"),
    "by mesh": lambda: F.all_reduce(torch.ones(2), "sum", mesh["b"]),
    "by dimension": lambda: F.all_reduce(torch.ones(2), "sum", (mesh, 1)),
    "by ranks": lambda: F.all_reduce(torch.ones(2), "sum", list(range(SIZE))),
    "by other ranks": lambda: F.all_reduce(torch.ones(2), "sum", [0]),
    "by a wide mesh": lambda: F.all_reduce(torch.ones(2), "sum", mesh),
    "by a pair": lambda: F.all_reduce(torch.ones(2), "sum", (1, 2)),
    "by a number": lambda: F.all_reduce(torch.ones(2), "sum", 7),
    "by no name": lambda: F.all_reduce(torch.ones(2), "sum", "none"),
    "expanded": lambda: [
        F._expand_group(g) for g in (WORLD, mesh["b"], (mesh, 0), [0, 1], [[0], [1]])
    ],
    "not expanded": lambda: F._expand_group([[0], [1, 2]]),
    "no reduction": lambda: F.all_reduce(torch.ones(2), "summ", WORLD),
    "no share": lambda: F.reduce_scatter_single(torch.ones(SIZE + 1), "sum", 0, WORLD),
    "one size": lambda: F.all_to_all_single(torch.ones(SIZE), sizes, None, WORLD),
    "odd sizes": lambda: F.all_to_all_single(torch.ones(SIZE), [0.5], [0.5], WORLD),
    "coalesced sums": lambda: several(lambda x: F.all_reduce_coalesced(x, "sum", WORLD)),
    "coalesced rows": lambda: several(lambda x: F.all_gather_single_coalesced(x, WORLD)),
    "coalesced parts": lambda: several(
        lambda x: F.reduce_scatter_single_coalesced(x, "sum", [0, 0], WORLD)
    ),
    "gradients of sums": lambda: gradients(lambda x: F.all_reduce_coalesced(x, "sum", WORLD)),
    "gradients of rows": lambda: gradients(lambda x: F.all_gather_single_coalesced(x, WORLD)),
    "gradients of parts": lambda: gradients(
        lambda x: F.reduce_scatter_single_coalesced(x, "sum", [0, 0], WORLD)
    ),
    "gradients of products": lambda: gradients(
        lambda x: F.all_reduce_coalesced(x, "product", WORLD)
    ),
    "few dims": lambda: F.reduce_scatter_single_coalesced([torch.ones(SIZE)], "sum", [], WORLD),
    "waits": waits,
    "shown": lambda: F.all_reduce(torch.ones(2), "sum", WORLD),
    "as numbers": lambda: F.all_reduce(torch.ones(2), "sum", WORLD).tolist(),
    "as an array": lambda: F.all_reduce(torch.ones(2), "sum", WORLD).numpy(),
    "waited for": lambda: F.wait_tensor(
        torch.ops._c10d_functional.all_reduce(torch.ones(2), "sum", "0")
    ),
    "in place": lambda: F.all_reduce_inplace(torch.ones(2), "sum", WORLD),
    "rows in place": lambda: F.all_gather_tensor_inplace(torch.ones(SIZE), torch.ones(1), WORLD),
    "parts in place": lambda: F.reduce_scatter_tensor_inplace(torch.ones(1), torch.ones(SIZE)),
    "swapped in place": lambda: F.all_to_all_inplace(torch.ones(SIZE), torch.ones(SIZE)),
    "in place, later": lambda: F.all_reduce_inplace(torch.ones(2), async_op=True),
    "written into": lambda: (
        x := F.all_reduce(torch.ones(2), "sum", WORLD),
        x.add_(1) is x,
        x.copy_(torch.ones(2)) is x,
        x.fill_(2) is x,
        F.wait_tensor(x),
    ),
    "untouched": lambda: (x := torch.ones(2), F.all_reduce(x, "sum", WORLD).tolist(), x)[2],
    "large": lambda: digest(
        [F.all_reduce(numbers(100_001, torch.float32, 3), "sum", WORLD).wait()]
    ),
}
for label, function in CASES.items():
    show(label, function)
    dist.barrier()
