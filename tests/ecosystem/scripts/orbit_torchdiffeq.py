"""torchdiffeq: a learned field, solved forwards, with gradients by the adjoint method."""

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)


class Field(nn.Module):
    """A small network that says where a point moves."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2)).double()

    def forward(self, t, y):
        return self.net(y)


field, times = Field(), torch.linspace(0, 1, 3, dtype=torch.float64)
start = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
for solve in (odeint, odeint_adjoint):
    field.zero_grad()
    path = solve(field, start, times, method="rk4")
    path[-1].square().sum().backward()
    print([round(x, 5) for x in path[-1].flatten().tolist()])
    print([round(p.grad.norm().item(), 5) for p in field.parameters()])
