import torch

x, y, z = [torch.tensor(v, requires_grad=True) for v in (2.0, -3.0, 0.5)]
s = x * y
t = torch.sin(s) + z**2
u = t * s + torch.exp(z) / (1 + s * s)
u.backward()
print(x.grad.item(), y.grad.item(), z.grad.item())
w2 = x * y * x
w2.backward()
