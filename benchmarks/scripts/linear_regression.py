"""Linear regression: 100 steps of SGD."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(100, 1)
y = 3 * x - 1 + 0.1 * torch.randn(100, 1)

model = nn.Linear(1, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(100):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
