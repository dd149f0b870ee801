# ranks: 2 3
"""Groups, objects, messages, and several operations at once."""

import datetime

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, digest, meet, numbers

meet()
print(
    dist.get_rank(), dist.get_world_size(), dist.get_backend(), dist.get_process_group_ranks(None)
)
turned = dist.new_group([SIZE - 1, 0], sort_ranks=False)
alone = dist.new_group([1])
print("ranks", dist.get_rank(turned), dist.get_rank(alone), dist.get_world_size(turned))
if RANK in (0, SIZE - 1):
    x = numbers(1001, torch.float32, 1)
    dist.all_reduce(x, group=turned)
    print("turned", digest([x]), dist.get_global_rank(turned, 0), dist.get_group_rank(turned, 0))
x = torch.ones(2)
dist.all_reduce(x, group=alone)
print("alone", x)

objects = [None] * SIZE
dist.all_gather_object(objects, {"rank": RANK, "x": torch.tensor([RANK])})
print(objects)
objects = [RANK, "x", None]
dist.broadcast_object_list(objects, 1)
print(objects)
mine = [None]
dist.scatter_object_list(mine, list(range(SIZE)) if RANK == 0 else None, 0)
print(mine)
objects = [None] * SIZE if RANK == 0 else None
dist.gather_object(f"of {RANK}", objects)
print(objects)

if RANK == 0:
    dist.send(torch.arange(3.0), 1, tag=5)
    dist.send(torch.arange(100_000), 1)
    dist.send_object_list([1, "two"], 1)
if RANK == 1:
    x, long = torch.zeros(3), torch.zeros(100_000, dtype=torch.int64)
    print("from", dist.recv(x, tag=5), x)
    print("from", dist.recv(long, 0), long.sum())
    objects = [None, None]
    print("from", dist.recv_object_list(objects, 0), objects)
with dist._coalescing_manager():
    several = [numbers(10, torch.float32, k) for k in range(3)]
    for each in several:
        dist.all_reduce(each)
print("several", digest(several))
work = dist.all_reduce(torch.ones(3), async_op=True)
work.wait()
print(work.is_completed(), work.is_success(), work.result(), work.get_future().wait())
print(work.get_future().then(lambda done: done.value()[0] * 2).wait())
split = [1, 2] + [0] * (SIZE - 2) if RANK == 0 else [2, 1] + [0] * (SIZE - 2)
if RANK > 1:
    split = [0] * SIZE
x = torch.zeros(sum(split))
dist.all_to_all_single(x, torch.arange(float(sum(split))) + 10 * RANK, split, split)
print("split", x)
dist.monitored_barrier()
alone = dist.new_group()
if RANK == 0:
    for timeout in (0, 0.2):
        try:
            alone.monitored_barrier(datetime.timedelta(seconds=timeout))
        except RuntimeError as error:
            print(str(error).split("Original exception")[0])
alone = dist.new_group()
if RANK == 0:
    try:
        alone.monitored_barrier(timeout=datetime.timedelta(seconds=0.2), wait_all_ranks=True)
    except RuntimeError as error:
        print(str(error).split("Exception raised")[0])
print(dist.group.WORLD.monitored_barrier())
dist.destroy_process_group()
print(dist.is_initialized())
