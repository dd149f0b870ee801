import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(size, size) for _ in range(3))
        self.norm = nn.LayerNorm(size)
        self.mlp = nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / x.shape[-1] ** 0.5
        mixed = torch.softmax(scores, dim=-1) @ self.v(x)
        return x + self.mlp(self.norm(x + mixed))


torch.manual_seed(3)
model = nn.Sequential(*[Block(4) for _ in range(2)])
out = model(torch.randn(2, 5, 4))
out.square().mean().backward()
