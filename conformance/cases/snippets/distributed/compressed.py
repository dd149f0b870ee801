# ranks: 2 3
"""PowerSGD with its options, and hooks that quantize: sums of gradients; and stores' own writes."""

import torch
import torch.distributed as dist
from meeting import RANK, meet, show
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook, quantization_hooks
from torch.nn.parallel import DistributedDataParallel

meet()
MODELS = {
    "layers": lambda: torch.nn.Sequential(
        torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)
    ),
    "images": lambda: torch.nn.Sequential(
        torch.nn.Conv2d(2, 3, 3), torch.nn.Flatten(), torch.nn.Linear(12, 5)
    ),
    "alike": lambda: torch.nn.Sequential(
        *[layer for _ in range(3) for layer in (torch.nn.Linear(24, 24), torch.nn.Tanh())]
    ),
}
INPUTS = {"layers": (5, 6), "images": (3, 2, 4, 4), "alike": (9, 24)}


def trained(kind, hook, state=None, steps=4):
    torch.manual_seed(0)
    model = DistributedDataParallel(MODELS[kind]())
    model.register_comm_hook(state, hook)
    torch.manual_seed(100 + RANK)
    sums = []
    for _ in range(steps):
        model.zero_grad()
        model(torch.randn(INPUTS[kind])).pow(2).mean().backward()
        sums.append(sum(each.grad.double().abs().sum().item() for each in model.parameters()))
    return " ".join(f"{each:.3f}" for each in sums)


def power(kind, rank, **options):
    state = powerSGD_hook.PowerSGDState(None, rank, start_powerSGD_iter=2, **options)
    return trained(kind, powerSGD_hook.powerSGD_hook, state), state.compression_stats()


OPTIONS = [
    {},
    {"min_compression_rate": 0.5},
    {"min_compression_rate": 0.5, "use_error_feedback": False, "warm_start": False},
    {"min_compression_rate": 1, "orthogonalization_epsilon": 1e-6, "random_seed": 3},
    {"min_compression_rate": 1, "batch_tensors_with_same_shape": True},
]
for kind in MODELS:
    for rank in (1, 2):
        for options in OPTIONS:
            show((kind, rank, *options), lambda: power(kind, rank, **options))
for hook in ("quantization_pertensor_hook", "quantization_perchannel_hook"):
    try:
        trained("layers", getattr(quantization_hooks, hook))
    except RuntimeError as error:
        print(hook, str(error).splitlines()[0])
    dist.barrier()

store = dist.HashStore()
show("more values", lambda: store.multi_set(["a"], ["1", "2"]))
show("values", lambda: store.get("a"))
tcp = dist.TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
for label, each in {"tcp": tcp, "prefix": dist.PrefixStore("p", tcp)}.items():
    show(f"{label}, more values", lambda: each.multi_set(["a"], ["1", "2"]))
show("split", lambda: dist.split_group(None, [[0], [1]]))
show("split into none", dist.split_group)
show(
    "limits", lambda: (dist.default_pg_timeout, dist.distributed_c10d._get_default_timeout("gloo"))
)
