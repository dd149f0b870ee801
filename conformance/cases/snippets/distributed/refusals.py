# ranks: 2
"""What wrong arguments are told; each rank is told it, and sends nothing."""

import torch
import torch.distributed as dist
from meeting import RANK, meet, show

x = torch.ones
show("before", lambda: dist.all_reduce(x(2)))
show("before", lambda: dist.get_rank())
show("end", lambda: dist.destroy_process_group())
meet()
two = lambda n, dtype=torch.float32: [torch.ones(n, dtype=dtype) for _ in range(2)]
CASES = {
    "again": meet,
    "list": lambda: dist.all_reduce([x(2)]),
    "number": lambda: dist.broadcast(1, 0),
    "short": lambda: dist.all_reduce(torch.ones(2, dtype=torch.int16)),
    "bits": lambda: dist.all_reduce(x(2), op=dist.ReduceOp.BAND),
    "premul": lambda: dist.all_reduce(x(2), op=dist._make_nccl_premul_sum(2.0)),
    "complex": lambda: dist.all_reduce(x(2).to(torch.complex64), op=dist.ReduceOp.MAX),
    "one list": lambda: dist.all_gather(two(3)[:1], x(3)),
    "shapes": lambda: dist.all_gather(two(4), x(3)),
    "dtypes": lambda: dist.all_gather(two(3, torch.float64), x(3)),
    "no list": lambda: dist.all_gather(x(6), x(3)),
    "mixed list": lambda: dist.all_gather([x(3), 1], x(3)),
    "single": lambda: dist.all_gather_single(x(5), x(3)),
    "single dtype": lambda: dist.all_gather_single(x(6).double(), x(3)),
    "single 2d": lambda: dist.all_gather_single(x(2, 3), x(3)),
    "scatter short": lambda: dist.reduce_scatter(x(3), two(3)[:1]),
    "scatter shapes": lambda: dist.reduce_scatter(x(3), two(4)),
    "root": lambda: dist.broadcast(x(3), 5),
    "negative": lambda: dist.broadcast(x(3), -1),
    "no root": lambda: dist.broadcast(x(3)),
    "both roots": lambda: dist.broadcast(x(3), 0, group_src=0),
    "reduce root": lambda: dist.reduce(x(3), 7),
    "itself": lambda: dist.send(x(3), RANK),
    "tag": lambda: dist.send(x(3), 1 - RANK, tag=-1),
    "to all": lambda: dist.all_to_all(two(3)[:1], two(3)),
    "splits": lambda: dist.all_to_all_single(x(4), x(4), [1, 2], [2, 2]),
    "more splits": lambda: dist.all_to_all_single(x(4), x(4), [1, 1, 2], [2, 2]),
    "sizes": lambda: dist.all_to_all_single(x(5), x(4)),
    "group": lambda: dist.new_group([0, 5]),
    "twice": lambda: dist.new_group([0, 0]),
    "many": lambda: dist.new_group([0, 1, 2]),
    "backend": lambda: dist.new_group([0, 1], backend="xyz"),
    "nccl": lambda: dist.new_group([0, 1], backend="nccl"),
    "timeout": lambda: dist.new_group([0, 1], timeout=3),
    "subgroups": lambda: dist.new_subgroups(3),
    "subgroup lists": lambda: dist.new_subgroups_by_enumeration([]),
    "no op": lambda: dist.P2POp(dist.send, x(2), 0),
    "no ops": lambda: dist.batch_isend_irecv([1]),
    "backend name": lambda: dist.Backend(3),
    "reduce op": lambda: dist.ReduceOp.SUM,
    "reduce ops": lambda: dist.ReduceOp(dist.ReduceOp.MAX) == dist.ReduceOp.MAX,
    "monitored": lambda: dist.monitored_barrier(timeout=3),
    "gather object": lambda: dist.gather_object(1, None if RANK else [], 0),
}
for label, function in CASES.items():
    if label != "gather object":
        show(label, function)
# By the store, not by a barrier: gloo's waits for the operation that told of "sizes" where its thread
# has not put it away yet, raises its error on this rank alone, and then counts one barrier more.
store = dist.distributed_c10d._get_default_store()
store.set(f"told {RANK}", "")
store.wait([f"told {rank}" for rank in range(2)])
