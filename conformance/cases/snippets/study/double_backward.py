import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
penalty = (g * g).sum()
penalty.backward()
(h,) = torch.autograd.grad((x * x).sum(), [x])
print(x.grad.tolist(), h.tolist())
