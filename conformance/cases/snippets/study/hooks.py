import torch

seen = []
a = torch.tensor([1.0, -2.0], requires_grad=True)
b = a * 3
b.register_hook(lambda grad: seen.append(grad * 2))
b.retain_grad()
a.register_hook(lambda grad: grad + 1)
c = torch.relu(b).sum()
c.backward()
print(b.grad.tolist(), a.grad.tolist(), len(seen))
