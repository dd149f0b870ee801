"""Parameters that are computed from others whenever they are asked for.

As https://docs.pytorch.org/tutorials/intermediate/parametrizations.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor
from minitorch.nn.modules.container import ModuleDict, ModuleList
from minitorch.nn.modules.module import Module

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_caching = 0
_cache: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """A block in which each parametrised tensor is computed once.

    As torch.nn.utils.parametrize.cached.
    """
    global _caching
    _caching += 1
    try:
        yield
    finally:
        _caching -= 1
        if not _caching:
            _cache.clear()


def _register(module: Module, name: str, tensor: Any) -> None:
    register = module.register_parameter if isinstance(tensor, Parameter) else None
    (register or module.register_buffer)(name, tensor)


class ParametrizationList(ModuleList):
    """The modules that compute a tensor, one after the other, from `original` (or `original0`,
    `original1`, ...).

    Args:
        modules: each takes a tensor and gives one; with `right_inverse`, the tensor can be
            assigned.
        original: the tensor that was there before.
        unsafe: whether dtype and shape may change, unchecked.

    Raises:
        ValueError: without modules, or if one gives no tensor or changes dtype or shape.

    As torch.nn.utils.parametrize.ParametrizationList.
    """

    def __init__(self, modules: Any, original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new = original
        with no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):  # then it assigns nothing
                        new = module.right_inverse(new)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            for each in ("dtype", "device"):
                if getattr(original, each) != getattr(new, each):
                    raise ValueError(
                        f"When `right_inverse` outputs one tensor, it may not change the {each}.\n"
                        f"original.{each}: {getattr(original, each)}\n"
                        f"right_inverse(original).{each}: {getattr(new, each)}"
                    )
            with no_grad():
                original.set_(new)
            _register(self, "original", original)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, "
                        f"tuple...). Got element {i} of the sequence with type "
                        f"{type(part).__name__}."
                    )
                if isinstance(original, Parameter):
                    part = Parameter(part, original.requires_grad)
                part.requires_grad_(original.requires_grad)
                _register(self, f"original{i}", part)
        if not self.unsafe:
            result = self()
            if not isinstance(result, Tensor):
                raise ValueError(
                    f"A parametrization must return a tensor. Got {type(result).__name__}."
                )
            for each, before in (("dtype", dtype), ("shape", shape)):
                if getattr(result, each) != before:
                    raise ValueError(
                        f"Registering a parametrization may not change the {each} of the tensor, "
                        f"unless `unsafe` flag is enabled.\nunparametrized {each}: {before}\n"
                        f"parametrized {each}: {getattr(result, each)}"
                    )

    def right_inverse(self, value: Any) -> None:
        """Assigns the tensor: its originals become what makes `value` of them.

        Args:
            value: the tensor.

        Raises:
            RuntimeError: if a module has no `right_inverse`.
            ValueError: if one gives other tensors than the originals.
        """
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(
                        f"`right_inverse` should return a tensor. Got {type(value).__name__}"
                    )
                if value.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {value.dtype} "
                        f"while `original` has dtype {self.original.dtype}"
                    )
                self.original.set_(value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors. "
                    f"Got {type(value).__name__}."
                )
            if len(value) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(value)}."
                )
            for i, part in enumerate(value):
                original = getattr(self, f"original{i}")
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a sequence of tensors or reference-type "
                        f"opaques. Got element {i} of type {type(part).__name__}."
                    )
                if original.dtype != part.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} "
                        f"while `original{i}` has dtype {original.dtype}"
                    )
                original.set_(part)

    def forward(self) -> Any:
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for module in list(self)[1:]:
            x = module(x)
        return x


def _inject_new_class(module: Module) -> None:
    """Gives a module a class of its own, for properties."""
    cls = type(module)

    def copied(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = replica = self.__new__(type(self))
            replica.__dict__ = deepcopy(self.__dict__, memo)
        return memo[id(self)]

    def refused(self: Any, *_: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    own = {"__getstate__": refused, "__reduce_ex__": refused}
    if not hasattr(cls, "__deepcopy__"):
        own["__deepcopy__"] = copied
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), own)


def _inject_property(module: Module, name: str) -> None:
    """Makes a tensor of a module one that is computed."""
    if hasattr(module, name):
        raise AssertionError(f"Module already has an attribute named '{name}'")

    def get(self: Any) -> Any:
        parametrization = self.parametrizations[name]
        if not _caching:
            return parametrization()
        key = (id(module), name)
        tensor = _cache.get(key)
        if tensor is None:
            tensor = _cache[key] = parametrization()
        return tensor

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def _check_addition(module: Module, name: str, parametrization: Any) -> None:
    """ValueError if one more parametrisation changes dtype or shape, or its inverse does."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for each in ("dtype", "shape"):
        if getattr(after, each) != getattr(before, each):
            raise ValueError(
                f"Registering a parametrization may not change the {each} of the tensor, unless "
                f"the `unsafe` flag is enabled.\nmodule.{name}.{each}: {getattr(before, each)}\n"
                f"parametrization(module.{name}).{each}: {getattr(after, each)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}"
        )
    for each in ("dtype", "shape"):
        if getattr(back, each) != getattr(before, each):
            raise ValueError(
                "The tensor returned by parametrization.right_inverse must have the same "
                f"{each} as module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{each}: {getattr(before, each)}\n"
                f"returned {each}: {getattr(back, each)}"
            )


def register_parametrization(
    module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False
) -> Any:
    """`module`, whose tensor is computed by `parametrization` from now on.

    Args:
        module: any Module; it gets a class of its own.
        tensor_name: the name of its parameter or buffer.
        parametrization: a Module that takes a tensor and gives one; with `right_inverse`, the
            tensor can be assigned.
        unsafe: whether dtype and shape may change, unchecked.

    Raises:
        ValueError: if there is no such tensor, or `parametrization` gives none or changes dtype or
            shape.

    As torch.nn.utils.parametrize.register_parametrization.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_addition(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        computed = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = computed
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element "
            f"with name '{tensor_name}'"
        )
    return module


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether the tensor, or any of the module's own, is computed.

    Args:
        module: any Module.
        tensor_name: the name of the tensor; None for any.

    As torch.nn.utils.parametrize.is_parametrized.
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """`module` with an ordinary tensor: as it was computed, or the original.

    Args:
        module: any Module.
        tensor_name: the name of the tensor.
        leave_parametrized: whether it stays as it was computed.

    Raises:
        ValueError: if it is not computed, or if the original is to stay and is several tensors.

    As torch.nn.utils.parametrize.remove_parametrizations.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    computed = module.parametrizations[tensor_name]
    if computed.is_tensor:
        original = computed.original
        if leave_parametrized:
            with no_grad():
                original.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        original = getattr(module, tensor_name)
        original = Parameter(original) if original.requires_grad else original
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is "
            "parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type:
    """The class of a module before its tensors were computed.

    Args:
        module: any Module.

    As torch.nn.utils.parametrize.type_before_parametrizations.
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Any, to_module: Any, tensor_name: str | None = None
) -> Any:
    """`to_module`, with the parametrisations of `from_module`, of one tensor or of all, and their
    originals.

    Args:
        from_module, to_module: two Modules.
        tensor_name: the name of the tensor; None for all.

    As torch.nn.utils.parametrize.transfer_parametrizations_and_params.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        parts = [""] if source.is_tensor else range(source.ntensors)
        for part in [f"original{i}" for i in parts]:
            setattr(to_module.parametrizations[name], part, getattr(source, part))
    return to_module
