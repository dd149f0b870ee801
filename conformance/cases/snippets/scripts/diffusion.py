"""A denoising diffusion model of points on a spiral."""

import torch
from torch import nn

torch.manual_seed(0)
T = 20
betas = torch.linspace(1e-3, 0.2, T)
alphas = 1.0 - betas
alphas_cumprod = torch.cumprod(alphas, dim=0)


class Denoiser(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.time = nn.Embedding(T, width)
        self.first = nn.Linear(2, width)
        self.rest = nn.Sequential(
            nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2)
        )

    def forward(self, x, t):
        return self.rest(self.first(x) + self.time(t))


def spiral(n):
    theta = torch.sqrt(torch.rand(n)) * 3 * torch.pi
    r = 0.3 * theta
    return torch.stack((r * theta.cos(), r * theta.sin()), dim=-1) / 2


model = Denoiser()
ema = {k: v.clone() for k, v in model.state_dict().items()}
optimizer = torch.optim.NAdam(model.parameters(), lr=5e-3)
for step in range(121):
    x0 = spiral(64)
    t = torch.randint(0, T, (64,))
    noise = torch.randn_like(x0)
    signal = alphas_cumprod[t].unsqueeze(-1)
    xt = signal.sqrt() * x0 + (1 - signal).sqrt() * noise
    loss = nn.functional.mse_loss(model(xt, t), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for k, v in model.state_dict().items():
            ema[k].lerp_(v, 0.1)
    if step % 30 == 0:
        print(f"step {step} loss {loss.item():.4f}")
model.load_state_dict(ema)


@torch.no_grad()
def sample(n):
    x = torch.randn(n, 2)
    for t in reversed(range(T)):
        eps = model(x, torch.full((n,), t, dtype=torch.long))
        x = (x - betas[t] / torch.sqrt(1 - alphas_cumprod[t]) * eps) / torch.sqrt(alphas[t])
        if t > 0:
            x += torch.sqrt(betas[t]) * torch.randn_like(x)
    return x


points = sample(100)
print(points.shape, (points.norm(dim=1) < 3).float().mean())
