"""LBFGS fits a damped oscillation, and finds the valley of Rosenbrock's function."""

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
t = torch.linspace(0, 6, 60)
truth = torch.tensor([2.0, 0.5, 3.0, 0.3])


def curve(p):
    return p[0] * torch.exp(-p[1] * t) * torch.cos(p[2] * t + p[3])


y = curve(truth) + 0.02 * torch.randn_like(t)
p = torch.tensor([1.0, 0.3, 2.8, 0.0], requires_grad=True)
optimizer = torch.optim.LBFGS([p], lr=1, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = (curve(p) - y).square().sum()
    loss.backward()
    return loss


for step in range(4):
    loss = optimizer.step(closure)
    print(step, f"{loss.item():.5f}", [round(v, 4) for v in p.tolist()])
print(torch.allclose(p, truth, atol=0.05), optimizer.state[p]["n_iter"])

xy = torch.tensor([-1.5, 2.0], requires_grad=True)


def rosenbrock(v):
    return (1 - v[0]) ** 2 + 100 * (v[1] - v[0] ** 2) ** 2


optimizer = torch.optim.LBFGS([xy], lr=0.5, history_size=5, max_iter=8)
for step in range(8):

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(xy)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    if step % 2:
        print(f"{loss.item():.4f}", [f"{v:.3f}" for v in xy.tolist()], f"{xy.grad.norm():.3f}")
print(torch.autograd.functional.hessian(rosenbrock, torch.ones(2)))
