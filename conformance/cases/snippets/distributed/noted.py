# ranks: 2 3
"""What DistributedDataParallel notes of itself, and how it lays gradients into buckets."""

import contextlib
import io
import random

import torch
import torch.distributed as dist
from meeting import RANK, meet
from torch import nn
from torch.distributed.utils import _sync_module_states
from torch.nn.parallel import DistributedDataParallel as Parallel
from torch.nn.parallel.distributed import _dump_DDP_relevant_env_vars

meet()


class Three(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 2), nn.Linear(2, 2).double(), nn.Linear(2, 1)
        self.unused = nn.Linear(3, 3)

    def forward(self, x):
        return self.c(self.b(self.a(x).double()).float())


def noted(title, module):
    data = module._get_ddp_logging_data()
    print(title, {k: data[k] for k in sorted(data) if "time" not in k and "master" not in k})
    print(title, sorted(k for k in data if "time" in k))


def trained(title, module, x, iterations):
    for number in range(iterations):
        try:
            module(x).sum().backward()
        except RuntimeError as error:
            print(title, number, type(error).__name__, str(error)[:80])
        noted(f"{title}, {number}", module)


x = torch.arange(6.0).reshape(2, 3) + RANK
trained("unused", Parallel(Three(), find_unused_parameters=True), x, 3)
trained("static", Parallel(Three(), static_graph=True), x, 3)
for static in (False, True):
    skipping = Parallel(
        Three(),
        find_unused_parameters=not static,
        static_graph=static,
        bucket_cap_mb=0.00001,
        skip_all_reduce_unused_params=True,
    )
    trained(f"skipped, {static}", skipping, x, 4)
    print([each.grad is None for each in skipping.parameters()])
trained("not told", Parallel(Three()), x, 2)
pair = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
trained("small buckets", Parallel(pair, bucket_cap_mb=0.00001), x, 3)
for dtype in (torch.float16, torch.bfloat16, torch.float64):
    print(Parallel(nn.Linear(2, 2).to(dtype))._get_ddp_logging_data()["dtypes"])


def hook(state, bucket):
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


hooked = Parallel(nn.Linear(3, 2), gradient_as_bucket_view=True)
hooked.register_comm_hook(None, hook)
hooked._set_ddp_runtime_logging_sample_rate(4)
trained("hook", hooked, x, 13)
for refused in (
    lambda: hooked._set_ddp_runtime_logging_sample_rate(0),
    lambda: hooked.register_comm_hook(None, 3),
    lambda: hooked._build_debug_param_to_name_mapping([]),
):
    try:
        refused()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)
    noted("refused", hooked)
print(hooked._build_params_for_reducer()[1])
print(hooked._build_debug_param_to_name_mapping(list(hooked.parameters())))

# ---- two forward passes in each iteration of a static graph

torch.manual_seed(RANK)
twice = Parallel(nn.Sequential(nn.Linear(3, 2), nn.ReLU()), static_graph=True)
for _ in range(3):
    twice.zero_grad()
    (twice(x).sum() + twice(2 * x).sum()).backward()
    print([each.grad.sum().item() for each in twice.parameters()])
    print(twice.reducer._ddp_graph_static())

# ---- states, and names that are left out

state = nn.Linear(2, 1)
Parallel._set_params_and_buffers_to_ignore_for_model(state, ["bias"])
print([name for name, _ in Parallel._get_data_parallel_params(state, named_params=True)])
before = state.bias.item()
_sync_module_states(state, dist.group.WORLD, Parallel(state).broadcast_bucket_size, 1, ["bias"])
print(state.weight.tolist(), state.bias.item() == before)

# ---- buckets

draw = random.Random(1)
for number in range(60):
    kinds = [draw.choice([torch.float32, torch.float64]) for _ in range(draw.randint(1, 9))]
    tensors = [torch.ones(draw.randint(1, 30), dtype=kind) for kind in kinds]
    limits = [draw.randint(0, 200) for _ in range(draw.randint(1, 3))]
    sparse = [draw.random() < 0.2 for _ in tensors] if number % 3 == 0 else []
    order = draw.sample(range(len(tensors)), len(tensors)) if number % 4 == 1 else []
    print(dist._compute_bucket_assignment_by_size(tensors, limits, sparse, order))
try:
    dist._compute_bucket_assignment_by_size([torch.ones(2).to_sparse()], [4], logger=hooked.logger)
except RuntimeError as error:
    print(error)
noted("sparse", hooked)

# ---- gradients that are undefined

y = torch.ones(3, requires_grad=True)
copied = torch._C._functions.UndefinedGrad()(y * 2)
print(copied)
copied.sum().backward()
print(y.grad)
dist.barrier()

shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    _dump_DDP_relevant_env_vars()
print([line for line in shown.getvalue().split("\n") if "MASTER" not in line])
