import minitorch as torch
from minitorch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.v = nn.Linear(d, d)
        self.out = nn.Linear(d, d)
        self.norm1 = nn.LayerNorm(d)
        self.norm2 = nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        y = self.norm1(x)
        att = self.q(y) @ self.k(y).transpose(-2, -1) / y.shape[-1] ** 0.5
        x = x + self.out(att.softmax(-1) @ self.v(y))
        return x + self.mlp(self.norm2(x))


torch.manual_seed(0)
emb = nn.Embedding(50, 32)
blocks = nn.ModuleList([Block(32) for _ in range(4)])
head = nn.Linear(32, 50)
tokens = torch.randint(0, 50, (2, 12))
x = emb(tokens)
for block in blocks:
    x = block(x)
logits = head(x)
loss = nn.functional.cross_entropy(logits[:, :-1].reshape(-1, 50), tokens[:, 1:].reshape(-1))
loss.backward()
print(loss.item())
