"""Functions that torch writes in C++, by their names in modules such as torch._C._fft.

Traced graphs and pickles use these names: torch._C._fft.fft_fft.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minitorch._ops import ops
from minitorch._public.composed_operators import unreduced

# What torch.nn.functional has of these, by its names; its others are Python around operators.
_PUBLIC = {"log_sigmoid": "logsigmoid"} | {
    name: name
    for name in (
        "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot softplus softshrink "
        "scaled_dot_product_attention"
    ).split()
}


def function(home: str, name: str) -> Any:
    """A function of torch._C._`home`. AttributeError if it has none of that name."""
    found = None
    if home == "nn":  # without a prefix
        found = None if name in _PUBLIC else _operator(name)
        if found is None:
            found = getattr(import_module("minitorch.nn.functional"), _PUBLIC.get(name, name), None)
        if found is None and name in ("flatten_dense_tensors", "unflatten_dense_tensors"):
            found = getattr(import_module("minitorch._utils"), f"_{name}")
    elif home == "sparse" and name.startswith("_sp"):
        public = import_module("minitorch.sparse")
        found = getattr(public, name.removeprefix("_").removeprefix("sparse_"), None)
    elif name.startswith(f"{home}_"):
        public = import_module(f"minitorch.{home}")
        found = getattr(public, name.removeprefix(f"{home}_"), None)
    if found is None:
        raise AttributeError(f"module 'torch._C._{home}' has no attribute '{name}'")
    return found


def _operator(name: str) -> Any:
    """The operator of ATen of a name, as torch's parser calls it; None without one."""
    packet = getattr(ops.aten, name, None)
    if packet is None or not packet.is_real:
        return None
    return unreduced(packet)
