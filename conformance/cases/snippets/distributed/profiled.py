# ranks: 2 3
"""Events of collectives in profiles, lists of all ranks, and the level of debugging."""

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, meet

meet()
x, y, pairs = torch.ones(6, 2), torch.ones(4), torch.ones(2, dtype=torch.complex64)


def like(tensor, number=SIZE):
    return [torch.empty_like(tensor) for _ in range(number)]


def first(function, other=lambda: None):
    return function() if RANK == 0 else other()


CALLS = {
    "all_reduce": lambda: dist.all_reduce(x),
    "all_reduce, async": lambda: dist.all_reduce(x, async_op=True).wait(),
    "all_reduce of complex numbers": lambda: dist.all_reduce(pairs),
    "all_reduce of a sparse tensor": lambda: dist.all_reduce(
        torch.sparse_coo_tensor([[RANK]], [1.0], (3,))
    ),
    "all_reduce_coalesced": lambda: dist.all_reduce_coalesced([x, y]),
    "reduce": lambda: dist.reduce(x, 0),
    "broadcast": lambda: dist.broadcast(x, 0),
    "all_gather": lambda: dist.all_gather(like(x), x),
    "all_gather_into_tensor": lambda: dist.all_gather_into_tensor(torch.empty(6 * SIZE, 2), x),
    "all_gather_coalesced": lambda: dist.all_gather_coalesced(
        [[torch.empty_like(x), torch.empty_like(y)] for _ in range(SIZE)], [x, y]
    ),
    "gather": lambda: dist.gather(x, first(lambda: like(x))),
    "scatter": lambda: dist.scatter(torch.empty(6, 2), first(lambda: [x] * SIZE)),
    "reduce_scatter": lambda: dist.reduce_scatter(torch.empty(6, 2), [x] * SIZE),
    "reduce_scatter of complex numbers": lambda: dist.reduce_scatter(
        torch.empty_like(pairs), [pairs] * SIZE
    ),
    "reduce_scatter_tensor": lambda: dist.reduce_scatter_tensor(torch.empty(6 // SIZE, 2), x),
    "all_to_all": lambda: dist.all_to_all(like(y), [y] * SIZE),
    "all_to_all_single": lambda: dist.all_to_all_single(torch.empty(6, 2), x),
    "barrier": dist.barrier,
    "send": lambda: first(
        lambda: dist.send(x, 1), lambda: dist.recv(torch.empty(6, 2), 0) if RANK == 1 else None
    ),
    "recv from any": lambda: first(
        lambda: dist.send(x, 1), lambda: dist.recv(torch.empty(6, 2)) if RANK == 1 else None
    ),
    "a refused call": lambda: dist.reduce(x, 7),
}
for name, call in CALLS.items():
    with torch.autograd.profiler.profile(record_shapes=True) as profile:
        try:
            call()
        except RuntimeError as error:
            print(name, type(error).__name__)
    dist.barrier()
    for event in profile.function_events:
        if event.name.startswith("gloo:"):
            print(name, event.name, event.count, event.is_async, event.input_shapes)

# ---- the lists of all ranks

mine = [torch.full((2, 2), RANK + 0.5), torch.arange(3.0) + RANK, torch.tensor(7.0 * RANK)]
lists = [[torch.empty_like(each) for each in mine] for _ in range(SIZE)]
print(dist.all_gather_coalesced(lists, mine))
print(lists)
complex_lists = [like(pairs, 1) for _ in range(SIZE)]
future = dist.all_gather_coalesced(complex_lists, [pairs * 1j], async_op=True)
future.wait()
print(complex_lists)
REFUSED = {
    "shape": ([[torch.empty(3)]] * SIZE, [y]),
    "dtype": ([[torch.empty(4, dtype=torch.int)]] * SIZE, [y]),
    "ranks": ([[torch.empty(4)]], [y]),
    "length": ([[y, y]] * SIZE, [y]),
    "tensors": ([y] * SIZE, [y]),
    "tuple": (([y],) * SIZE, [y]),
    "no list": ([[y]] * SIZE, y),
    "two dtypes": ([[y, y]] * SIZE, [y, y.int()]),
}
for name, given in REFUSED.items():
    try:
        dist.all_gather_coalesced(*given)
    except Exception as error:
        print(name, type(error).__name__, error)

# ---- how much is checked and told

print(dist.get_debug_level(), [f"{each}={each.value}" for each in map(dist.DebugLevel, range(3))])
dist.set_debug_level(dist.DebugLevel.INFO)
print(dist.get_debug_level())
for wrong in (1, "INFO", None):
    try:
        dist.set_debug_level(wrong)
    except TypeError as error:
        print(error)
print(dist.get_debug_level())
dist.barrier()
