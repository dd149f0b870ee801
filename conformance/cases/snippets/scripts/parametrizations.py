"""Weights that are computed from others: parametrizations one's own and torch's, and pruning."""

import torch
import torch.nn.utils.parametrizations as ready
import torch.nn.utils.parametrize as parametrize
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)


class Symmetric(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.triu() + x.triu(1).transpose(-1, -2)

    def right_inverse(self, a: torch.Tensor) -> torch.Tensor:
        return a.triu()


class MatrixExponential(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.matrix_exp(x)


class Skew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = x.triu(1)
        return a - a.transpose(-1, -2)


class Cayley(nn.Module):
    def __init__(self, n: int) -> None:
        super().__init__()
        self.register_buffer("identity", torch.eye(n))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.solve(self.identity + x, self.identity - x)


class Narrow(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:1]


layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer)
print(torch.allclose(layer.weight, layer.weight.T), type(layer).__name__)
print(sorted(name for name, _ in layer.named_parameters()))
print(layer.parametrizations.weight.original)
given = torch.rand(3, 3)
given = given + given.T
layer.weight = given
print(torch.equal(layer.weight, given), parametrize.is_parametrized(layer, "bias"))

orthogonal = nn.Linear(3, 3)
parametrize.register_parametrization(orthogonal, "weight", Skew())
parametrize.register_parametrization(orthogonal, "weight", Cayley(3))
x = orthogonal.weight
print(torch.dist(x.T @ x, torch.eye(3)) < 1e-5, x.grad_fn.name())
orthogonal(torch.ones(2, 3)).pow(2).sum().backward()
print(orthogonal.parametrizations.weight.original.grad)
print(list(orthogonal.state_dict()))

cnn = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 3))
calls = []


class Counted(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        calls.append(tuple(x.shape))
        return x * 0.5


for part in cnn.children():
    if isinstance(part, nn.Conv2d):
        parametrize.register_parametrization(part, "weight", Counted())
calls.clear()
with parametrize.cached():
    cnn(torch.rand(1, 1, 8, 8))
    cnn(torch.rand(1, 1, 8, 8))
print("cached:", calls)
cnn(torch.rand(1, 1, 8, 8))
print("after:", len(calls))
parametrize.remove_parametrizations(cnn[0], "weight", leave_parametrized=False)
print(cnn)

for register in (ready.weight_norm, ready.spectral_norm, ready.orthogonal):
    made = register(nn.Linear(4, 3))
    made(torch.ones(1, 4)).sum().backward()
    print(made, [f"{n}: {tuple(p.shape)}" for n, p in made.named_parameters()])
    print(f"{torch.linalg.matrix_norm(made.weight, 2).item():.4f}")
try:
    parametrize.register_parametrization(nn.Linear(3, 3), "weight", Narrow())
except ValueError as error:
    print(error)

net = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2))
first = net[0]
prune.random_unstructured(first, name="weight", amount=0.3)
print(list(first._forward_pre_hooks.values())[0].__class__.__name__, first.weight_mask.sum())
prune.l1_unstructured(first, name="bias", amount=3)
print(first.bias, list(first.named_buffers())[-1])
prune.ln_structured(first, name="weight", amount=0.5, n=2, dim=0)
print(
    first.weight_mask.sum(1),
    first._forward_pre_hooks[0]
    if 0 in first._forward_pre_hooks
    else [type(h).__name__ for h in first._forward_pre_hooks.values()],
)
print(list(net.state_dict()))
prune.remove(first, "weight")
print(sorted(name for name, _ in first.named_parameters()), prune.is_pruned(net))
prune.global_unstructured(
    [(net[0], "weight"), (net[2], "weight")], pruning_method=prune.L1Unstructured, amount=0.2
)
for part in (net[0], net[2]):
    print(f"sparsity {100.0 * float(torch.sum(part.weight == 0)) / part.weight.nelement():.2f}%")


class EveryOther(prune.BasePruningMethod):
    """Prunes every other entry."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: torch.Tensor, default_mask: torch.Tensor) -> torch.Tensor:
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


EveryOther.apply(net[2], "bias")
print(net[2].bias_mask, net(torch.ones(1, 6)))
