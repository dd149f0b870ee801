"""A dataset of one's own reads a CSV file; transforms, batches, normalisation, a small fit."""

import csv
import io

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

FILE = io.StringIO(
    "width,height,kind\n"
    + "\n".join(
        f"{(i * 37) % 50 / 10},{(i * 53) % 40 / 10},{'tall' if (i * 53) % 40 > (i * 37) % 50 else 'wide'}"
        for i in range(60)
    )
)


class Shapes(Dataset):
    """Width and height, and which of the two is more."""

    def __init__(self, file, transform=None, target_transform=None):
        self.rows = list(csv.DictReader(file))
        self.kinds = sorted({row["kind"] for row in self.rows})
        self.transform, self.target_transform = transform, target_transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        row = self.rows[idx]
        x = torch.tensor([float(row["width"]), float(row["height"])])
        y = self.kinds.index(row["kind"])
        if self.transform:
            x = self.transform(x)
        if self.target_transform:
            y = self.target_transform(y)
        return x, y


class Normalise:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return (x - self.mean) / self.std


torch.manual_seed(0)
raw = Shapes(FILE)
everything = torch.stack([x for x, _ in raw])
std, mean = torch.std_mean(everything, dim=0)
print(len(raw), raw.kinds, raw[torch.tensor(3)], mean, std)
raw.transform = Normalise(mean, std)
raw.target_transform = lambda y: torch.zeros(2).scatter_(0, torch.tensor(y), value=1)
loader = DataLoader(raw, batch_size=12, shuffle=True, drop_last=True)
features, labels = next(iter(loader))
print(f"Feature batch shape: {features.size()}", f"Labels batch shape: {labels.size()}")
model = nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=1))
optimizer = torch.optim.Rprop(model.parameters(), lr=0.05)
for epoch in range(6):
    total = 0
    for x, y in loader:
        loss = nn.functional.binary_cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, f"{total / len(loader):.4f}")
