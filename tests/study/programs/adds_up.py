import minitorch as torch
from minitorch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(4, 3)
for _ in range(3):
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
