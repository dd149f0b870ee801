import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(7, 4)
        self.read = nn.Linear(4, 1)

    def forward(self, xs):
        h = torch.zeros(2, 4)
        for x in xs:
            h = torch.tanh(self.cell(torch.cat([x, h], dim=1)))
        return self.read(h)


torch.manual_seed(2)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
xs = [torch.randn(2, 3) for _ in range(5)]
for epoch in range(2):
    loss = net(xs).pow(2).sum()
    net.zero_grad()
    loss.backward()
    optimizer.step()
