"""Two ranks train with the options of DistributedDataParallel, and agree with the plain one."""

import sys
import warnings

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
from torch.nn.parallel import DistributedDataParallel

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)
warnings.simplefilter("ignore")


class Parts(torch.nn.Module):
    """Sums of parameters times data, of those that `used` names for a rank and a step."""

    def __init__(self, used):
        super().__init__()
        self.parts = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(4)) for _ in range(4)])
        self.register_buffer("seen", torch.full((1,), float(rank)))
        self.used, self.step = used, -1

    def forward(self, data):
        self.step += 1
        return [(self.parts[i] * data).sum() for i in self.used(rank, self.step)]


def trained(used=lambda rank, step: range(4), hook=None, steps=3, model=None, **options):
    """The gradients of the last of three steps, and the model."""
    model = DistributedDataParallel(Parts(used), **options)
    if hook:
        model.register_comm_hook(*hook)
    for step in range(steps):
        model.zero_grad()
        data = torch.arange(4.0) + 10 * rank + step
        sum(model(data)).backward()
    return [None if p.grad is None else p.grad.tolist() for p in model.parameters()], model


plain, model = trained()
mean = (torch.arange(4.0) + 5 + 2).tolist()
assert plain == [mean] * 4
assert model.module.seen.item() == 0  # rank 0's
assert trained(forward_sync_buffers=False)[1].module.seen.item() == 0
assert trained(broadcast_buffers=False)[1].module.seen.item() == rank

views, model = trained(gradient_as_bucket_view=True)
assert views == plain
buffer = model.reducer.buckets[0].tensor
assert all(p.grad.data_ptr() >= buffer.data_ptr() for p in model.parameters())
assert trained(static_graph=True)[0] == plain
assert trained(find_unused_parameters=True)[0] == plain
assert trained(bucket_cap_mb_list=[0.00001, 1])[0] == plain

one_each = lambda rank, step: [rank, 3]  # part 2 is used by no rank, parts 0 and 1 by one
half = [(torch.arange(4.0) + 10 * k + 2).div(2).tolist() for k in range(2)]
for options in ({"find_unused_parameters": True}, {"static_graph": True}):
    grads, _ = trained(one_each, **options)
    assert grads == [half[0], half[1], None, mean], options

for hook in (default_hooks.allreduce_hook, default_hooks.fp16_compress_hook):
    assert trained(hook=(None, hook))[0] == plain
wrapped = default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook)
model = DistributedDataParallel(Parts(lambda rank, step: range(4)))
try:
    model.register_comm_hook(None, wrapped)
except TypeError as error:
    text = str(error)
assert "CUDA 11+ and NCCL 2.10+" in text
local, _ = trained(hook=(None, debugging_hooks.noop_hook))
assert local == [(torch.arange(4.0) + 10 * rank + 2).tolist()] * 4
state = power.PowerSGDState(None, start_powerSGD_iter=2)
grads, _ = trained(hook=(state, power.powerSGD_hook), steps=4)
told = [None, None]
dist.all_gather_object(told, grads)
assert told[0] == told[1]

try:
    trained(lambda rank, step: range(4 if step else 3), static_graph=True)
    text = ""
except RuntimeError as error:
    text = str(error)
assert "Your training graph has changed in this iteration" in text

# Ranks with different numbers of batches: rank 1 has two more.
for options in ({}, {"divide_by_initial_world_size": False}):
    model = DistributedDataParallel(Parts(lambda rank, step: range(4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    with model.join(**options):
        for _ in range(1 + 2 * rank):
            optimizer.zero_grad()
            sum(model(torch.ones(4))).backward()
            optimizer.step()
    # one step of both, two of rank 1 alone, divided by two or by one
    assert model.module.parts[0].tolist() == [-1.0 - 2 / (1 if options else 2)] * 4, options
dist.barrier()
sys.stdout.write(f"well {rank}\n")  # at once: ranks share the pipe
