# ranks: 2
"""What ranks are told that run different operations, with TORCH_DISTRIBUTED_DEBUG=DETAIL."""

import os

os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, meet, show

meet(20)
x, first = torch.ones, RANK == 0
rows = lambda n: [torch.ones(n) for _ in range(SIZE)]
CASES = {
    "sizes": lambda: dist.all_reduce(x(3 + RANK)),
    "dtypes": lambda: dist.all_reduce(x(4) if RANK else x(4).double()),
    "few bits": lambda: dist.all_reduce(x(4).half() if RANK else x(4).bfloat16()),
    "integers": lambda: dist.all_reduce(x(4).int() if RANK else x(4).bool()),
    "kinds": lambda: dist.all_reduce(x(4)) if RANK else dist.broadcast(x(4), 0),
    "broadcast": lambda: dist.broadcast(x(4 + RANK), 0),
    "all_gather": lambda: dist.all_gather(rows(3 + RANK), x(3 + RANK)),
    "gather": lambda: dist.gather(x(2), rows(2)) if first else dist.all_gather(rows(2), x(2)),
    "scatter": lambda: dist.scatter(x(3 + RANK), rows(3) if first else None),
    "reduce": lambda: dist.reduce(x(3 + RANK), 0),
    "reduce_scatter": lambda: dist.reduce_scatter(x(3 + RANK), rows(3 + RANK)),
    "single": lambda: (
        dist.all_gather_single(x(4 * SIZE), x(4)) if first else dist.all_gather(rows(4), x(4))
    ),
    "all_to_all": lambda: (
        dist.all_to_all_single(x(4), x(4)) if first else dist.all_to_all(rows(2), rows(2))
    ),
}
for label, function in CASES.items():
    show(label, function)
y = x(2)
dist.all_reduce(y)
print(y)
