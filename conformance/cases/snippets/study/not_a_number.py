import torch

a = torch.tensor([0.0, 0.0], requires_grad=True)
b = a / a.sum()
c = torch.sqrt(a).sum() + b.sum()
c.backward()
print(a.grad.isnan().all().item())
