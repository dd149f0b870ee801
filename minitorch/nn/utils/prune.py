"""Pruning: parameters of which a part is held at zero. As torch/nn/utils/prune.py."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import minitorch as torch
from minitorch.core.base.naming import named_by_subclasses
from minitorch.core.public_pickles import reduced
from minitorch.nn.utils._pruning_checks import (
    _compute_norm,
    _compute_nparams_toprune,
    _validate_pruning_amount,
    _validate_pruning_amount_init,
    _validate_pruning_dim,
    _validate_structured_pruning,
)
from minitorch.nn.utils.convert_parameters import parameters_to_vector

_PUBLIC = "torch.nn.utils.prune"


class BasePruningMethod(ABC):
    """A hook that makes the tensor `name` of its original `name_orig` and its mask `name_mask`.

    Subclasses define compute_mask, and PRUNING_TYPE: 'unstructured', 'structured' or 'global'.

    As torch.nn.utils.prune.BasePruningMethod.
    """

    __module__ = "torch.nn.utils.prune"
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
        """The mask: 0 for pruned elements of `t`, default_mask for the others.

        Args:
            t: the scores.
            default_mask: what was pruned before, of the same shape.
        """

    def apply_mask(self, module: Any) -> Any:
        """The original times the mask.

        Args:
            module: the Module with the tensor.

        Raises:
            AssertionError: if nothing is pruned yet.
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, orig = (getattr(module, f"{self._tensor_name}_{each}") for each in ("mask", "orig"))
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prunes a parameter from now on, in addition to its earlier pruning.

        Args:
            module: any Module.
            name: the name of its parameter.
            *args, **kwargs: the arguments of the class.
            importance_scores: a Tensor of the parameter's shape, the least of which are pruned;
                None for the parameter itself.

        Returns:
            The method, or a PruningContainer of several.

        Raises:
            AssertionError: if the scores have another shape.
        """
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
        """`t` times its mask, by importance_scores or by itself.

        Args:
            t: any Tensor.
            default_mask: what was pruned before; None for nothing.
            importance_scores: of the shape of `t`; None for `t`.

        Raises:
            AssertionError: if the scores have another shape.
        """
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
        """Makes the pruned tensor an ordinary parameter.

        Args:
            module: the Module with the tensor.

        Raises:
            AssertionError: if nothing is pruned yet.
        """
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
    """`method`, or a container of all methods that prune a parameter; removes their hooks."""
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
    """Several methods, one on top of the other.

    Args:
        *args: the methods, for one parameter.

    Raises:
        TypeError: for what is no method.
        ValueError: for a method of another parameter.

    As torch.nn.utils.prune.PruningContainer.
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Appends a method for the same parameter.

        Args:
            method: the method.

        Raises:
            TypeError: for what is no method.
            ValueError: for a method of another parameter.
        """
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
    """The index of the parts that are not pruned yet: elements, whole channels, or everything."""
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
    """Prunes nothing.

    As torch.nn.utils.prune.Identity.
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:
        return super().apply(module, name)


@named_by_subclasses("__init__")
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


@named_by_subclasses("__init__", "compute_mask")
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
    """Prunes elements at random.

    Args:
        amount: how many, an int; or what share, a float from 0 to 1.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of elements, at
            the call.

    As torch.nn.utils.prune.RandomUnstructured.
    """

    def _lowest(self, t: Any, number: int) -> Any:
        return torch.topk(torch.rand_like(t).view(-1), k=number).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any) -> Any:
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements with the smallest absolute values.

    Args:
        amount: how many, an int; or what share, a float from 0 to 1.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of elements, at
            the call.

    As torch.nn.utils.prune.L1Unstructured.
    """

    def _lowest(self, t: Any, number: int) -> Any:
        return torch.topk(torch.abs(t).view(-1), k=number, largest=False).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


@named_by_subclasses("compute_mask")
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
    """Prunes channels along `dim` at random.

    Args:
        amount: how many, an int; or what share, a float from 0 to 1.
        dim: the dimension along which channels lie.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of channels, at
            the call, or for a tensor of less than two dimensions.

    As torch.nn.utils.prune.RandomStructured.
    """

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
    """Prunes the channels along `dim` with the smallest n-norms.

    Args:
        amount: how many, an int; or what share, a float from 0 to 1.
        n: the exponent of the norm, as torch.norm takes it.
        dim: the dimension along which channels lie.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of channels, at
            the call, or for a tensor of less than two dimensions.

    As torch.nn.utils.prune.LnStructured.
    """

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
    """Prunes the elements for which a mask is 0.

    Args:
        mask: a Tensor of the parameter's shape, 0 for what is pruned, else 1.

    Raises:
        AssertionError: at the call, for another shape.

    As torch.nn.utils.prune.CustomFromMask.
    """

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
    """`module`, nothing of a parameter pruned.

    The parameter is `name_orig` then, and the mask the buffer `name_mask`.

    Args:
        module: any Module.
        name: the name of its parameter.

    As torch.nn.utils.prune.identity.
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """`module`, elements of a parameter pruned at random.

    The parameter is `name_orig` then, and the mask the buffer `name_mask`.

    Args:
        module: any Module.
        name: the name of its parameter.
        amount: how many, an int; or what share, a float from 0 to 1.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of elements.

    As torch.nn.utils.prune.random_unstructured.
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """`module`, the smallest elements of a parameter pruned.

    The parameter is `name_orig` then, and the mask the buffer `name_mask`.

    Args:
        module: any Module.
        name: the name of its parameter.
        amount: how many, an int; or what share, a float from 0 to 1.
        importance_scores: a Tensor of the parameter's shape, the least of which are pruned; None
            for the parameter itself.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of elements.
        AssertionError: if the scores have another shape.

    As torch.nn.utils.prune.l1_unstructured.
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """`module`, channels of a parameter pruned at random.

    The parameter is `name_orig` then, and the mask the buffer `name_mask`.

    Args:
        module: any Module.
        name: the name of its parameter.
        amount: how many, an int; or what share, a float from 0 to 1.
        dim: the dimension along which channels lie.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of channels, or
            for a parameter of less than two dimensions.
        IndexError: if the parameter has no dimension `dim`.

    As torch.nn.utils.prune.random_structured.
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
) -> Any:
    """`module`, the channels of a parameter with the smallest norms pruned.

    The parameter is `name_orig` then, and the mask the buffer `name_mask`.

    Args:
        module: any Module.
        name: the name of its parameter.
        amount: how many, an int; or what share, a float from 0 to 1.
        n: the exponent of the norm, as torch.norm takes it.
        dim: the dimension along which channels lie.
        importance_scores: a Tensor of the parameter's shape, the least of which are pruned; None
            for the parameter itself.

    Raises:
        TypeError: if `amount` is no number.
        ValueError: if it is negative, a float above 1, or an int above the number of channels, or
            for a parameter of less than two dimensions.
        IndexError: if the parameter has no dimension `dim`.
        AssertionError: if the scores have another shape.

    As torch.nn.utils.prune.ln_structured.
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prunes all parameters, pairs of a module and a name, as if they were one.

    Args:
        parameters: an iterable of the pairs.
        pruning_method: a class with the PRUNING_TYPE 'unstructured'.
        importance_scores: a dict from pairs to Tensors; None for the parameters themselves.
        **kwargs: the arguments of the class.

    Raises:
        TypeError: if `parameters` is not iterable, `importance_scores` no dict, or for another
            class.

    As torch.nn.utils.prune.global_unstructured.
    """
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
    """`module`, of a parameter that pruned where the mask is 0.

    The parameter is `name_orig` then, and the mask the buffer `name_mask`.

    Args:
        module: any Module.
        name: the name of its parameter.
        mask: a Tensor of the parameter's shape, 0 for what is pruned, else 1.

    Raises:
        AssertionError: for another shape.

    As torch.nn.utils.prune.custom_from_mask.
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """`module`, a pruned parameter an ordinary one. ValueError if it is not pruned.

    The parameter keeps its zeros, and is free to leave them.

    Args:
        module: any Module.
        name: the name of its parameter.

    Raises:
        ValueError: if it is not pruned.

    As torch.nn.utils.prune.remove.
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether a parameter of the module, or of one below it, is pruned.

    Args:
        module: any Module.

    As torch.nn.utils.prune.is_pruned.
    """
    return any(
        isinstance(hook, BasePruningMethod)
        for _, each in module.named_modules()
        for hook in each._forward_pre_hooks.values()
    )
