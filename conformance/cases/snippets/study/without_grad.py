import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    frozen = a * 2
cut = (a * 3).detach()
data = a.data * 5
out = (frozen + cut + data * a).sum()
out.backward()
b = a.clone().requires_grad_()
with torch.inference_mode():
    c = b + 1
print(out.item(), c.tolist())
