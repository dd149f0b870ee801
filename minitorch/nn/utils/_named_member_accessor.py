"""Tensors and submodules of a module by their dotted names: to read, to set, to exchange.

Functions of a module's state (torch.func.functional_call) put other tensors in place with it, and
the module's own back afterwards. As torch/nn/utils/_named_member_accessor.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.nn.modules.module import Module

# A swap returns this for a member that was absent, and deletes a member for which it gets this.
_MISSING: Any = object()


def set_tensor(module: Module, name: str, tensor: Any) -> None:
    """Puts a tensor, or None, under a name of a module: a parameter, a buffer, or an attribute.

    Args:
        name: without dots.

    Raises:
        TypeError: `module` is no module, or `tensor` neither a tensor nor None.
        KeyError: the name is empty or has dots.
    """
    _check_module(module)
    _check_tensor(tensor)
    _check_name(name, "tensor")
    members = _members_with(module, name)
    if members is None:
        setattr(module, name, tensor)
    else:
        members[name] = tensor


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Puts a tensor, or None, under a name of a module, and returns what was there before.

    Args:
        name: without dots.
        tensor: _MISSING takes the name from the module.
        allow_missing: a name that the module lacks is new, and _MISSING comes back.

    Raises:
        TypeError: `module` is no module, or one of the two neither a tensor nor None.
        KeyError: the name is empty or has dots.
        AttributeError: the module lacks the name.
    """
    _check_module(module)
    if tensor is not _MISSING:
        _check_tensor(tensor)
    _check_name(name, "tensor")
    members = _members_with(module, name)
    if members is None:
        return _swap_attribute(module, name, tensor, allow_missing)
    before = members[name]
    if tensor is _MISSING:
        del members[name]
    else:
        members[name] = tensor
    return before


def _swap_attribute(module: Module, name: str, tensor: Any, allow_missing: bool) -> Any:
    """swap_tensor for what is neither a parameter nor a buffer of the module."""
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if before is not _MISSING:
        _check_tensor(before, f"attribute `{name}`: ")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Puts a module under the name of a submodule, and returns the one that was there.

    Args:
        name: without dots.

    Raises:
        TypeError: one of the three is no module.
        KeyError: the name is empty, has dots, or is not that of a submodule.
    """
    _check_module(module)
    _check_module(submodule)
    _check_name(name, "submodule")
    if name not in module._modules:
        raise KeyError(f"submodule {name} does not exist")
    before = module._modules[name]
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


def _check_module(module: Any) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")


def _check_tensor(tensor: Any, title: str = "") -> None:
    if tensor is not None and not isinstance(tensor, TensorBase):
        raise TypeError(f"{title}{tensor} is not an instance of torch.Tensor")


def _check_name(name: str, what: str) -> None:
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."')
    if not name:
        raise KeyError(f'{what} name can\'t be empty string ""')


def _members_with(module: Module, name: str) -> Any:
    """The parameters or the buffers of a module, whichever has the name; None if neither has."""
    for members in (module._parameters, module._buffers):
        if name in members:
            return members
    return None


class NamedMemberAccessor:
    """The members of a module by their dotted names.

    It remembers the submodules that it has come through: a later swap of a submodule goes unseen.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memo: dict[str, Module] = {}

    def get_submodule(self, name: str) -> Module:
        """The submodule of that name; the module itself if it is empty.

        Raises:
            AttributeError: a part of the name is missing.
            TypeError: what has the name is no module.
        """
        if not name:
            return self.module
        found = self.memo.get(name)
        if found is None:
            found = self.memo[name] = self._find_submodule(name)
        return found

    def _find_submodule(self, name: str) -> Module:
        parent, attribute = self._place(name)
        try:
            found = getattr(parent, attribute)
        except AttributeError as error:
            raise AttributeError(f"{parent._get_name()} has no attribute `{attribute}`") from error
        if not isinstance(found, Module):
            raise TypeError(
                f"submodule `{name}`: {found} is not an instance of torch.nn.Module",
            )
        return found

    def _place(self, name: str) -> tuple[Module, str]:
        """The module that has a member, and the member's name in it."""
        path, _, attribute = name.rpartition(".")
        return self.get_submodule(path), attribute

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Puts a module in the place of a submodule, which is returned. As the function."""
        module, attribute = self._place(path)
        return swap_submodule(module, attribute, value)

    # ---- one tensor

    def get_tensor(self, name: str) -> Any:
        """The tensor of that name, or None if that is what has it.

        Raises:
            AttributeError: a part of the name is missing.
            TypeError: what has the name is no tensor.
        """
        module, attribute = self._place(name)
        try:
            tensor = getattr(module, attribute)
        except AttributeError as error:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`") from error
        _check_tensor(tensor)
        return tensor

    def set_tensor(self, name: str, value: Any) -> None:
        """Puts a tensor, or None, under a name. As the function."""
        module, attribute = self._place(name)
        set_tensor(module, attribute, value)

    def del_tensor(self, name: str) -> None:
        """Takes a name from the module that has it. AttributeError if none has."""
        module, attribute = self._place(name)
        try:
            delattr(module, attribute)
        except AttributeError as error:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`") from error

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Puts a tensor under a name, and returns what was there before. As the function."""
        module, attribute = self._place(name)
        return swap_tensor(module, attribute, value, allow_missing=allow_missing)

    # ---- several tensors

    def get_tensors(self, names: Iterable[str]) -> list[Any]:
        """The tensors of these names."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Any]) -> None:
        """Puts tensors under names. AssertionError if there are more of ones than of the others."""
        for name, value in _pairs(names, values):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Any]) -> None:
        """Puts tensors under their names."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """Takes names from the modules that have them."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(
        self, names: Iterable[str], values: Iterable[Any], allow_missing: bool = False
    ) -> list[Any]:
        """Puts tensors under names, and returns what was there before.

        Raises:
            AssertionError: there are more names than tensors, or fewer.
        """
        return [
            self.swap_tensor(name, value, allow_missing=allow_missing)
            for name, value in _pairs(names, values)
        ]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Any], allow_missing: bool = False
    ) -> tuple[dict[str, Any], list[str]]:
        """Puts tensors under their names, all of them or, if one cannot be put, none.

        Args:
            allow_missing: names that the module lacks are new ones.

        Returns:
            What was there before, by name, _MISSING where there was nothing; and these names.

        Raises:
            RuntimeError: there are names that the module lacks.
        """
        before: dict[str, Any] = {}
        missing: list[str] = []
        try:
            for name, tensor in named_tensors.items():
                before[name] = self.swap_tensor(name, tensor, allow_missing=True)
            missing = [name for name, tensor in before.items() if tensor is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, tensor in before.items():
                self.swap_tensor(name, tensor, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """The names of tensors that are not among `keys`, and the keys that name none; sorted."""
        given = set(keys)
        known = {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(known - given), sorted(given - known)

    # ---- all members

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """The module's parameters with their names."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """The module's buffers with their names."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Any]]:
        """The module's parameters with their names, then its buffers."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """The module and all its submodules with their names."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)


def _pairs(names: Iterable[str], values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Names with values. AssertionError if there are more of ones than of the others."""
    names = names if isinstance(names, Sequence) else list(names)
    values = values if isinstance(values, Sequence) else list(values)
    if len(names) != len(values):
        raise AssertionError(
            f"names and values must have the same length, got {len(names)} names and "
            f"{len(values)} values"
        )
    return zip(names, values, strict=True)
