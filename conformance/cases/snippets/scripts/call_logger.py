"""A logger of calls: a function mode is the only class of the program that takes calls over."""

from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode


class Calls(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = Counter()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names[resolve_name(func) or func.__name__] += 1
        return func(*args, **(kwargs or {}))


class Kernels(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names[str(func)] += 1
        return func(*args, **(kwargs or {}))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
x, target = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])

with Calls() as calls:
    loss = F.cross_entropy(model(x), target)
    print(f"{loss.item():.4f}", loss.shape, loss.requires_grad)
    loss.backward()
    y = (x + 1).exp().mean(0)[1:] @ torch.eye(3)
    y.clamp_(max=2).sum()
for name, count in calls.names.items():
    print(f"{count} {name}")

with torch.no_grad(), Kernels() as kernels:
    F.cross_entropy(model(x), target)
for name, count in sorted(kernels.names.items()):
    print(f"{count} {name}")

before = sum(calls.names.values())
torch.add(x, 1)
print(sum(calls.names.values()) == before)
