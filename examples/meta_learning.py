"""MAML: learns where to start, so that a few gradient steps fit any sine wave.

The inner steps stay in the graph (`create_graph=True`), so the outer loss is differentiated
through them: a gradient of gradients. Finn et al. (2017), "Model-Agnostic Meta-Learning".
"""

import itertools
import math

import torch
import torch.nn.functional as F

SIZES = (1, 32, 32, 1)


def network(x, weights):
    for w, b in zip(weights[:-2:2], weights[1:-2:2]):
        x = F.relu(F.linear(x, w, b))
    return F.linear(x, weights[-2], weights[-1])


def task():
    """Draws a sine wave; returns what samples its points."""
    amplitude, phase = torch.rand(2) * torch.tensor([1.5, math.pi]) + torch.tensor([0.5, 0.0])

    def sample(count):
        x = torch.rand(count, 1) * 10 - 5
        return x, amplitude * torch.sin(x + phase)

    return sample


def adapted(weights, x, y, steps, create_graph):
    """Returns the weights after some gradient steps on the points of one task."""
    for _ in range(steps):
        loss = F.mse_loss(network(x, weights), y)
        gradients = torch.autograd.grad(loss, weights, create_graph=create_graph)
        weights = [w - 0.1 * g for w, g in zip(weights, gradients)]
    return weights


def error(weights, steps, tasks=20):
    """The mean loss on new tasks after some steps on ten points of each."""
    total = 0.0
    for _ in range(tasks):
        sample = task()
        fitted = adapted(weights, *sample(10), steps, create_graph=False)
        x, y = sample(50)
        total += F.mse_loss(network(x, fitted), y).item() / tasks
    return total


torch.manual_seed(3)
weights = []
for inputs, outputs in itertools.pairwise(SIZES):
    bound = 1 / math.sqrt(inputs)
    weights.append(torch.empty(outputs, inputs).uniform_(-bound, bound).requires_grad_())
    weights.append(torch.zeros(outputs, requires_grad=True))

print(f"before: {error(weights, 0):.3f}, after five steps on a task {error(weights, 5):.3f}")
optimizer = torch.optim.Adam(weights, lr=1e-2)
for iteration in range(1, 151):
    outer = 0
    for _ in range(4):
        sample = task()
        fitted = adapted(weights, *sample(10), steps=1, create_graph=True)
        x, y = sample(10)
        outer = outer + F.mse_loss(network(x, fitted), y) / 4
    optimizer.zero_grad()
    outer.backward()
    optimizer.step()
    if iteration % 50 == 0:
        print(f"iteration {iteration:3d}   outer loss {outer.item():.3f}")
print(f"after:  {error(weights, 0):.3f}, after five steps on a task {error(weights, 5):.3f}")
