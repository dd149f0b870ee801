"""Training is saved, loaded and continued: the same losses as in one go."""

import os
import tempfile

import torch
import torch.nn as nn


class TheModelClass(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.Tanh())
        self.head = nn.Linear(16, 1)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        return self.head(self.body(x))


def fresh():
    model = TheModelClass()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.StepLR(optimizer, 5, 0.5)


def train(model, optimizer, scheduler, steps):
    losses = []
    for _ in range(steps):
        x = torch.randn(8, 6)
        loss = (model(x).squeeze() - x.prod(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(round(loss.item(), 5))
    return losses


torch.manual_seed(0)
things = fresh()
print("Model's state_dict:")
for param_tensor in things[0].state_dict():
    print(param_tensor, "\t", things[0].state_dict()[param_tensor].size())
print(train(*things, 8))
path = os.path.join(tempfile.mkdtemp(), "checkpoint.tar")
torch.save(
    {
        "epoch": 8,
        "model_state_dict": things[0].state_dict(),
        "optimizer_state_dict": things[1].state_dict(),
        "scheduler": things[2].state_dict(),
        "rng": torch.get_rng_state(),
    },
    path,
)
straight = train(*things, 8)
print(straight)
torch.manual_seed(1)
model, optimizer, scheduler = fresh()
checkpoint = torch.load(path, weights_only=True)
print(model.load_state_dict(checkpoint["model_state_dict"]))
optimizer.load_state_dict(checkpoint["optimizer_state_dict"])
scheduler.load_state_dict(checkpoint["scheduler"])
torch.set_rng_state(checkpoint["rng"])
print(train(model, optimizer, scheduler, 8) == straight, model.steps, scheduler.last_epoch)
print(optimizer)
partial = {k: v for k, v in model.state_dict().items() if "head" not in k}
print(fresh()[0].load_state_dict(partial, strict=False))
try:
    fresh()[0].load_state_dict({**partial, "extra": torch.zeros(1)})
except RuntimeError as e:
    print(e)
torch.save(model, path)
whole = torch.load(path, weights_only=False)
print(torch.equal(whole.head.weight, model.head.weight), type(whole).__name__)
try:
    torch.load(path)
except Exception as e:
    print(type(e).__name__, str(e).splitlines()[0])
