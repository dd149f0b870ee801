"""Data without labels: k-means, principal components by power iteration and SVD, a mixture by EM."""

import math

import torch

torch.manual_seed(7)
centres = torch.tensor([[4.0, 0.0, 1.0], [-3.0, 3.0, 0.0], [0.0, -4.0, -2.0]])
points = torch.cat([c + torch.randn(30, 3) * s for c, s in zip(centres, (0.6, 0.9, 0.4))])
truth = torch.arange(3).repeat_interleave(30)
order = torch.randperm(len(points))
points, truth = points[order], truth[order]


def kmeans(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    chosen = [torch.randint(len(x), ()).item()]
    for _ in range(k - 1):
        nearest = torch.cdist(x, x[chosen]).amin(1).square()
        chosen.append(torch.multinomial(nearest / nearest.sum(), 1).item())
    means = x[chosen].clone()
    for round in range(20):
        labels = torch.cdist(x, means).argmin(dim=1)
        sums = torch.zeros_like(means).index_add_(0, labels, x)
        counts = torch.bincount(labels, minlength=k)
        fresh = sums / counts.clamp(min=1).unsqueeze(1)
        moved = (fresh - means).norm(dim=1).max()
        means = fresh
        print(f"round {round}: moved {moved:.4f}, sizes {counts.tolist()}")
        if moved < 1e-4:
            break
    return means, labels


means, labels = kmeans(points, 3)
print(means)
table = torch.zeros(3, 3, dtype=torch.long)
table.index_put_((truth, labels), torch.ones_like(truth), accumulate=True)
print(table, torch.unique(labels, return_counts=True))
inertia = torch.zeros(3).scatter_reduce(0, labels, (points - means[labels]).square().sum(1), "mean")
print(inertia)
silhouette = []
distances = torch.cdist(points, points)
for i, own in enumerate(labels):
    inside = distances[i][labels == own].sum() / ((labels == own).sum() - 1)
    outside = torch.stack([distances[i][labels == k].mean() for k in range(3) if k != own]).min()
    silhouette.append((outside - inside) / torch.maximum(inside, outside))
print(f"silhouette {torch.stack(silhouette).mean():.4f}")

centred = points - points.mean(0)
covariance = torch.cov(points.T)
print(covariance, torch.corrcoef(points.T)[0, 1])
remaining, found = covariance.clone(), []
for _ in range(3):
    v = torch.ones(3) / math.sqrt(3)
    for step in range(200):
        w = remaining @ v
        w /= torch.linalg.vector_norm(w)
        if torch.dist(v, w) < 1e-6:
            break
        v = w
    value = torch.vdot(w, remaining @ w)
    found.append(value)
    remaining = remaining - value * torch.outer(w, w)
print(torch.stack(found), torch.linalg.eigvalsh(covariance).flip(0))
U, S, Vh = torch.linalg.svd(centred, full_matrices=False)
print(S, (S**2 / (len(points) - 1)), (S**2).cumsum(0) / (S**2).sum())
scores = centred @ Vh[:2].mH
print(scores.std(0), torch.quantile(scores[:, 0].abs(), torch.tensor([0.25, 0.5, 0.9])))
whitened = centred @ torch.linalg.inv(torch.linalg.cholesky(covariance)).T
print(torch.allclose(torch.cov(whitened.T), torch.eye(3), atol=1e-5))

weights, spread = torch.full((3,), 1 / 3), torch.ones(3)
mixture = means + 0.5
for step in range(8):
    squared = torch.cdist(points, mixture).square()
    log_p = weights.log() - 1.5 * spread.log() - squared / (2 * spread)
    total = torch.logsumexp(log_p, dim=1, keepdim=True)
    shares = (log_p - total).exp()
    mass = shares.sum(0)
    mixture = torch.einsum("nk,nd->kd", shares, points) / mass[:, None]
    spread = (shares * torch.cdist(points, mixture).square()).sum(0) / (3 * mass)
    weights = mass / len(points)
    print(f"step {step}: log-likelihood {total.mean().item():.4f}")
print(weights, spread.sqrt())
normal = torch.distributions.Normal(mixture[0], spread[0].sqrt())
print(normal.log_prob(points[:2]).sum(-1), normal.cdf(mixture[0]), normal.entropy())
