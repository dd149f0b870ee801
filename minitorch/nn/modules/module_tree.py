"""The tree of a Module: its children, parameters and buffers at all depths, by dotted names.

The functions are methods of Module, which takes them from here: `METHODS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor

__all__: list[str] = []


def children(self: Any) -> Iterator[Any]:
    """The modules directly below this one."""
    for _, module in self.named_children():
        yield module


def named_children(self: Any) -> Iterator[tuple[str, Any]]:
    """The modules directly below this one with their names, each once."""
    seen = set()
    for name, module in self._modules.items():
        if module is not None and module not in seen:
            seen.add(module)
            yield name, module


def modules(self: Any, remove_duplicate: bool = True) -> Iterator[Any]:
    """This module and all below it, each once unless `remove_duplicate` is False.

    Args:
        remove_duplicate: whether one that has several names comes once.
    """
    for _, module in self.named_modules(remove_duplicate=remove_duplicate):
        yield module


def named_modules(
    self: Any, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, Any]]:
    """This module and all below it with their dotted names.

    Args:
        memo: modules that are left out; None for none.
        prefix: what stands before each name.
        remove_duplicate: whether one that has several names comes once.
    """
    if memo is None:
        memo = set()
    if self not in memo:
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, below, remove_duplicate)


def _named_members(
    self: Any,
    get_members_fn: Callable[[Any], Any],
    prefix: str = "",
    recurse: bool = True,
    remove_duplicate: bool = True,
) -> Iterator[tuple[str, Any]]:
    seen = set()
    modules = (
        self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        if recurse
        else [(prefix, self)]
    )
    for above, module in modules:
        for name, member in get_members_fn(module):
            if member is None or member in seen:
                continue
            if remove_duplicate:
                seen.add(member)
            yield above + ("." if above else "") + name, member


def parameters(self: Any, recurse: bool = True) -> Iterator[Parameter]:
    """The parameters of this module and, with recurse, of all below it, each once.

    Args:
        recurse: whether those of the modules below count, too.
    """
    for _, parameter in self.named_parameters(recurse=recurse):
        yield parameter


def named_parameters(
    self: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Parameter]]:
    """The parameters with their dotted names.

    Args:
        prefix: what stands before each name.
        recurse: whether those of the modules below count, too.
        remove_duplicate: whether one that has several names comes once.
    """
    return self._named_members(
        lambda module: module._parameters.items(), prefix, recurse, remove_duplicate
    )


def buffers(self: Any, recurse: bool = True) -> Iterator[Tensor]:
    """The buffers of this module and, with recurse, of all below it, each once.

    Args:
        recurse: whether those of the modules below count, too.
    """
    for _, buffer in self.named_buffers(recurse=recurse):
        yield buffer


def named_buffers(
    self: Any, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Tensor]]:
    """The buffers with their dotted names.

    Args:
        prefix: what stands before each name.
        recurse: whether those of the modules below count, too.
        remove_duplicate: whether one that has several names comes once.
    """
    return self._named_members(
        lambda module: module._buffers.items(), prefix, recurse, remove_duplicate
    )


def get_parameter(self: Any, target: str) -> Parameter:
    """The parameter with the dotted name `target`. AttributeError if there is none.

    Args:
        target: such as 'layers.0.linear.weight'.

    Raises:
        AttributeError: if there is no such parameter.
    """
    module, name = self._owner_of_target(target)
    parameter = getattr(module, name)
    if not isinstance(parameter, Parameter):
        raise AttributeError(f"`{name}` is not an nn.Parameter")
    return parameter


def get_buffer(self: Any, target: str) -> Tensor:
    """The buffer with the dotted name `target`. AttributeError if there is none.

    Args:
        target: such as 'layers.0.norm.running_mean'.

    Raises:
        AttributeError: if there is no such buffer.
    """
    module, name = self._owner_of_target(target)
    if name not in module._buffers:
        raise AttributeError(f"`{name}` is not a buffer")
    return getattr(module, name)


def _owner_of_target(self: Any, target: str) -> tuple[Any, str]:
    path, _, name = target.rpartition(".")
    module = self.get_submodule(path)
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return module, name


def apply(self: Any, fn: Callable[[Any], None]) -> Any:
    """Calls fn on every module below and then on this one. Returns self.

    Args:
        fn: takes a Module; its result does not count.
    """
    for module in self.children():
        module.apply(fn)
    fn(self)
    return self


def train(self: Any, mode: bool = True) -> Any:
    """Sets training mode, or with False evaluation mode, here and below. Returns self.

    Args:
        mode: whether it is training mode.

    Raises:
        ValueError: if `mode` is no bool.
    """
    if not isinstance(mode, bool):
        raise ValueError("training mode is expected to be boolean")
    self.training = mode
    for module in self.children():
        module.train(mode)
    return self


def requires_grad_(self: Any, requires_grad: bool = True) -> Any:
    """Switches gradients of all parameters on or off. Returns self.

    Args:
        requires_grad: whether they are on.
    """
    for parameter in self.parameters():
        parameter.requires_grad_(requires_grad)
    return self


def zero_grad(self: Any, set_to_none: bool = True) -> None:
    """Forgets the gradients of all parameters, or fills them with zeros.

    Args:
        set_to_none: whether they become None.
    """
    for parameter in self.parameters():
        grad = parameter.grad
        if grad is None:
            continue
        if set_to_none:
            parameter.grad = None
        else:
            with no_grad():
                parameter.grad = grad.detach().zero_() if grad.grad_fn is not None else grad
                parameter.grad.zero_()


METHODS = (
    children,
    named_children,
    modules,
    named_modules,
    _named_members,
    parameters,
    named_parameters,
    buffers,
    named_buffers,
    get_parameter,
    get_buffer,
    _owner_of_target,
    apply,
    train,
    requires_grad_,
    zero_grad,
)
