# ranks: 2 3
"""DistributedDataParallel with its options and hooks: bits of gradients, buffers and parameters."""

import numpy
import torch
import torch.distributed as dist
from meeting import RANK, digest, meet, show
from torch.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks
from torch.nn.parallel import DistributedDataParallel

meet()
SIZES = [*(int(n) for n in numpy.random.default_rng(0).integers(1, 60_000, 8)), 1, 7, (40, 50)]


class Parts(torch.nn.Module):
    """Sums of parameters times data, which makes local gradients exact."""

    def __init__(self, dtypes, skips):
        super().__init__()
        made = [torch.zeros(size, dtype=dtype) for size, dtype in zip(SIZES, dtypes)]
        self.parts = torch.nn.ParameterList([torch.nn.Parameter(each) for each in made])
        self.register_buffer("seen", torch.full((3,), float(RANK)))
        self.register_buffer("count", torch.tensor(RANK))
        self.skips, self.step = skips, -1

    def forward(self, data):
        self.step += 1
        self.seen += 1
        self.count += RANK + 1
        used = [i for i in range(len(SIZES)) if not self.skips(i, self.step)]
        return [(self.parts[i] * data[i]).sum() for i in used]


def data_of(step, dtypes):
    draw = numpy.random.default_rng(step * 100 + RANK)
    return [
        torch.from_numpy(draw.standard_normal(size).astype(numpy.float32)).to(dtype)
        for size, dtype in zip(SIZES, dtypes)
    ]


def total(parts):
    return sum(part.double() for part in parts)


def trained(dtypes=None, skips=lambda i, step: False, hook=None, outputs=None, **options):
    """A digest of all gradients of five steps, and of what the module has then."""
    keep, alone = options.pop("keep", False), options.pop("alone", False)
    dtypes = dtypes or [torch.float32] * len(SIZES)
    model = DistributedDataParallel(Parts(dtypes, skips), **options)
    if hook:
        model.register_comm_hook(None, hook)
    optimizer, seen = torch.optim.SGD(model.parameters(), lr=0.125), []
    for step in range(5):
        data = data_of(step, dtypes)
        optimizer.zero_grad(set_to_none=not keep)
        if alone:
            with model.no_sync():
                total(model(data)).backward()
        total(model(data)[:outputs]).backward()
        seen += [each.grad.clone() for each in model.parameters() if each.grad is not None]
        optimizer.step()
    return digest([*seen, *model.parameters(), *model.buffers()]), len(seen)


def joined(**options):
    """What ranks with three batches, and two more for each rank above the first, come to."""
    model = DistributedDataParallel(Parts([torch.float32] * len(SIZES), lambda i, step: False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.125)
    with model.join(**options):
        for step in range(3 + 2 * RANK):
            optimizer.zero_grad()
            total(model(data_of(step, [torch.float32] * len(SIZES)))).backward()
            optimizer.step()
    return digest([*model.parameters(), *model.buffers()])


mixed = [torch.float64 if i % 3 == 0 else torch.float32 for i in range(len(SIZES))]
few = lambda i, step: i in (2, 5)
turning = lambda i, step: (i + RANK + step) % 3 == 0
find = {"find_unused_parameters": True}
CASES = {
    "plain": lambda: trained(),
    "small buckets": lambda: trained(bucket_cap_mb=0.1),
    "listed buckets": lambda: trained(bucket_cap_mb_list=[0.02, 0.1, 1]),
    "dtypes": lambda: trained(mixed),
    "float16": lambda: trained([torch.float16] * len(SIZES)),
    "views": lambda: trained(gradient_as_bucket_view=True),
    "kept views": lambda: trained(gradient_as_bucket_view=True, keep=True, bucket_cap_mb=0.1),
    "unused": lambda: trained(skips=few, **find),
    "turning": lambda: trained(skips=turning, bucket_cap_mb=0.1, **find),
    "turning views": lambda: trained(
        skips=turning, gradient_as_bucket_view=True, keep=True, **find
    ),
    "outputs": lambda: trained(outputs=4, **find),
    "alone": lambda: trained(alone=True),
    "alone, turning": lambda: trained(alone=True, skips=turning, **find),
    "static": lambda: trained(static_graph=True),
    "static, unused": lambda: trained(static_graph=True, skips=few, bucket_cap_mb=0.1),
    "hook": lambda: trained(hook=default_hooks.allreduce_hook),
    "fp16": lambda: trained(hook=default_hooks.fp16_compress_hook),
    "bf16": lambda: trained(hook=default_hooks.bf16_compress_hook),
    "fp16, wrapped": lambda: trained(
        hook=default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook)
    ),
    "nothing": lambda: trained(hook=debugging_hooks.noop_hook),
    "buffers": lambda: trained(forward_sync_buffers=False),
    "older buffers": lambda: trained(broadcast_buffers=False),
    "join": joined,
    "join, fewer": lambda: joined(divide_by_initial_world_size=False),
    "join, ends": lambda: joined(throw_on_early_termination=True),
    "devices": lambda: trained(device_ids=[0]),
    "delayed": lambda: trained(delay_all_reduce_named_params=[]),
    "no parameters": lambda: DistributedDataParallel(torch.nn.ReLU()),
    "batch norm": lambda: DistributedDataParallel(torch.nn.SyncBatchNorm(2)),
    "hook again": lambda: [
        (model.register_comm_hook(None, debugging_hooks.noop_hook), None)
        for model in [DistributedDataParallel(torch.nn.Linear(2, 2))]
        for _ in range(2)
    ],
    "no hook": lambda: DistributedDataParallel(torch.nn.Linear(2, 2)).register_comm_hook(None, 3),
    "unused error": lambda: trained(skips=few),
    "outputs error": lambda: trained(outputs=4),
    "static error": lambda: trained(static_graph=True, skips=lambda i, step: i == 2 and step),
}
for label, function in CASES.items():
    show(label, function)
    dist.barrier()
