"""A variational autoencoder of pictures of bars: the reparameterisation trick and its loss."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = 8


def bars(count):
    """Pictures of one horizontal and one vertical bar: (count, SIZE * SIZE), each pixel 0 or 1."""
    pictures = torch.zeros(count, SIZE, SIZE)
    rows, columns = torch.randint(SIZE, (2, count))
    pictures[torch.arange(count), rows] = 1
    pictures[torch.arange(count), :, columns] = 1
    return pictures.flatten(1)


class VAE(nn.Module):
    def __init__(self, latent=4, hidden=64):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(SIZE * SIZE, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, SIZE * SIZE)
        )

    def forward(self, x):
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(z), mean, log_variance


def losses(logits, x, mean, log_variance):
    """Reconstruction and Kullback-Leibler divergence, a number each per picture."""
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return reconstruction / len(x), divergence / len(x)


torch.manual_seed(0)
loader = DataLoader(TensorDataset(bars(512)), batch_size=64, shuffle=True)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
print(model)

for epoch in range(1, 31):
    total = torch.zeros(2)
    for (x,) in loader:
        logits, mean, log_variance = model(x)
        reconstruction, divergence = losses(logits, x, mean, log_variance)
        optimizer.zero_grad()
        (reconstruction + divergence).backward()
        optimizer.step()
        total += torch.stack([reconstruction, divergence]).detach() * len(x) / 512
    if epoch % 5 == 0:
        print(f"epoch {epoch:2d}   reconstruction {total[0]:.3f}   divergence {total[1]:.3f}")

with torch.no_grad():
    picture = model.decoder(torch.randn(1, 4)).sigmoid().view(SIZE, SIZE)
for row in picture:
    print("".join(" .:*#"[min(int(5 * pixel), 4)] for pixel in row.tolist()))
