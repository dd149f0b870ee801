"""Exploding gradients of a deep linear chain, clipped by norm and by value, accumulated, logged."""

import torch
from torch import nn

torch.manual_seed(2)
net = nn.Sequential(*[nn.Linear(6, 6) for _ in range(12)])
with torch.no_grad():
    for layer in net:
        layer.weight.mul_(2.5)
x, y = torch.randn(20, 6), torch.randn(20, 6)
norms = {}


def watch(name):
    return lambda grad: norms.__setitem__(name, round(grad.norm().item(), 3))


handles = [p.register_hook(watch(n)) for n, p in net.named_parameters() if "weight" in n]
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for step in range(5):
    opt.zero_grad()
    for part, target in zip(x.chunk(4), y.chunk(4)):
        (nn.functional.smooth_l1_loss(net(part), target) / 4).backward()
    total = nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0, norm_type=2)
    after = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
    opt.step()
    print(step, f"before {total:.4f} after {after:.4f}", norms["11.weight"])
handles[0].remove()
for norm_type in (1, 2.0, float("inf")):
    net.zero_grad()
    net(x).square().mean().backward()
    print(norm_type, f"{nn.utils.clip_grad_norm_(net.parameters(), 0.5, norm_type):.4g}")
    print(f"{nn.utils.get_total_norm([p.grad for p in net.parameters()], norm_type):.4f}")
nn.utils.clip_grad_value_(net.parameters(), clip_value=0.01)
print(max(p.grad.abs().max().item() for p in net.parameters()) <= 0.01)
net[0].weight.grad.fill_(float("nan"))
try:
    nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
except RuntimeError as e:
    print(e)
vector = nn.utils.parameters_to_vector(net.parameters())
nn.utils.vector_to_parameters(torch.zeros_like(vector), net.parameters())
print(vector.shape, net[3].weight.abs().sum())
