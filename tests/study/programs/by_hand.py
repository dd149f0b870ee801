import minitorch as torch

torch.manual_seed(1)
x = torch.randn(5, 3)
y = torch.randn(5, 1)
w1 = torch.randn(3, 4, requires_grad=True)
b1 = torch.zeros(4, requires_grad=True)
w2 = torch.randn(4, 1, requires_grad=True)

for step in range(2):
    h = torch.relu(x @ w1 + b1)
    pred = h @ w2
    loss = ((pred - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w1, b1, w2):
            p -= 0.1 * p.grad
            p.grad = None
    print(step, loss.item())
