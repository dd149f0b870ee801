"""Shared weights: an autoencoder with a transposed decoder, an embedding tied to its output."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TiedAutoencoder(nn.Module):
    def __init__(self, d_in, d_hidden):
        super().__init__()
        self.encode = nn.Linear(d_in, d_hidden)
        self.decode_bias = nn.Parameter(torch.zeros(d_in))

    def forward(self, x):
        return F.linear(torch.sigmoid(self.encode(x)), self.encode.weight.t(), self.decode_bias)


class LanguageModel(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.embedding = nn.Embedding(n, d)
        self.decoder = nn.Linear(d, n, bias=False)
        self.decoder.weight = self.embedding.weight

    def forward(self, x):
        return self.decoder(torch.tanh(self.embedding(x)).cumsum(1))


torch.manual_seed(5)
auto = TiedAutoencoder(12, 5)
data = torch.randn(64, 3) @ torch.randn(3, 12)
optimizer = torch.optim.ASGD(auto.parameters(), lr=0.05)
for i in range(61):
    loss = F.mse_loss(auto(data), data)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 20 == 0:
        print(f"{i:3d} {loss:.4f}")
lm = LanguageModel(10, 6)
print(sum(p.numel() for p in lm.parameters()), [n for n, _ in lm.named_parameters()])
print(list(lm.state_dict()), lm.decoder.weight is lm.embedding.weight)
print([n for n, _ in lm.named_parameters(remove_duplicate=False)])
optimizer = torch.optim.Adadelta(lm.parameters(), lr=1.0)
tokens = torch.arange(10).repeat(3, 2)
for i in range(21):
    loss = F.cross_entropy(lm(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if i % 10 == 0:
        print(f"{i:3d} {loss:.4f} {lm.embedding.weight.grad.norm():.4f}")
lm.load_state_dict({k: v + 1 for k, v in lm.state_dict().items()})
print(torch.equal(lm.decoder.weight, lm.embedding.weight))
