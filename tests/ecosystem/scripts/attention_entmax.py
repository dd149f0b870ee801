"""entmax: attention with weights that are exactly zero, and its gradient."""

import torch
from entmax import entmax15, sparsemax

torch.manual_seed(0)
queries, keys = torch.randn(2, 4, requires_grad=True), torch.randn(5, 4)
scores = queries @ keys.T
for weigh in (sparsemax, entmax15):
    weights = weigh(scores, dim=-1)
    print((weights > 0).int().tolist(), [round(total, 4) for total in weights.sum(-1).tolist()])
    (grad,) = torch.autograd.grad(weights.square().sum(), queries, retain_graph=True)
    print(f"{grad.norm():.4f}")
