"""torch._functorch.make_functional: the first way in which modules became functions of their state.

torch.func.functional_call has taken its place. A module is copied, its tensors are taken out, and
meta tensors hold their places until a call brings others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, NoReturn

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn.modules.module import Module
from minitorch.nn.utils._named_member_accessor import NamedMemberAccessor

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "create_names_map",
    "extract_buffers",
    "extract_weights",
    "functional_init",
    "functional_init_with_buffers",
    "load_buffers",
    "load_state",
    "load_weights",
    "make_functional",
    "make_functional_deprecated_v1",
    "make_functional_with_buffers",
    "make_functional_with_buffers_deprecated_v1",
    "raise_parameter_tying_error",
    "transpose_stack",
]

NamesMap = dict[str, list[str]]


def raise_parameter_tying_error() -> NoReturn:
    """Says that a module must not have one tensor under two names. RuntimeError."""
    raise RuntimeError(
        "make_functional(module): we don't yet support models that do parameter tying (also "
        "sometimes known as weight sharing). Please try to rewrite your model by replacing all "
        "instances of the tied parameter with another and/or comment your support in "
        "https://github.com/pytorch/functorch/issues/446"
    )


# ---- tensors out of modules, and into them


def create_names_map(named_params: Any, tied_named_params: Any) -> NamesMap:
    """All names of each tensor, by the first of them.

    Args:
        named_params: each tensor once, with its name: a dict, or pairs.
        tied_named_params: the same tensors under all of their names.

    Raises:
        AssertionError: one of the two has a tensor that the other lacks.
    """
    once, tied = dict(named_params), dict(tied_named_params)
    if not once.keys() <= tied.keys():
        raise AssertionError(
            f"tensors_dict_keys {set(once)} is not a subset of tied_tensors_dict_keys {set(tied)}"
        )
    names: dict[int, list[str]] = {id(tensor): [] for tensor in once.values()}
    for name, tensor in tied.items():
        if id(tensor) not in names:
            raise AssertionError(f"tensor for key '{name}' not found in tensor_to_mapping")
        names[id(tensor)].append(name)
    return {name: names[id(tensor)] for name, tensor in once.items()}


def _extract_members(
    mod: Module, named_members: Callable[..., Iterable[Any]], subclass: Callable[..., Any]
) -> tuple[tuple[Any, ...], tuple[str, ...], NamesMap]:
    """A module's tensors, which meta tensors replace, their names, and all names of each."""
    every = list(named_members(remove_duplicate=False))
    once = list(named_members())
    members, place_holders = NamedMemberAccessor(mod), {}
    for name, tensor in every:
        if id(tensor) not in place_holders:
            place_holders[id(tensor)] = subclass(
                tensor.new_empty(tensor.shape, device="meta"), tensor.requires_grad
            )
        members.set_tensor(name, place_holders[id(tensor)])
    if not once:
        return (), (), {}
    names, tensors = zip(*once, strict=True)
    return tensors, names, create_names_map(once, every)


def extract_weights(mod: Module) -> tuple[tuple[Any, ...], tuple[str, ...], NamesMap]:
    """A module's parameters, which meta tensors replace, their names, and all names of each."""
    return _extract_members(mod, mod.named_parameters, Parameter)


def extract_buffers(mod: Module) -> tuple[tuple[Any, ...], tuple[str, ...], NamesMap]:
    """A module's buffers, which meta tensors replace, their names, and all names of each."""
    return _extract_members(mod, mod.named_buffers, lambda place_holder, _: place_holder)


def load_weights(
    mod: Module, names: Sequence[str], params: Sequence[Any], as_params: bool = False
) -> None:
    """Puts tensors under the names of parameters; as_params: as new Parameters."""
    members = NamedMemberAccessor(mod)
    for name, tensor in zip(names, params, strict=False):
        members.set_tensor(name, Parameter(tensor) if as_params else tensor)


def load_buffers(
    mod: Module, names: Sequence[str], buffers: Sequence[Any], as_params: bool = False
) -> None:
    """Puts tensors under the names of buffers."""
    members = NamedMemberAccessor(mod)
    for name, tensor in zip(names, buffers, strict=False):
        members.set_tensor(name, tensor)


def load_state(
    model: Module,
    weights: Sequence[Any],
    weight_names: Sequence[str],
    buffers: Sequence[Any] = (),
    buffer_names: Sequence[str] = (),
) -> Module:
    """`model` with parameters and buffers put under their names.

    Raises:
        AssertionError: there are more names than tensors, or fewer.
    """
    for what, names, tensors in (
        ("weight", weight_names, weights),
        ("buffer", buffer_names, buffers),
    ):
        if len(names) != len(tensors):
            raise AssertionError(f"len({what}_names)={len(names)} != len({what}s)={len(tensors)}")
    load_weights(model, weight_names, weights)
    load_buffers(model, buffer_names, buffers)
    return model


def _swap_state(mod: Module, names_map: NamesMap, elems: Iterable[Any]) -> list[Any]:
    """Puts each tensor under all of its names, and returns those that were there before."""
    members, before = NamedMemberAccessor(mod), []
    for names, tensor in zip(names_map.values(), elems, strict=False):
        first, *others = names
        before.append(members.swap_tensor(first, tensor))
        for name in others:
            members.swap_tensor(name, tensor)
    return before


# ---- modules that are called with their state


class FunctionalModule(Module):
    """A module without parameters of its own: its first argument is a tuple of them."""

    def __init__(
        self, stateless_model: Module, param_names: tuple[str, ...], names_map: NamesMap
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.names_map = names_map

    @staticmethod
    def _create_from(
        model: Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModule, tuple[Any, ...]]:
        model = deepcopy(model)
        params, names, names_map = extract_weights(model)
        if disable_autograd_tracking:
            for each in params:
                each.requires_grad_(False)
        return FunctionalModule(model, names, names_map), params

    def forward(self, params: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        """The model's result with these parameters."""
        before = _swap_state(self.stateless_model, self.names_map, params)
        try:
            return self.stateless_model(*args, **kwargs)
        finally:
            _swap_state(self.stateless_model, self.names_map, before)


class FunctionalModuleWithBuffers(Module):
    """A module without state of its own: parameters and buffers are its first arguments."""

    def __init__(
        self,
        stateless_model: Module,
        param_names: tuple[str, ...],
        buffer_names: tuple[str, ...],
        param_names_map: NamesMap,
        buffer_names_map: NamesMap,
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names
        self.all_names_map = {**param_names_map, **buffer_names_map}

    @staticmethod
    def _create_from(
        model: Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
        model = deepcopy(model)
        params, names, names_map = extract_weights(model)
        buffers, buffer_names, buffer_names_map = extract_buffers(model)
        if disable_autograd_tracking:
            for each in params:
                each.requires_grad_(False)
        made = FunctionalModuleWithBuffers(model, names, buffer_names, names_map, buffer_names_map)
        return made, params, buffers

    def forward(
        self, params: Iterable[Any], buffers: Iterable[Any], *args: Any, **kwargs: Any
    ) -> Any:
        """The model's result with these parameters and buffers."""
        state = (*params, *buffers)
        before = _swap_state(self.stateless_model, self.all_names_map, state)
        try:
            return self.stateless_model(*args, **kwargs)
        finally:
            _swap_state(self.stateless_model, self.all_names_map, before)


def _refuse_buffers(model: Module, name: str, other: str) -> None:
    if list(model.buffers()):
        raise RuntimeError(
            f"{name}(model): `model` has buffers. Please use {other}(model) instead."
        )


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """A module as a function of its parameters, and these.

    Args:
        disable_autograd_tracking: the parameters want no gradients.

    Raises:
        RuntimeError: it has buffers.
    """
    _refuse_buffers(model, "make_functional", "make_functional_with_buffers")
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """A module as a function of its parameters and buffers, and these.

    Args:
        disable_autograd_tracking: the parameters want no gradients.
    """
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


# ---- several modules at once


def transpose_stack(tuple_of_tuple_of_tensors: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """The first tensors of all tuples, stacked, then the second ones, and so on; no history."""
    each_place = zip(*tuple_of_tuple_of_tensors, strict=False)
    return tuple([OPS.stack(list(tensors), 0).detach() for tensors in each_place])


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Modules of one class as one function, for vmap: with it, their states stacked.

    Raises:
        RuntimeError: there is none, or they differ in class or mode.
    """
    title = "combine_state_for_ensemble: Expected"
    if not len(models):
        raise RuntimeError(f"{title} at least one model, got 0.")
    if len({each.training for each in models}) > 1:
        raise RuntimeError(f"{title} all models to have the same training/eval mode.")
    if len({type(each) for each in models}) > 1:
        raise RuntimeError(f"{title} all models to be of the same class.")
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return functions[0], transpose_stack(params), transpose_stack(buffers)


# ---- functions that load the state into a copy of the module


def make_functional_deprecated_v1(
    model: Module,
) -> tuple[tuple[Any, ...], Callable[..., Any], tuple[str, ...]]:
    """A module's parameters, the function of (parameters, arguments), and the parameters' names.

    Raises:
        RuntimeError: it has buffers.
    """
    name = "make_functional_deprecated_v1"
    _refuse_buffers(model, name, "make_functional_with_buffers_deprecated_v1")
    weights, names, _ = extract_weights(model)

    def fun(weights: Sequence[Any], data: Iterable[Any]) -> Any:
        copied = deepcopy(model)
        load_weights(copied, names, weights)
        return copied(*data)

    return weights, fun, names


def make_functional_with_buffers_deprecated_v1(
    model: Module,
) -> tuple[tuple[Any, ...], tuple[Any, ...], Callable[..., Any], tuple[str, ...], tuple[str, ...]]:
    """A module's parameters and buffers, the function of (parameters, buffers, arguments), and the
    names of both."""
    weights, names, _ = extract_weights(model)
    buffers, buffer_names, _ = extract_buffers(model)

    def fun(weights: Sequence[Any], buffers: Sequence[Any], data: Iterable[Any]) -> Any:
        copied = deepcopy(model)
        load_weights(copied, names, weights)
        load_buffers(copied, buffer_names, buffers)
        return copied(*data)

    return weights, buffers, fun, names, buffer_names


def _models(model_class: Any, shape: Any, args: Any, kwargs: Any, device: Any) -> list[Module]:
    """New modules, as many as an ensemble of that shape has."""
    if len(shape) >= 2:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if shape[0] <= 0:
        raise ValueError(f"num_models {shape[0]} should be > 0")
    return [model_class(*args, **kwargs).to(device) for _ in range(shape[0])]


def functional_init(
    model_class: type[Module], ensemble_shape: Any = (), device: Any = "cpu"
) -> Callable[..., Any]:
    """A function that makes modules with its arguments, and returns their functional form.

    Args:
        ensemble_shape: () for one module, (n,) for n of them, whose parameters are stacked.

    Raises:
        ValueError: another shape.
    """

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not ensemble_shape:
            return make_functional_deprecated_v1(model_class(*args, **kwargs))
        models = _models(model_class, ensemble_shape, args, kwargs, device)
        _, function, names = make_functional_deprecated_v1(model_class(*args, **kwargs))
        weights = tuple([make_functional_deprecated_v1(each)[0] for each in models])
        return transpose_stack(weights), function, names

    return wrapped


def functional_init_with_buffers(
    model_class: type[Module], ensemble_shape: Any = (), device: Any = "cpu"
) -> Callable[..., Any]:
    """functional_init for modules with buffers; without a shape, it refuses those, too."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not ensemble_shape:
            return make_functional_deprecated_v1(model_class(*args, **kwargs))
        models = _models(model_class, ensemble_shape, args, kwargs, device)
        make = make_functional_with_buffers_deprecated_v1
        _, _, function, names, buffer_names = make(model_class(*args, **kwargs))
        weights, buffers = zip(*[make(each)[:2] for each in models], strict=True)
        return transpose_stack(weights), transpose_stack(buffers), function, names, buffer_names

    return wrapped
