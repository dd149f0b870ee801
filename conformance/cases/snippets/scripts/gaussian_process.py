"""Gaussian process regression: marginal likelihood by Cholesky, its hyperparameters by Adam."""

import math

import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
X = torch.linspace(0, 1, 25).unsqueeze(1)
y = torch.sin(2 * math.pi * X.squeeze()) + 0.1 * torch.randn(25)
raw = torch.zeros(3, requires_grad=True)


def kernel(a, b, lengthscale, outputscale):
    distance = torch.cdist(a / lengthscale, b / lengthscale)
    return outputscale * torch.exp(-0.5 * distance.pow(2))


def negative_log_likelihood():
    lengthscale, outputscale, noise = torch.nn.functional.softplus(raw)
    K = kernel(X, X, lengthscale, outputscale) + noise * torch.eye(len(X))
    L = torch.linalg.cholesky(K)
    alpha = torch.cholesky_solve(y.unsqueeze(1), L)
    fit = 0.5 * (y @ alpha).squeeze() + L.diagonal().log().sum()
    return fit + 0.5 * len(X) * math.log(2 * math.pi), L, alpha


optimizer = torch.optim.Adam([raw], lr=0.1)
for i in range(60):
    optimizer.zero_grad()
    loss, L, alpha = negative_log_likelihood()
    loss.backward()
    optimizer.step()
    if i % 10 == 0:
        l, s, n = torch.nn.functional.softplus(raw).tolist()
        print(f"Iter {i:2d} - Loss: {loss.item():7.3f} scale {l:.3f} out {s:.3f} noise {n:.4f}")

with torch.no_grad():
    loss, L, alpha = negative_log_likelihood()
    lengthscale, outputscale, noise = torch.nn.functional.softplus(raw)
    test = torch.linspace(-0.2, 1.2, 8).unsqueeze(1)
    Ks = kernel(X, test, lengthscale, outputscale)
    mean = (Ks.T @ alpha).squeeze()
    v = torch.linalg.solve_triangular(L, Ks, upper=False)
    variance = outputscale - (v * v).sum(0)
    for point, m, s in zip(test.squeeze(), mean, variance.sqrt()):
        print(f"{point:6.2f} {m:8.4f} +- {2 * s:.4f}")
    joint = kernel(test, test, lengthscale, outputscale) - v.T @ v
    print(torch.linalg.slogdet(joint + 1e-6 * torch.eye(8)).sign)
