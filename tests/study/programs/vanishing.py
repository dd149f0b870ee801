import minitorch as torch
from minitorch import nn

torch.manual_seed(0)
model = nn.Sequential()
for _ in range(6):
    model.append(nn.Linear(8, 8))
    model.append(nn.Sigmoid())
unused = nn.Linear(8, 8)
x = torch.randn(16, 8)
loss = model(x).sum()
loss.backward()
