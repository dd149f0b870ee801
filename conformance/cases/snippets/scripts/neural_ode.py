"""A neural ordinary differential equation: Runge-Kutta steps, and the adjoint method by Function."""

import torch
import torch.nn as nn


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def odeint(f, y0, t):
    ys = [y0]
    for t0, t1 in zip(t[:-1], t[1:]):
        ys.append(rk4_step(f, t0, ys[-1], t1 - t0))
    return torch.stack(ys)


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, y0, t, *params):
        ctx.f = f
        with torch.no_grad():
            ys = odeint(f, y0, t)
        ctx.save_for_backward(ys, t, *params)
        return ys

    @staticmethod
    def backward(ctx, grad):
        ys, t, *params = ctx.saved_tensors
        adjoint = torch.zeros_like(grad[-1])
        sums = [torch.zeros_like(p) for p in params]
        for i in range(len(t) - 1, 0, -1):
            adjoint = adjoint + grad[i]
            with torch.enable_grad():
                y = ys[i - 1].detach().requires_grad_()
                out = rk4_step(ctx.f, t[i - 1], y, t[i] - t[i - 1])
                adjoint, *gs = torch.autograd.grad(out, (y, *params), adjoint)
            sums = [s + g for s, g in zip(sums, gs)]
        return None, adjoint + grad[0], None, *sums


torch.manual_seed(0)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
t = torch.linspace(0, 3, 25)
y0 = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    truth = odeint(lambda t, y: torch.mm(y**3, A), y0, t)
func = ODEFunc()
exact = odeint(func, y0, t)
(exact**2).sum().backward()
direct = [p.grad.clone() for p in func.parameters()]
func.zero_grad()
(Adjoint.apply(func, y0, t, *func.parameters()) ** 2).sum().backward()
for p, d in zip(func.parameters(), direct):
    print(torch.allclose(p.grad, d, atol=1e-4))
optimizer = torch.optim.RMSprop(func.parameters(), lr=5e-3)
for i in range(1, 31):
    optimizer.zero_grad()
    pred = Adjoint.apply(func, y0, t, *func.parameters())
    loss = torch.mean(torch.abs(pred - truth))
    loss.backward()
    optimizer.step()
    if i % 10 == 0:
        print("Iter {:04d} | Total Loss {:.4f}".format(i, loss.item()))
