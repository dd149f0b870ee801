import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
data = TensorDataset(torch.randn(6, 2), torch.randn(6, 1))
model = nn.Linear(2, 1)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=3):
        loss = nn.functional.l1_loss(model(x), y)
        loss.backward()
    model.zero_grad()
