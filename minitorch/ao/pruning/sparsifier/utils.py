"""torch.ao.pruning.sparsifier.utils: masks as parametrizations, and modules by their names."""

from __future__ import annotations

from typing import Any

from minitorch import nn
from minitorch.nn.utils.parametrize import is_parametrized, type_before_parametrizations

__all__ = [
    "module_contains_param",
    "swap_module",
    "module_to_fqn",
    "fqn_to_module",
    "get_arg_info_from_tensor_fqn",
    "FakeSparsity",
]


def module_contains_param(module: Any, parametrization: Any) -> bool:
    """Whether a tensor of a module is computed by a parametrization of a class."""
    if not is_parametrized(module):
        return False
    listed = [each for parts in module.parametrizations.values() for each in parts]
    return any([isinstance(each, parametrization) for each in listed])


def swap_module(mod: Any, mapping: Any) -> Any:
    """The module that takes the place of `mod`, with its hooks; `mod` itself if there is none.

    Args:
        mod: a Module.
        mapping: classes by plain ones, whose `from_dense` makes the module.
    """
    kind = type_before_parametrizations(mod)
    if kind not in mapping:
        return mod
    found = mapping[kind].from_dense(mod)
    for hook in mod._forward_pre_hooks.values():
        found.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        found.register_forward_hook(hook)
    devices = {each.device for each in (*mod.parameters(), *mod.buffers())}
    if len(devices) > 1:
        raise AssertionError(
            "swap_module only works with cpu or single-device CUDA modules, but got devices "
            f"{devices}"
        )
    if devices:
        found.to(next(iter(devices)))
    return found


def module_to_fqn(model: Any, module: Any, prefix: str = "") -> str | None:
    """The name of a module in a model; None if it is not there."""
    if module is model:
        return ""
    for name, child in model.named_children():
        rest = module_to_fqn(child, module, ".")
        if isinstance(rest, str):
            return prefix + name + rest
    return None


def fqn_to_module(model: Any, path: str) -> Any:
    """The module of a name in a model; None if there is none."""
    for name in path.split(".") if path else ():
        model = getattr(model, name, None)
    return model


def get_arg_info_from_tensor_fqn(model: Any, tensor_fqn: str) -> dict[str, Any]:
    """The module that has a tensor, its name, and the name of the tensor in it.

    Args:
        model: a Module.
        tensor_fqn: the name of the tensor in the model.
    """
    module_fqn, _, tensor_name = tensor_fqn.rpartition(".")
    return {
        "module_fqn": module_fqn,
        "module": fqn_to_module(model, module_fqn),
        "tensor_name": tensor_name,
        "tensor_fqn": tensor_fqn,
    }


class FakeSparsity(nn.Module):
    """A parametrization that multiplies a tensor with a mask.

    Args:
        mask: a tensor of the same shape.

    As torch.ao.pruning.FakeSparsity.
    """

    def __init__(self, mask: Any) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, x: Any) -> Any:
        """`x` times the mask."""
        if self.mask.shape != x.shape:
            raise AssertionError(f"mask shape ({self.mask.shape}) must match x shape ({x.shape})")
        return self.mask * x

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:  # type: ignore[override]
        """Nothing: a sparsifier keeps the masks."""
        return {}
