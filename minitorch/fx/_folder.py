"""GraphModule.to_folder: a module written as a Python package."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from minitorch import nn
from minitorch.fx.graph_code import _custom_builtins
from minitorch.serialization import save

# Of these modules the repr is code that makes them.
_SAFE = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
_DEEP = " " * 8


def write_folder(module: Any, folder: Any, class_name: str) -> None:
    """Writes a GraphModule's code, state and modules into a folder.

    Warns of modules that are pickled, since no code makes them.
    """
    path = Path(folder)
    path.mkdir(exist_ok=True)
    save(module.state_dict(), path / "state_dict.pt")
    pickled: list[str] = []
    lines = [
        "",
        "import torch",
        *[known.import_str for known in _custom_builtins.values()],
        "",
        "from torch.nn import *",
        f"class {class_name}(torch.nn.Module):",
        "    def __init__(self):",
        f"{_DEEP}super().__init__()",
    ]
    for name, child in module.named_children():
        if type(child) in _SAFE:
            lines.append(f"{_DEEP}setattr(self, '{name}', {child!r})")
            continue
        file = path / f"{name}.pt"
        save(child, file)
        pickled.append(name)
        shown = repr(child).replace("\r", " ").replace("\n", " ")
        load = f"torch.load(r'{file}', weights_only=False)"
        lines.append(f"{_DEEP}setattr(self, '{name}', {load}) # {shown}")
    for name, buffer in module._buffers.items():
        if buffer is not None:
            empty = f"torch.empty({list(buffer.shape)}, dtype={buffer.dtype})"
            lines.append(f"{_DEEP}self.register_buffer('{name}', {empty})")
    for name, parameter in module._parameters.items():
        if parameter is not None:
            empty = f"torch.empty({list(parameter.shape)}, dtype={parameter.dtype})"
            lines.append(f"{_DEEP}setattr(self, '{name}', torch.nn.Parameter({empty}))")
    lines.append(f"{_DEEP}self.load_state_dict(torch.load(r'{path}/state_dict.pt'))")
    first, *rest = module.code.split("\n")
    code = "\n".join([first, *[f"    {line}" if line.strip() else "" for line in rest]])
    (path / "module.py").write_text("\n".join(lines) + f"\n{code}\n")
    (path / "__init__.py").write_text("from .module import *")
    if pickled:
        warnings.warn(
            "Was not able to save the following children modules as reprs -saved as pickled files "
            f"instead: {pickled}",
            stacklevel=3,
        )
