"""Fits a straight line to noisy points by gradient descent, with nothing but autograd."""

import torch

torch.manual_seed(0)

slope, intercept = 3.0, -1.0
x = torch.linspace(-1, 1, 50)
y = slope * x + intercept + 0.1 * torch.randn(50)

w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

for step in range(101):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        b -= 0.3 * b.grad
    w.grad = b.grad = None
    if step % 20 == 0:
        print(f"step {step:3d}   loss {loss.item():.5f}   y = {w.item():.3f} x + {b.item():.3f}")

print(f"the points came from       y = {slope:.3f} x + {intercept:.3f}")
