import torch

x = torch.randn(3, 3)
x.zero_().add_(1)
h = torch.ones(4, requires_grad=True) * 2
h[0] = 5.0
h += 1
h[1:3].mul_(2)
out = torch.empty(4)
torch.add(torch.ones(4), 1, out=out)
h.sum().backward()
