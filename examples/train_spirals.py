"""Trains a small network to tell two interleaved spirals apart, and draws the learned boundary."""

import math
import sys

import torch
from torch import nn

torch.manual_seed(0)

POINTS = 200  # per spiral
EPOCHS = 400


def spirals(points):
    """Two noisy spirals of one and a half turns: coordinates (2 * points, 2) and labels."""
    radius = torch.linspace(0.1, 1, points)
    angle = 3 * math.pi * radius
    arm = torch.stack([radius * torch.cos(angle), radius * torch.sin(angle)], dim=1)
    inputs = torch.cat([arm, -arm]) + 0.02 * torch.randn(2 * points, 2)
    return inputs, torch.cat([torch.zeros(points), torch.ones(points)]).long()


def draw(model, size=21):
    """Prints the plane from -1 to 1, each class by a character of its own."""
    axis = torch.linspace(-1.05, 1.05, size)
    plane = torch.stack([axis.repeat(size), -axis.repeat_interleave(size)], dim=1)
    with torch.no_grad():
        classes = model(plane).argmax(dim=1).reshape(size, size)
    for row in classes.tolist():
        print("   " + " ".join(".#"[label] for label in row))


inputs, labels = spirals(POINTS)
model = nn.Sequential(
    nn.Linear(2, 32), nn.Tanh(),
    nn.Linear(32, 32), nn.Tanh(),
    nn.Linear(32, 2),
)  # fmt: skip
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

watched = sys.stderr.isatty()  # a progress bar is for people, not for files

print(model)
for epoch in range(1, EPOCHS + 1):
    optimizer.zero_grad()
    outputs = model(inputs)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()

    if watched:
        done = 30 * epoch // EPOCHS
        print(f"\r[{'=' * done:30}] epoch {epoch}", end="", file=sys.stderr, flush=True)
    if epoch == 1 or epoch % 50 == 0:
        accuracy = (outputs.argmax(dim=1) == labels).float().mean()
        if watched:
            print("\r\033[K", end="", file=sys.stderr)
        print(f"epoch {epoch:3d}   loss {loss.item():.4f}   accuracy {accuracy.item():6.1%}")

draw(model)
