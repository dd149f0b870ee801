"""One network with three heads: regression, classes and ranking, their losses weighed by learnt noise."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 32), nn.ELU(), nn.Linear(32, 16), nn.Hardswish())
        self.heads = nn.ModuleDict(
            {"value": nn.Linear(16, 1), "kind": nn.Linear(16, 3), "vector": nn.Linear(16, 4)}
        )
        self.log_vars = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in self.heads})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


model = MultiTask()
print(model)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
weights = torch.tensor([1.0, 2.0, 0.5])
for step in range(60):
    x = torch.randn(32, 8)
    value, kind = x[:, :2].sum(1, keepdim=True), x[:, 2:5].argmax(1)
    out = model(x)
    losses = {
        "value": F.huber_loss(out["value"], value, delta=0.5) + F.l1_loss(out["value"], value),
        "kind": F.cross_entropy(out["kind"], kind, weight=weights, label_smoothing=0.05),
        "vector": F.triplet_margin_loss(
            out["vector"][:10], out["vector"][10:20], out["vector"][20:30].detach()
        )
        + F.kl_div(F.log_softmax(out["vector"], 1), F.softmax(x[:, :4], 1), reduction="batchmean"),
    }
    total = sum(
        torch.exp(-model.log_vars[k]) * loss + model.log_vars[k] for k, loss in losses.items()
    )
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    if step % 20 == 19:
        print(step + 1, {k: round(v.item(), 4) for k, v in losses.items()})
print({k: round(v.item(), 3) for k, v in model.log_vars.items()})
a, b = torch.randn(6, 4), torch.randn(6, 4)
print(F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1, -1, 1, -1])))
print(F.margin_ranking_loss(a[:, 0], b[:, 0], torch.ones(6), margin=0.1))
print(nn.PoissonNLLLoss()(a, b.exp()), nn.GaussianNLLLoss()(a, b, torch.ones(6, 4)))
print(nn.BCEWithLogitsLoss(pos_weight=torch.full((4,), 2.0))(a, (b > 0).float()))
