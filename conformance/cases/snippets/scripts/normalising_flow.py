"""RealNVP: coupling layers with exact log determinants learn two moons."""

import math

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, flip, hidden=16):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, 2))

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], dim=1), s.sum(dim=1)

    def inverse(self, y):
        a, b = y.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        b = (b - t) * torch.exp(-torch.tanh(s))
        return torch.cat([b, a] if self.flip else [a, b], dim=1)


class Flow(nn.ModuleList):
    def log_prob(self, x):
        total = torch.zeros(len(x))
        for layer in self:
            x, log_det = layer(x)
            total = total + log_det
        return total - 0.5 * (x**2).sum(dim=1) - math.log(2 * math.pi)

    def sample(self, count):
        x = torch.randn(count, 2)
        for layer in reversed(self):
            x = layer.inverse(x)
        return x


def moons(count):
    angle = math.pi * torch.rand(count)
    upper = torch.rand(count) < 0.5
    x = torch.where(upper, angle.cos(), 1 - angle.cos())
    y = torch.where(upper, angle.sin(), 0.5 - angle.sin())
    return torch.stack([x, y], 1) + 0.1 * torch.randn(count, 2)


torch.manual_seed(0)
flow = Flow(Coupling(i % 2 == 1) for i in range(4))
optimizer = torch.optim.Adamax(flow.parameters(), lr=0.02)
for step in range(101):
    loss = -flow.log_prob(moons(64)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"{step:3d} {loss.item():.4f}")
with torch.no_grad():
    z = torch.randn(5, 2)
    x = z
    for layer in flow:
        x, _ = layer(x)
    for layer in reversed(flow):
        x = layer.inverse(x)
    print((x - z).abs().max() < 1e-5, flow.sample(200).mean(0).abs() < 1)
