"""Solves u'' = -pi^2 sin(pi x), u(-1) = u(1) = 0 by a network that is told the equation alone.

Derivatives of the network by its input come from autograd and are trained through: double
backward. Raissi et al. (2019), "Physics-informed neural networks".
"""

import math

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
ends = torch.tensor([[-1.0], [1.0]])


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def loss():
    x = (2 * torch.rand(64, 1) - 1).requires_grad_()
    u = model(x)
    curvature = derivative(derivative(u, x), x)
    equation = (curvature + math.pi**2 * torch.sin(math.pi * x)).pow(2).mean()
    return equation + 100 * model(ends).pow(2).mean()


optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=150, gamma=0.5)
for step in range(1, 451):
    optimizer.zero_grad()
    value = loss()
    value.backward()
    optimizer.step()
    scheduler.step()
    if step % 75 == 0:
        print(f"step {step:3d}   loss {value.item():9.4f}   rate {scheduler.get_last_lr()[0]:.2e}")

print("    x     network   solution")
with torch.no_grad():
    for x in torch.linspace(-1, 1, 9):
        print(f"{x:6.2f} {model(x.view(1, 1)).item():10.3f} {torch.sin(math.pi * x).item():10.3f}")
