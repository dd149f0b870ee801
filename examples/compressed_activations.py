"""Activations kept in 8 bits between forward and backward: the memory saved, and the cost.

python examples/compressed_activations.py                      with torch
python -m minitorch examples/compressed_activations.py         with minitorch
"""

import torch
from torch import nn


class Compressed(torch.autograd.graph.saved_tensors_hooks):
    """Inside, the graph keeps activations as bytes with an offset and a scale."""

    def __init__(self):
        super().__init__(self.pack, self.unpack)
        self.before = self.after = 0

    def pack(self, x):
        if x.is_leaf or x.dtype != torch.float32:  # weights are there anyway
            return x
        low = x.min()
        scale = (x.max() - low).clamp(min=1e-6) / 255
        levels = ((x - low) / scale).round().to(torch.uint8)
        self.before += x.nbytes
        self.after += levels.nbytes + low.nbytes + scale.nbytes
        return levels, low, scale

    def unpack(self, packed):
        if isinstance(packed, torch.Tensor):
            return packed
        levels, low, scale = packed
        return levels * scale + low


def train(context, steps=60):
    """The losses of a small network that learns the sign of a product."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    x = torch.rand(256, 2) * 2 - 1
    target = (x.prod(1, keepdim=True) > 0).float()
    losses = []
    for _ in range(steps):
        with context:
            loss = nn.functional.binary_cross_entropy_with_logits(net(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


exact = train(torch.enable_grad())
compressed = Compressed()
rounded = train(compressed)

print("step     exact   8 bits")
for step in (0, 19, 39, 59):
    print(f"{step + 1:4} {exact[step]:9.3f} {rounded[step]:8.3f}")
kilobytes = [n / 60 / 1024 for n in (compressed.before, compressed.after)]
print("activations per step: {:.0f} KiB, compressed {:.0f} KiB".format(*kilobytes))
