"""Trains a small convolutional network on digits drawn from a five-by-seven pixel font."""

import torch
import torch.nn.functional as F
from torch import nn

FONT = """
 ###    #    ###   ###     #  #####  ###  #####  ###   ###
#   #  ##   #   # #   #   ##  #     #         # #   # #   #
#   #   #       #     #  # #  ####  #        #  #   # #   #
#   #   #      #    ##  #  #      # ####    #    ###   ####
#   #   #     #       # #####     # #   #  #    #   #     #
#   #   #    #    #   #    #  #   # #   #  #    #   #     #
 ###   ###  #####  ###     #   ###   ###   #     ###   ###
"""


def glyphs():
    """The ten digits as a (10, 7, 5) tensor of zeros and ones."""
    rows = [line.ljust(60) for line in FONT.strip("\n").splitlines()]
    return torch.tensor(
        [[[row[6 * d + i] == "#" for i in range(5)] for row in rows] for d in range(10)]
    ).float()


def batch(shapes, size):
    """Noisy digits a little off the middle: images (size, 1, 14, 14) and labels (size,)."""
    labels = torch.randint(0, 10, (size,))
    images = 0.3 * torch.randn(size, 1, 14, 14)
    tops = torch.randint(3, 6, (size,)).tolist()
    lefts = torch.randint(4, 7, (size,)).tolist()
    for image, label, top, left in zip(images, labels.tolist(), tops, lefts):
        image[0, top : top + 7, left : left + 5] += shapes[label]
    return images, labels


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, kernel_size=3)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 2 * 2, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


torch.manual_seed(0)
shapes = glyphs()
model = LeNet()
print(model)
print("parameters:", sum(p.numel() for p in model.parameters()))

optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for step in range(1, 201):
    images, labels = batch(shapes, 64)
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 40 == 0:
        print(f"step {step:3d}   loss {loss.item():.3f}")

model.eval()
with torch.no_grad():
    images, labels = batch(shapes, 500)
    guesses = model(images).argmax(dim=1)
print(f"right on new digits: {(guesses == labels).float().mean().item():.0%}")
