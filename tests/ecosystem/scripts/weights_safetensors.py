"""safetensors: weights are written to a file, and read by name and by part."""

import tempfile
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

torch.manual_seed(0)
net = torch.nn.Linear(3, 2)
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "weights.safetensors"
    save_file(net.state_dict() | {"half": torch.ones(2, dtype=torch.bfloat16)}, file)
    for name, value in sorted(load_file(file).items()):
        print(name, value.dtype, tuple(value.shape), f"{value.float().sum():.4f}")
    with safe_open(file, framework="pt") as opened:
        print(opened.get_slice("weight")[:, 1:2].shape)
        print(torch.equal(opened.get_tensor("bias"), net.bias))
