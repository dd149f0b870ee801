"""weight_norm as a hook. As torch/nn/utils/weight_norm.py."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.warning import deprecated
from minitorch.nn.uninitialized import is_lazy

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


class WeightNorm:
    """The hook that computes a weight of its length `name_g` and its direction `name_v`.

    Args:
        name: the name of the parameter.
        dim: the dimension along which each slice has a length; None for one length of all.

    As torch.nn.utils.weight_norm.WeightNorm. Salimans and Kingma, https://arxiv.org/abs/1602.07868.
    """

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """The weight itself."""
        g, v = (getattr(module, f"{self.name}_{each}") for each in "gv")
        return OPS._weight_norm(v, g, self.dim)

    @staticmethod
    @deprecated(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`."
    )
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Parts a parameter in two. RuntimeError if it is already."""
        if _hook_of(module, name) is not None:
            raise RuntimeError(
                f"Cannot register two weight_norm hooks on the same parameter {name}"
            )
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure "
                "to run the dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        lengths = OPS.norm_except_dim(weight, 2, hook.dim)
        module.register_parameter(f"{name}_g", Parameter(lengths.data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Any) -> None:
        """Puts the weight together again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        for each in "gv":
            del module._parameters[f"{self.name}_{each}"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def _hook_of(module: Any, name: str) -> Any:
    hooks = module._forward_pre_hooks.items()
    found = [k for k, hook in hooks if isinstance(hook, WeightNorm) and hook.name == name]
    return found[0] if found else None


def weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """`module` with a parameter that is a length `name_g` times a direction `name_v`.

    Deprecated, and warns: parametrizations.weight_norm does it without a hook.

    Args:
        module: any Module.
        name: the name of its parameter.
        dim: the dimension along which each slice has a length; None for one length of all.

    Raises:
        RuntimeError: if it is that already.
        ValueError: if it has no shape yet.

    As torch.nn.utils.weight_norm. Salimans and Kingma, https://arxiv.org/abs/1602.07868.
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """`module` with the parameter put together again. ValueError if it never was in two.

    Args:
        module: any Module.
        name: the name of its parameter.

    Raises:
        ValueError: if it is not in two.

    As torch.nn.utils.remove_weight_norm.
    """
    key = _hook_of(module, name)
    if key is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    module._forward_pre_hooks.pop(key).remove(module)
    return module
