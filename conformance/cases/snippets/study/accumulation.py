import torch

w = torch.tensor([3.0], requires_grad=True)
for x in (1.0, 2.0, 4.0):
    loss = (w * x - 1).square().sum()
    loss.backward()
print(w.grad)
w.grad.zero_()
optimizer = torch.optim.SGD([w], lr=0.1)
(w * 2).sum().backward()
optimizer.step()
optimizer.zero_grad(set_to_none=False)
optimizer.zero_grad()
