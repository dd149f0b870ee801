import minitorch as torch
from minitorch import nn

torch.manual_seed(0)
x = torch.randn(4, 3)
a, b, c, d, e, f = (nn.Linear(3, 3) for _ in range(6))
h = a(x)
g = b(x).detach() + h
with torch.no_grad():
    k = c(x)
m = d(x).argmax(1).float().unsqueeze(1)
n = e(x).data
p = torch.tensor(f(x).tolist())
loss = (g * k * m + n + p).sum()
loss.backward()
