"""Pruning: parameters of which a part is held at zero. As torch/nn/utils/prune.py."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import minitorch as torch
from minitorch.core.public_pickles import reduced
from minitorch.nn.utils.convert_parameters import parameters_to_vector

_PUBLIC = "torch.nn.utils.prune"


class BasePruningMethod(ABC):
    """A hook that makes the tensor `name` of its original `name_orig` and its mask `name_mask`."""

    _tensor_name: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__ in (__name__, "minitorch.nn.utils.prune"):
            cls.__module__ = _PUBLIC

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask: 0 for what of `t` is pruned, default_mask for all else."""

    def apply_mask(self, module: Any) -> Any:
        """The original times the mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, orig = (getattr(module, f"{self._tensor_name}_{each}") for each in ("mask", "orig"))
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prunes a parameter from now on, on top of what it was pruned by before."""
        method = _on_top(module, name, cls(*args, **kwargs))
        orig = getattr(module, name)
        if importance_scores is None:
            importance_scores = orig
        elif importance_scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {importance_scores.shape} vs {orig.shape}"
            )
        first = not isinstance(method, PruningContainer)
        if first:
            module.register_parameter(f"{name}_orig", orig)
            del module._parameters[name]
            before = torch.ones_like(orig)
        else:
            before = getattr(module, f"{name}_mask").detach().clone()
        try:
            mask = method.compute_mask(importance_scores, default_mask=before)
            module.register_buffer(f"{name}_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, getattr(module, f"{name}_orig"))
                del module._parameters[f"{name}_orig"]
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """`t` times its mask, by importance_scores or by itself."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, got "
                f"{importance_scores.shape} vs {t.shape}"
            )
        default_mask = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Any) -> None:
        """Makes the pruned tensor an ordinary parameter."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters.pop(f"{name}_orig")
        orig.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, orig)


def _on_top(module: Any, name: str, method: BasePruningMethod) -> BasePruningMethod:
    """`method`, or a container of those that a parameter is pruned by; their hooks are gone."""
    hooks = module._forward_pre_hooks
    found = [
        k
        for k, hook in hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if len(found) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
            "Use a PruningContainer."
        )
    method._tensor_name = name
    for key in found:
        old = hooks.pop(key)
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        method = container
    return method


class PruningContainer(BasePruningMethod):
    """Several methods, one on top of the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Appends a method for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """default_mask, with what the last method prunes of the rest."""
        method = self._pruning_methods[-1]
        place = _what_is_left(method, t, default_mask)
        partial = method.compute_mask(t[place], default_mask=default_mask[place])
        mask = default_mask.to(dtype=t.dtype)
        mask[place] = partial.to(dtype=mask.dtype)
        return mask


def _what_is_left(method: Any, t: Any, mask: Any) -> Any:
    """The index of what is not pruned yet: elements, whole channels, or everything."""
    kind, rank = method.PRUNING_TYPE, t.dim()
    if kind == "unstructured":
        return mask == 1
    place = [slice(None)] * rank
    if kind == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` '
                "defined."
            )
        dim = method.dim + rank if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {rank}")
        place[dim] = mask.sum(dim=[d for d in range(rank) if d != dim]) != 0
    elif kind != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
    return tuple(place)


class Identity(BasePruningMethod):
    """Prunes nothing."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:
        return super().apply(module, name)


class _Amount(BasePruningMethod):
    """Prunes a number or a share of elements or channels."""

    amount: Any

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def _number(self, size: int) -> int:
        """How many of so many to prune. ValueError if these are too few."""
        number = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(self.amount, size)
        return number


class _Unstructured(_Amount):
    PRUNING_TYPE = "unstructured"

    def _lowest(self, t: Any, number: int) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        number = self._number(t.nelement())
        mask = default_mask.clone().contiguous()
        if number != 0:
            mask.view(-1)[self._lowest(t, number)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements at random."""

    def _lowest(self, t: Any, number: int) -> Any:
        return torch.topk(torch.rand_like(t).view(-1), k=number).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any) -> Any:
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements with the smallest absolute values."""

    def _lowest(self, t: Any, number: int) -> Any:
        return torch.topk(torch.abs(t).view(-1), k=number, largest=False).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(_Amount):
    PRUNING_TYPE = "structured"
    dim: int

    def _kept(self, t: Any, size: int, number: int) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        shape, dim = t.shape, self.dim
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, dim)
        number = self._number(shape[dim])
        kept = self._kept(t, shape[dim], number)
        if number == 0:
            return default_mask
        mask = torch.zeros_like(t)
        place = [slice(None)] * len(shape)
        place[dim] = kept
        mask[tuple(place)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Structured):
    """Prunes channels along `dim` at random."""

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _kept(self, t: Any, size: int, number: int) -> Any:
        if number == 0:
            return None
        chances = torch.rand(size)
        return chances > torch.kthvalue(chances, k=number).values

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, dim: int = -1) -> Any:
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels along `dim` with the smallest n-norms."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n = n
        self.dim = dim

    def _kept(self, t: Any, size: int, number: int) -> Any:
        norm = _compute_norm(t, self.n, self.dim)
        return torch.topk(norm, k=size - number, largest=True).indices

    @classmethod
    def apply(
        cls, module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
    ) -> Any:
        return super().apply(
            module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores
        )


class CustomFromMask(BasePruningMethod):
    """Prunes what a mask says."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> Any:
        return super().apply(module, name, mask=mask)


def identity(module: Any, name: str) -> Any:
    """`module`, nothing of a parameter pruned."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """`module`, elements of a parameter pruned at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """`module`, the smallest elements of a parameter pruned."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """`module`, channels of a parameter pruned at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
) -> Any:
    """`module`, the channels of a parameter with the smallest norms pruned."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prunes all parameters, pairs of a module and a name, as if they were one."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    owners = [(module, name, getattr(module, name)) for module, name in parameters]
    importance = parameters_to_vector([scores.get((m, name), t) for m, name, t in owners])
    before = parameters_to_vector(
        [getattr(m, f"{name}_mask", torch.ones_like(t)) for m, name, t in owners]
    )
    container, method = PruningContainer(), pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    masks = container.compute_mask(importance, before).split([t.numel() for *_, t in owners])
    for (module, name, t), mask in zip(owners, masks):
        custom_from_mask(module, name, mask=mask.view_as(t))


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """`module`, of a parameter that pruned where the mask is 0."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """`module`, a pruned parameter an ordinary one. ValueError if it is not pruned."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether a parameter of the module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for each in module.modules()
        for hook in each._forward_pre_hooks.values()
    )


# ---- checks that other packages' prunings call, too


def _validate_pruning_amount_init(amount: Any) -> None:
    """TypeError or ValueError unless `amount` is a share in [0, 1] or a number from 0 on."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (not isinstance(amount, numbers.Integral) and amount > 1):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    """ValueError if `amount` is a number of elements that a tensor of that size does not have."""
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to "
            f"prune={tensor_size}"
        )


def _validate_structured_pruning(t: Any) -> None:
    """ValueError unless a tensor has channels: two dimensions or more."""
    shape = t.shape
    if len(shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor "
            f"of shape {shape} with {len(shape)} dims"
        )


def _validate_pruning_dim(t: Any, dim: int) -> None:
    """IndexError if a tensor has no dimension `dim`."""
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """The number of elements of so many that `amount`, a share or a number, means."""
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _compute_norm(t: Any, n: Any, dim: int) -> Any:
    """The n-norm of each slice of `t` along `dim`."""
    dims = list(range(t.dim()))
    dims.remove(dims[dim])
    return torch.norm(t, p=n, dim=dims)
