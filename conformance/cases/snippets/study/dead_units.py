import torch
from torch import nn

torch.manual_seed(9)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 6)
        self.unused = nn.Linear(2, 2)
        self.out = nn.Linear(6, 1)
        self.scale = nn.Parameter(torch.ones(1))
        with torch.no_grad():
            self.hidden.bias[0] = -100.0

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x))) * self.scale


net = Net()
loss = net(torch.randn(4, 2)).abs().sum() + 0 * net.scale.sum()
loss.backward()
print([name for name, p in net.named_parameters() if p.grad is None])
