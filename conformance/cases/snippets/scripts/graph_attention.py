"""Attention over the edges of a graph: scatter, index_add and index_put."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)
        self.direction = nn.Parameter(torch.randn(2 * outputs))

    def forward(self, x, edges):
        source, target = edges
        h = self.linear(x)
        score = F.leaky_relu(torch.cat([h[source], h[target]], 1) @ self.direction, 0.2)
        largest = torch.full((len(x),), -torch.inf).scatter_reduce(0, target, score, "amax")
        weight = (score - largest[target]).exp()
        total = torch.zeros(len(x)).index_add(0, target, weight)
        share = weight / total[target]
        out = torch.zeros(len(x), h.size(1))
        return out.index_put((target,), share[:, None] * h[source], accumulate=True), share


edges = torch.tensor([[0, 1, 2, 3, 0, 2, 4], [1, 2, 3, 0, 2, 4, 4]])
x, labels = torch.eye(5), torch.tensor([0, 1, 0, 1, 1])
first, second = Attention(5, 4), Attention(4, 2)
parameters = [*first.parameters(), *second.parameters()]
optimizer = torch.optim.NAdam(parameters, 0.05, weight_decay=0.01, decoupled_weight_decay=True)
for step in range(6):
    out, share = second(first(x, edges)[0].relu(), edges)
    loss = F.cross_entropy(out, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.4f} shares {share.sum().item():.3f}")
adjacency = torch.zeros(5, 5)
adjacency[edges[0], edges[1]] = 1
laplacian = torch.diag(adjacency.sum(1)) - adjacency
print(laplacian, torch.linalg.matrix_power(adjacency, 3).long())
print(torch.triu(adjacency, 1).nonzero().T, adjacency.nonzero(as_tuple=True)[0].bincount())
for wrong in (
    lambda: torch.zeros(3).scatter_add_(0, torch.tensor([5]), torch.ones(1)),
    lambda: torch.zeros(3).index_add_(0, torch.tensor([0, 1]), torch.ones(3)),
    lambda: torch.zeros(3).scatter_reduce(0, torch.tensor([0]), torch.ones(1), "middle"),
    lambda: adjacency[torch.ones(4).bool()],
):
    try:
        wrong()
    except (RuntimeError, IndexError) as error:
        print(type(error).__name__, error)
