"""state_dict and load_state_dict. As https://docs.pytorch.org/docs/stable/notes/serialization.html."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.fields import TensorBase
from minitorch.core.numbers.size import size_of
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn.modules.converting import swap_loaded, swaps
from minitorch.nn.uninitialized import is_lazy

EXTRA = "_extra_state"
NO_EXTRA: list[Any] = []  # the two methods of Module, once there is that class


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that load_state_dict missed, and those it found no place for."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _persistent(module: Any) -> dict[str, Any]:
    """Parameters and persistent buffers by name, without those that are None."""
    buffers = [
        (name, buffer)
        for name, buffer in module._buffers.items()
        if name not in module._non_persistent_buffers_set
    ]
    members = [*module._parameters.items(), *buffers]
    return {name: member for name, member in members if member is not None}


def unreachable(method: str) -> RuntimeError:
    """The error of the methods of Module that only a subclass can define."""
    return RuntimeError(
        f"Reached a code path in Module.{method}() that should never be called. Please file an "
        "issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report "
        "this bug."
    )


def _has_extra(module: Any, method: str) -> bool:
    """Whether a class says what state_dict holds of it beside tensors; Module itself does not."""
    return getattr(type(module), method) not in NO_EXTRA


def save(module: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
    """Puts the tensors of `module` itself into `destination`, detached unless keep_vars."""
    for name, member in _persistent(module).items():
        destination[prefix + name] = member if keep_vars else member.detach()
    if _has_extra(module, "get_extra_state"):
        destination[prefix + EXTRA] = module.get_extra_state()


def state_dict(
    module: Any, args: tuple[Any, ...], destination: Any, prefix: str, keep_vars: bool
) -> Any:
    """The state_dict of `module`, with the version of each class in its `_metadata`."""
    if args:
        given = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination = given.get("destination", destination)
        prefix = given.get("prefix", prefix) or prefix
        keep_vars = given.get("keep_vars", keep_vars) or keep_vars
        _warn_positional()
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in module._state_dict_pre_hooks.values():
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(
                destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
            )
    for hook in module._state_dict_hooks.values():
        returned = hook(module, destination, prefix, metadata)
        if returned is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = returned
    return destination


def _warn_positional() -> None:
    import warnings

    warnings.warn(
        "Positional args are being deprecated, use kwargs instead. Refer to "
        "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict"
        " for details.",
        FutureWarning,
        stacklevel=4,
    )


def load_state_dict(module: Any, given: Any, strict: bool, assign: bool) -> _IncompatibleKeys:
    """Loads `given` into `module` and all modules in it; every entry that fits is loaded."""
    if not isinstance(given, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(given)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    metadata = getattr(given, "_metadata", None)
    state = OrderedDict(given)
    if metadata is not None:
        state._metadata = metadata

    def descend(below: Any, part: Any, prefix: str) -> None:
        local = {} if metadata is None else metadata.get(prefix[:-1], {})
        if assign:  # noted in the state itself, as torch does: later loads of it assign too
            local["assign_to_params_buffers"] = assign
        below._load_from_state_dict(part, prefix, local, True, missing, unexpected, errors)
        for name, child in below._modules.items():
            if child is not None:
                path = f"{prefix}{name}."
                descend(child, {k: v for k, v in part.items() if k.startswith(path)}, path)
        incompatible = _IncompatibleKeys(missing, unexpected)
        for hook in below._load_state_dict_post_hooks.values():
            if hook(below, incompatible) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not "
                    "expected to return new values, if incompatible_keys need to be modified, "
                    "it should be done inplace."
                )

    descend(module, state, "")
    if strict:
        if unexpected:
            names = ", ".join(f'"{name}"' for name in unexpected)
            errors.insert(0, f"Unexpected key(s) in state_dict: {names}. ")
        if missing:
            names = ", ".join(f'"{name}"' for name in missing)
            errors.insert(0, f"Missing key(s) in state_dict: {names}. ")
    if errors:
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors)
        )
    return _IncompatibleKeys(missing, unexpected)


def load(
    module: Any,
    given: Any,
    prefix: str,
    metadata: Any,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Loads the tensors of `module` itself; notes what is missing, unexpected or does not fit."""
    for hook in module._load_state_dict_pre_hooks.values():
        hook(given, prefix, metadata, strict, missing, unexpected, errors)
    assign = metadata.get("assign_to_params_buffers", False)
    members = _persistent(module)
    for name, member in members.items():
        key = prefix + name
        if key in given:
            _load_member(module, name, member, key, given[key], assign, errors)
        elif strict:
            missing.append(key)
    extra = prefix + EXTRA
    if _has_extra(module, "set_extra_state"):
        if extra in given:
            module.set_extra_state(given[extra])
        elif strict:
            missing.append(extra)
    elif strict and extra in given:
        unexpected.append(extra)
    if strict:
        for key in given:
            if key.startswith(prefix) and key != extra:
                first, *rest = key.removeprefix(prefix).split(".", 1)
                if first not in (module._modules if rest else members):
                    unexpected.append(key)


def _load_member(
    module: Any, name: str, member: Any, key: str, given: Any, assign: bool, errors: list[str]
) -> None:
    if not isinstance(given, TensorBase):
        errors.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
            f"object from checkpoint but received {type(given)}"
        )
        return
    here = member._array.shape
    there = here if is_lazy(member) else tuple(given.shape)
    if here == () and there == (1,):  # checkpoints from before there were tensors without axes
        given = given[0]
        there = ()
    if here != there:
        errors.append(
            f"size mismatch for {key}: copying a param with shape {size_of(there)} from "
            f"checkpoint, the shape in current model is {size_of(here)}."
        )
        return
    try:
        with no_grad():
            if swaps():
                swap_loaded(member, given, assign)
            elif not assign:
                member.copy_(given)
            elif isinstance(member, Parameter):
                if not isinstance(given, Parameter):
                    given = Parameter(given, requires_grad=member.requires_grad)
                else:
                    given.requires_grad_(member.requires_grad)
                setattr(module, name, given)
            else:
                setattr(module, name, given)
    except Exception as error:
        action = "swapping" if swaps() else "copying"
        errors.append(
            f'While {action} the parameter named "{key}", whose dimensions in the model are '
            f"{size_of(here)} and whose dimensions in the checkpoint are {size_of(there)}, an "
            f"exception occurred : {error.args}."
        )
