"""nflows: a normalizing flow learns the density of a few points."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation

torch.manual_seed(0)
steps = [
    step
    for _ in range(2)
    for step in (ReversePermutation(2), MaskedAffineAutoregressiveTransform(2, 4))
]
flow = Flow(CompositeTransform(steps), StandardNormal([2]))
points = torch.randn(16, 2) * torch.tensor([0.5, 2.0]) + 1
optimizer = torch.optim.Adam(flow.parameters(), lr=0.02)
for n in range(6):
    optimizer.zero_grad()
    loss = -flow.log_prob(points).mean()
    loss.backward()
    optimizer.step()
    print(n, f"{loss.item():.3f}")
