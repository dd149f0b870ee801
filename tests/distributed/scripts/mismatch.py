"""Two ranks that run different operations are told so, both of them, and get no numbers."""

import datetime
import sys

import torch
import torch.distributed as dist

path, rank, strict = f"file://{sys.argv[1]}", int(sys.argv[2]), sys.argv[3:] == ["strict"]
if strict:
    dist.set_debug_level(dist.DebugLevel.DETAIL)
limit = datetime.timedelta(seconds=20)
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2, timeout=limit)
first, x, two = rank == 0, torch.ones, lambda n: [torch.ones(n), torch.ones(n)]
op = dist.ReduceOp
# What each rank runs, and the words that only the text of this mismatch has.
CASES = {
    "ReduceOp=": lambda g: dist.all_reduce(x(4), op=op.SUM if first else op.MAX, group=g),
    "shapes: ": lambda g: dist.all_reduce(x(4 + rank), group=g),
    "shapes:  ": lambda g: dist.all_reduce(x(100_000 * (1 + rank)), group=g),
    "dtypes: ": lambda g: dist.all_reduce(x(4).to([torch.float32, torch.int32][rank]), group=g),
    "ALLREDUCEvs BROADCAST|BROADCASTvs ALLREDUCE": lambda g: (
        dist.all_reduce(x(4), group=g) if first else dist.broadcast(x(4), 0, group=g)
    ),
    "Root=": lambda g: dist.broadcast(x(4), rank, group=g),
    "Root= ": lambda g: dist.reduce(x(4), rank, group=g),
    "shapes:   ": lambda g: dist.all_gather(two(3 + rank), x(3 + rank), group=g),
    "GATHERvs ALLGATHER|ALLGATHERvs GATHER": lambda g: (
        dist.gather(x(2), two(2), group=g) if first else dist.all_gather(two(2), x(2), group=g)
    ),
    "BARRIER": lambda g: dist.barrier(g) if first else dist.all_reduce(x(4), group=g),
    "_REDUCE_SCATTER_BASE": lambda g: (
        dist.reduce_scatter(x(2), two(2), group=g)
        if first
        else dist.reduce_scatter_single(x(2), x(4), group=g)
    ),
    "ALLTOALL_BASE": lambda g: (
        dist.all_to_all(two(2), two(2), group=g)
        if first
        else dist.all_to_all_single(x(4), x(4), group=g)
    ),
    "shapes:    ": lambda g: dist.scatter(x(2 + rank), two(2) if first else None, group=g),
    "in all_to_all, but Rank": lambda g: dist.all_to_all_single(
        x(4), x(4), [2, 2], [1, 3] if first else [2, 2], group=g
    ),
    "ALLREDUCE_COALESCED": lambda g: g.allreduce_coalesced([x(3)] * (1 + rank)).wait(),
}


def told(group, run):
    try:
        run(group)
    except RuntimeError as error:
        return str(error)
    return "nothing"


group = None
for words, run in CASES.items():
    if not (strict and group):
        group = dist.new_group()
    text = told(group, run)
    assert text.startswith("Detected mismatch between collectives on ranks. Rank "), (words, text)
    assert any(each.strip() in text for each in words.split("|")), (words, text)
    if not strict:  # data is on its way that cannot be told apart from what would come next
        assert told(group, dist.barrier) == text
    elif "all_to_all" not in words:
        dist.barrier(group)
    else:
        group = None

if strict:
    group = dist.new_group()
    assert "Tensor shapes: " in told(
        group, lambda g: dist.all_reduce(x(6) if first else x(2, 3), group=g)
    )
# Messages: the receiver is told, and the next message is another one.
for size, dtype in ((3, torch.float32), (5, torch.float32), (4, torch.int32)):
    for longer in (1, 10_000):
        if first:
            dist.send(x(4 * longer), 1)
        else:
            into = torch.ones(size * longer, dtype=dtype)
            text = told(into, lambda into: dist.recv(into, 0))
            assert text == (
                f"Detected mismatch between send and recv. Rank 0 is running send of {4 * longer} "
                f"elements of float32, but Rank 1 is running recv of {size * longer} elements of "
                f"{str(dtype)[6:]}"
            ), text
if first:
    dist.send(x(2), 1)
else:
    y = torch.zeros(2)
    dist.recv(y, 0)
    assert y.tolist() == [1, 1]
dist.barrier()
sys.stdout.write(f"well {rank}\n")  # at once: ranks share the pipe
