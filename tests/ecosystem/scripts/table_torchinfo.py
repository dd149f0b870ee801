"""torchinfo: the table of a network's layers, sizes and parameters."""

from torch import nn
from torchinfo import summary

net = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 10)
)
print(summary(net, input_size=(2, 1, 8, 8), device="cpu", verbose=0))
