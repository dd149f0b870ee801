"""Least squares: normal equations, gradient descent and a polynomial fit of one's own Module."""

import math

import torch

torch.manual_seed(0)
x = torch.linspace(-math.pi, math.pi, 400)
y = torch.sin(x)
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
loss_fn = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for t in range(301):
    y_pred = model(xx)
    loss = loss_fn(y_pred, y)
    if t % 100 == 0:
        print(t, f"{loss.item():.1f}")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
linear_layer = model[0]
a, b, c = (f"{w:.4f}" for w in linear_layer.weight[0].tolist())
print(f"Result: y = {linear_layer.bias.item():.4f} + {a} x + {b} x^2 + {c} x^3")


class Polynomial3(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.randn(()))
        self.b = torch.nn.Parameter(torch.randn(()))
        self.c = torch.nn.Parameter(torch.randn(()))
        self.d = torch.nn.Parameter(torch.randn(()))

    def forward(self, x):
        return self.a + self.b * x + self.c * x**2 + self.d * x**3

    def string(self):
        return f"y = {self.a.item():.3f} + {self.b.item():.3f} x + {self.c.item():.3f} x^2"


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


model = Polynomial3()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for t in range(301):
    loss = (model(x) - y).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.3f}", model.string())
b = torch.full((), -1.0, requires_grad=True)
for t in range(200):
    pred = b * LegendrePolynomial3.apply(x / 4)
    loss = (pred - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        b -= 5e-4 * b.grad
        b.grad = None
print(f"{b.item():.4f}", f"{loss.item():.4f}")
design = torch.stack([torch.ones_like(x), x, x**2, x**3], dim=1)
w = torch.linalg.solve(design.T @ design, design.T @ y)
print([round(v, 4) for v in w.tolist()], f"{(design @ w - y).norm().item():.4f}")
