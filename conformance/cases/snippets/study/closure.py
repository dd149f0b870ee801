import torch

p = torch.tensor([1.5, -0.5], requires_grad=True)
optimizer = torch.optim.LBFGS([p], lr=0.5, max_iter=3)


def closure():
    optimizer.zero_grad()
    loss = ((p - 1) ** 2).sum() + p.prod() ** 2
    loss.backward()
    return loss


for _ in range(2):
    optimizer.step(closure)
