"""Scripts and traces that are saved, loaded, and used again."""

import io
import os
import tempfile
import warnings

import torch
import torch.nn as nn

warnings.simplefilter("ignore")
torch.manual_seed(0)


class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 3
        self.gate = Gate()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("shift", torch.ones(4))

    def forward(self, x, h):
        n = torch.tanh(self.gate(self.linear(x)) + h) * self.k + self.shift
        return n, n


class Exported(nn.Module):
    def forward(self, x):
        return x

    @torch.jit.export
    def twice(self, x: torch.Tensor):
        return x * 2


@torch.jit.script
def power(a, b: int):
    return a**b


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def again(script, **options):
    file = io.BytesIO()
    torch.jit.save(script, file, **options)
    file.seek(0)
    return torch.jit.load(file)


cell, x, h = Cell(), torch.rand(3, 4), torch.rand(3, 4)
traced, scripted = torch.jit.trace(cell, (x, h)), torch.jit.script(cell)
for script in (traced, scripted):
    loaded = again(script)
    print(script, loaded, sep="\n")
    print(type(script), type(loaded), loaded.original_name, list(loaded.state_dict()))
    print(torch.equal(loaded(x, h)[0], script(x, h)[0]), loaded.training)
    print(loaded.linear.weight.requires_grad, loaded.linear.weight is script.linear.weight)
print(torch.jit.trace(Exported(), x), again(torch.jit.script(Exported())).twice(torch.ones(2)))
print(again(power)(torch.tensor([3.0]), 2), type(power), power.name)

file, extra = io.BytesIO(), {"meta.txt": ""}
torch.jit.save(scripted.eval(), file, _extra_files={"meta.txt": b"hello", "other": b""})
file.seek(0)
print(torch.jit.load(file, map_location="cpu", _extra_files=extra).training, extra)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cell.pt")
    scripted.save(path)
    print(torch.jit.load(path)(x, h)[1].shape)
    attempt(lambda: torch.jit.save(cell, path))
attempt(lambda: torch.jit.load("nothing.pt"))
attempt(lambda: torch.jit.save(cell, io.BytesIO()))
layers = torch.jit.script(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
optimizer = torch.optim.SGD(layers.parameters(), 0.1)
layers(torch.ones(1, 2)).sum().backward()
optimizer.step()
print(again(layers).state_dict()["0.weight"].equal(layers.state_dict()["0.weight"]))
