import minitorch as torch
from minitorch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.query = nn.Linear(d, d)
        self.key = nn.Linear(d, d, bias=False)
        self.value = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x)
        scores = self.query(y) @ self.key(y).transpose(-2, -1) / 4
        return x + scores.softmax(-1) @ self.value(y)


embedding = nn.Embedding(10, 16)
layers = nn.Sequential(Attention(16), Attention(16))
head = nn.Linear(16, 10)
tokens = torch.randint(0, 10, (2, 6))
logits = head(layers(embedding(tokens)))
loss = nn.functional.cross_entropy(logits[:, :-1].reshape(-1, 10), tokens[:, 1:].reshape(-1))
loss.backward()
