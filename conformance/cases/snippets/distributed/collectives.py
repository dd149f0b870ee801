# ranks: 2 3
"""Bits of collectives over dtypes, sizes and reductions."""

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, digest, meet, numbers, show

meet()
SIZES = (1, 3, 1001, 20_011, 100_001)
DTYPES = "float32 float64 float16 bfloat16 int8 uint8 int32 int64 bool complex64 complex128".split()
OPS = "SUM AVG PRODUCT MIN MAX BAND BOR BXOR".split()


def row(count, dtype, seed):
    return [numbers(count, dtype, seed + k) for k in range(SIZE)]


def empty(count, dtype):
    return [torch.zeros(count, dtype=dtype) for _ in range(SIZE)]


def all_reduce(n, dtype, op):
    x = numbers(n, dtype, 1)
    dist.all_reduce(x, op=op)
    return [x]


def reduce(n, dtype, op):
    x = numbers(n, dtype, 2)
    dist.reduce(x, SIZE - 1, op=op)
    return [x] if RANK == SIZE - 1 else []


def reduce_scatter(n, dtype, op):
    x = numbers(n, dtype, 3)
    dist.reduce_scatter(x, row(n, dtype, 4), op=op)
    return [x]


def reduce_scatter_single(n, dtype, op):
    x = numbers(n, dtype, 3)
    dist.reduce_scatter_single(x, numbers(n * SIZE, dtype, 5), op=op)
    return [x]


def all_reduce_coalesced(n, dtype, op):
    several = [numbers(n, dtype, 6), numbers(5, dtype, 7), numbers(n // 2 + 1, dtype, 8)]
    dist.all_reduce_coalesced(several, op=op)
    return several


def broadcast(n, dtype):
    x = numbers(n, dtype, 1)
    dist.broadcast(x, 1)
    return [x]


def all_gather(n, dtype):
    rows = empty(n, dtype)
    dist.all_gather(rows, numbers(n, dtype, 1))
    return rows


def all_gather_single(n, dtype):
    x = torch.zeros(n * SIZE, dtype=dtype)
    dist.all_gather_single(x, numbers(n, dtype, 1))
    return [x]


def gather(n, dtype):
    rows = empty(n, dtype) if RANK == 1 else None
    dist.gather(numbers(n, dtype, 1), rows, 1)
    return rows or []


def scatter(n, dtype):
    x = torch.zeros(n, dtype=dtype)
    dist.scatter(x, row(n, dtype, 1) if RANK == 1 else None, 1)
    return [x]


def all_to_all(n, dtype):
    rows = empty(n, dtype)
    dist.all_to_all(rows, row(n, dtype, 1))
    return rows


def all_to_all_single(n, dtype):
    x = torch.zeros(n * SIZE, dtype=dtype)
    dist.all_to_all_single(x, numbers(n * SIZE, dtype, 1))
    return [x]


def ring(n, dtype):
    x = torch.zeros(n, dtype=dtype)
    sending = dist.P2POp(dist.isend, numbers(n, dtype, 1), (RANK + 1) % SIZE)
    for work in dist.batch_isend_irecv([sending, dist.P2POp(dist.irecv, x, (RANK - 1) % SIZE)]):
        work.wait()
    return [x]


REDUCING = (all_reduce, reduce, reduce_scatter, reduce_scatter_single, all_reduce_coalesced)
MOVING = (
    broadcast,
    all_gather,
    all_gather_single,
    gather,
    scatter,
    all_to_all,
    all_to_all_single,
    ring,
)
for name in DTYPES:
    dtype = getattr(torch, name)
    sizes = SIZES if name in ("float32", "bfloat16") else SIZES[:3]
    for function in REDUCING:
        for op in OPS:
            if dtype.is_complex and op not in ("SUM", "AVG") and function is not all_reduce:
                continue  # pairs of numbers are reduced, and torch says nothing
            kind = getattr(dist.ReduceOp, op)
            parts = lambda f=function, t=dtype, k=kind, s=sizes: digest(
                [x for n in s for x in f(n, t, k)]
            )
            show(f"{function.__name__} {name} {op}", parts)
    for function in MOVING:
        if dtype.is_complex and function is gather:
            continue
        show(
            f"{function.__name__} {name}",
            lambda f=function, t=dtype, s=sizes: digest([x for n in s for x in f(n, t)]),
        )
x = numbers(60, torch.float32, 1).reshape(6, 10).t()
dist.all_reduce(x)
print("turned", digest([x]))
x = torch.tensor(float(RANK))
dist.all_reduce(x)
print("one number", x)
nan = float("nan")
for op in (dist.ReduceOp.MAX, dist.ReduceOp.MIN):
    x = torch.tensor([nan, 1.0, nan]) if RANK == 0 else torch.tensor([1.0, nan, nan])
    dist.all_reduce(x, op=op)
    print("nan", x)
dist.barrier()
