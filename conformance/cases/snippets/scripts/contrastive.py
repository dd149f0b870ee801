"""Two views of a sample find each other: SimCLR's loss, triplets, momentum encoders, a linear probe."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(4)
prototypes = torch.randn(5, 16)


def sample(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    labels = torch.randint(5, (count,))
    return prototypes[labels] + 0.3 * torch.randn(count, 16), labels


def augment(x: torch.Tensor) -> torch.Tensor:
    keep = torch.bernoulli(torch.full_like(x, 0.8))
    return (x + 0.2 * torch.randn_like(x)) * keep * torch.empty(len(x), 1).uniform_(0.8, 1.2)


def nt_xent(a: torch.Tensor, b: torch.Tensor, temperature: float = 0.5) -> torch.Tensor:
    z = F.normalize(torch.cat([a, b]), dim=1)
    similarity = z @ z.T / temperature
    similarity.masked_fill_(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    partner = torch.arange(len(z)).roll(len(a))
    return F.cross_entropy(similarity, partner)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 8))
        self.head = nn.Sequential(nn.SiLU(), nn.Linear(8, 4, bias=False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.net(x))


x, labels = sample(128)
encoder = Encoder()
optimizer = torch.optim.NAdam(encoder.parameters(), lr=0.01)
for epoch in range(5):
    for batch in x.split(32):
        loss = nt_xent(encoder(augment(batch)), encoder(augment(batch)))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")

features = encoder.net(x).detach()
weights = torch.zeros(8, 5, requires_grad=True)
probe = torch.optim.LBFGS([weights], max_iter=20, line_search_fn="strong_wolfe")


def closure() -> torch.Tensor:
    probe.zero_grad()
    loss = F.cross_entropy(features @ weights, labels) + 1e-3 * weights.square().sum()
    loss.backward()
    return loss


print(f"probe from {probe.step(closure).item():.4f} to {closure().item():.3f}")
print(f"right {((features @ weights).argmax(1) == labels).float().mean():.3f}")

anchor, positive = encoder(x[:8]), encoder(augment(x[:8]))
negative = encoder(x[8:16])
for loss in (
    nn.TripletMarginLoss(margin=0.5, swap=True),
    nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b)),
):
    print(loss(anchor, positive, negative))
print(nn.CosineEmbeddingLoss(margin=0.2)(anchor, negative, torch.tensor([1.0, -1.0] * 4)))
print(nn.MultiMarginLoss()(features[:4] @ weights, labels[:4]))

target = Encoder()
target.load_state_dict(encoder.state_dict())
for p in target.parameters():
    p.requires_grad_(False)
queue = F.normalize(torch.randn(4, 64), dim=0)
place = 0
for step in range(6):
    batch, _ = sample(16)
    query = F.normalize(encoder(augment(batch)), dim=1)
    with torch.no_grad():
        for own, kept in zip(encoder.parameters(), target.parameters(), strict=True):
            kept.lerp_(own, 0.1)
        key = F.normalize(target(augment(batch)), dim=1)
    logits = torch.cat(
        [torch.einsum("nc,nc->n", query, key).unsqueeze(-1), query @ queue.clone()], dim=1
    )
    loss = F.cross_entropy(logits / 0.2, torch.zeros(len(logits), dtype=torch.long))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    queue[:, place : place + 16] = key.T
    place = (place + 16) % 64
    print(f"momentum {step}: {loss.item():.4f}")

models = [Encoder() for _ in range(3)]
params, buffers = stack_module_state(models)
base = Encoder()
outputs = vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))(
    params, buffers, x[:6]
)
alone = torch.stack([model(x[:6]) for model in models])
print(
    outputs.shape,
    torch.allclose(outputs, alone, atol=1e-6),
    {k: tuple(v.shape) for k, v in params.items()},
)
