import torch

torch.manual_seed(1)
x, y = torch.randn(8, 3), torch.randn(8, 2)
w1 = torch.randn(3, 4, requires_grad=True)
w2 = torch.randn(4, 2, requires_grad=True)
lr = 0.1
for step in range(4):
    h = torch.relu(x @ w1)
    loss = ((h @ w2 - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for w in (w1, w2):
            w -= lr * w.grad
            w.grad = None
    print(step, round(loss.item(), 2))
