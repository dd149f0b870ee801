"""spectral_norm as a hook. As torch/nn/utils/spectral_norm.py."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn.modules.conv import _ConvTransposeNd
from minitorch.nn.uninitialized import is_lazy

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]


def output_dim(module: Any, dim: int | None) -> int:
    """The dimension of a weight that counts outputs."""
    return (1 if isinstance(module, _ConvTransposeNd) else 0) if dim is None else dim


class SpectralNorm:
    """The hook that divides a weight by its largest singular value, as power iteration sees it.

    Args:
        name: the name of the parameter.
        n_power_iterations: how many steps of power iteration a call in training takes.
        dim: the dimension of the weight that counts outputs.
        eps: the least length by which vectors are divided.

    Raises:
        ValueError: if `n_power_iterations` is not positive.

    As torch.nn.utils.spectral_norm.SpectralNorm. Miyato et al., https://arxiv.org/abs/1802.05957.
    """

    _version = 1

    def __init__(
        self,
        name: str = "weight",
        n_power_iterations: int = 1,
        dim: int = 0,
        eps: float = 1e-12,
    ) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        """The weight with its outputs as rows."""
        if self.dim != 0:
            rest = [d for d in range(weight.dim()) if d != self.dim]
            weight = weight.permute(self.dim, *rest)
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """The weight over its norm, whose vectors u and v come closer first if asked for."""
        weight, u, v = (getattr(module, f"{self.name}_{each}") for each in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = F.normalize(OPS.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(OPS.mv(matrix, v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()  # the next call writes into the buffers
        return weight / OPS.dot(u, OPS.mv(matrix, v))

    def remove(self, module: Any) -> None:
        """Makes the weight an ordinary parameter."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for ending in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + ending)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))

    def _solve_v_and_rescale(self, weight_mat: Any, u: Any, target_sigma: Any) -> Any:
        inverse = OPS.linalg_pinv(weight_mat.t().mm(weight_mat))
        v = inverse.mm(weight_mat.t()).mm(u.unsqueeze(1)).squeeze(1)
        return v.mul_(target_sigma / OPS.dot(u, OPS.mv(weight_mat, v)))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> Any:
        """Divides a parameter by its norm from now on. RuntimeError if it is already."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two spectral_norm hooks on the same parameter {name}"
                )
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make "
                "sure to run the dummy forward before applying spectral normalization"
            )
        with no_grad():
            sizes = hook.reshape_weight_to_matrix(weight).size()
            u, v = (F.normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=eps) for n in sizes)
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)  # for those who look at it before the first call
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Makes v for state_dicts from before it was a buffer.

    Args:
        fn: the SpectralNorm.

    As torch.nn.utils.spectral_norm.SpectralNormLoadStateDictPreHook.
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        fn, key = self.fn, prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(f"{fn.name}.version", None)
        if version is not None and version >= 1:
            return
        complete = all(key + ending in state_dict for ending in ("_orig", "_u", "_v"))
        if version is None and complete and key not in state_dict:
            return
        missing = [key + e for e in ("_orig", "", "_u") if key + e not in state_dict]
        if missing:
            missing_keys.extend(missing if strict else ())
            return
        with no_grad():
            original, weight = state_dict[f"{key}_orig"], state_dict.pop(key)
            sigma = (original / weight).mean()
            matrix = fn.reshape_weight_to_matrix(original)
            state_dict[f"{key}_v"] = fn._solve_v_and_rescale(matrix, state_dict[f"{key}_u"], sigma)


class SpectralNormStateDictHook:
    """Notes the version in a state_dict's metadata.

    Args:
        fn: the SpectralNorm.

    As torch.nn.utils.spectral_norm.SpectralNormStateDictHook.
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        versions, key = local_metadata.setdefault("spectral_norm", {}), f"{self.fn.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """`module` with a parameter that is divided by its largest singular value before each call.

    The parameter is `name_orig` then; the buffers `name_u` and `name_v` are the singular vectors.

    Args:
        module: any Module.
        name: the name of its parameter.
        n_power_iterations: how many steps of power iteration a call in training takes.
        eps: the least length by which vectors are divided.
        dim: the dimension of the weight that counts outputs; None for 1 of a transposed
            convolution, else 0.

    Raises:
        KeyError: if there is no such parameter.
        ValueError: if it is None or has no shape yet, or `n_power_iterations` is not positive.
        RuntimeError: if it is divided already.

    As torch.nn.utils.spectral_norm. Miyato et al., https://arxiv.org/abs/1802.05957.
    """
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module, dim), eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """`module` with the parameter as it is now. ValueError if it is an ordinary one.

    Args:
        module: any Module.
        name: the name of its parameter.

    Raises:
        ValueError: if it is not divided.

    As torch.nn.utils.remove_spectral_norm.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, hook in module._state_dict_hooks.items():
        if isinstance(hook, SpectralNormStateDictHook) and hook.fn.name == name:
            del module._state_dict_hooks[key]
            break
    return module
