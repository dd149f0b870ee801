"""Quantile regression: the pinball loss gives the edges of a noisy band."""

import torch
from torch import nn

torch.manual_seed(9)
quantiles = torch.tensor([0.1, 0.5, 0.9])
x = torch.linspace(-2, 2, 200).unsqueeze(1)
y = x.sin() + (0.1 + 0.3 * x.abs()) * torch.randn_like(x)


def pinball(prediction, target):
    error = target - prediction
    return torch.maximum(quantiles * error, (quantiles - 1) * error).mean()


model = nn.Sequential(nn.Linear(1, 24), nn.Softplus(), nn.Linear(24, 3))
optimizer = torch.optim.RAdam(model.parameters(), lr=0.03)
for step in range(201):
    loss = pinball(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d} loss {loss.item():.4f}")
with torch.no_grad():
    covered = (y <= model(x)).float().mean(0)
print("covered", [round(c, 2) for c in covered.tolist()])
print(torch.quantile(y.squeeze(), quantiles.double().float()))
print(y.median(), y.squeeze().kthvalue(20).values, torch.cummax(y.squeeze()[:5], 0).indices)
