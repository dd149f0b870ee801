"""torch.ao.quantization.fuse_modules: modules of a model, by their names, made one."""

from __future__ import annotations

import copy
from typing import Any

from minitorch import nn
from minitorch.ao.quantization.fuser_method_mappings import (  # noqa: F401  # names of this one, too
    fuse_conv_bn,
    fuse_conv_bn_relu,
    get_fuser_method,
)
from minitorch.nn.utils.parametrize import type_before_parametrizations

__all__ = ["fuse_known_modules", "fuse_modules", "fuse_modules_qat"]


def _get_module(model: Any, submodule_key: str) -> Any:
    for name in submodule_key.split("."):
        model = getattr(model, name)
    return model


def _set_module(model: Any, submodule_key: str, module: Any) -> None:
    *above, last = submodule_key.split(".")
    for name in above:
        model = getattr(model, name)
    setattr(model, last, module)


def fuse_known_modules(
    mod_list: Any, is_qat: bool, additional_fuser_method_mapping: Any = None
) -> list[Any]:
    """One module in place of several: the first of the list; Identities stand for the others.

    Args:
        mod_list: the modules, in the order in which they are called.
        is_qat: whether they are to be trained.
        additional_fuser_method_mapping: more functions that fuse, by tuples of classes.

    Raises:
        AssertionError: nothing fuses modules of these classes.

    As torch.ao.quantization.fuse_modules.fuse_known_modules.
    """
    types = tuple([type_before_parametrizations(each) for each in mod_list])
    fuser_method = get_fuser_method(types, additional_fuser_method_mapping)
    if fuser_method is None:
        raise NotImplementedError(f"Cannot fuse modules: {types}")
    fused = fuser_method(is_qat, *mod_list)
    first, last = mod_list[0], mod_list[-1]
    for hook in first._forward_pre_hooks.values():
        fused.register_forward_pre_hook(hook)
    first._forward_pre_hooks.clear()
    for hook in last._forward_hooks.values():
        fused.register_forward_hook(hook)
    last._forward_hooks.clear()
    found = [fused]
    for _ in mod_list[1:]:
        identity = nn.Identity()
        identity.training = first.training
        found.append(identity)
    return found


def _fuse_modules_helper(
    model: Any,
    modules_to_fuse: Any,
    is_qat: bool,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> None:
    more = (fuse_custom_config_dict or {}).get("additional_fuser_method_mapping", {})
    found = fuser_func([_get_module(model, name) for name in modules_to_fuse], is_qat, more)
    for i, name in enumerate(modules_to_fuse):
        _set_module(model, name, found[i])


def _fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    is_qat: bool,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    if not inplace:
        model = copy.deepcopy(model)
    one_list = all([isinstance(each, str) for each in modules_to_fuse])
    for names in [modules_to_fuse] if one_list else modules_to_fuse:
        _fuse_modules_helper(model, names, is_qat, fuser_func, fuse_custom_config_dict)
    return model


def fuse_modules(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    """The model with modules made one: conv and bn, conv and relu, linear and relu, and others.

    Args:
        model: a Module in evaluation.
        modules_to_fuse: a list of names such as ["conv1", "bn1", "relu1"], or a list of such lists.
        inplace: whether `model` itself is changed, not a copy.
        fuser_func: makes a list of modules of a list of modules.
        fuse_custom_config_dict: `additional_fuser_method_mapping`: more functions that fuse.

    As torch.ao.quantization.fuse_modules.
    """
    return _fuse_modules(
        model, modules_to_fuse, False, inplace, fuser_func, fuse_custom_config_dict
    )


def fuse_modules_qat(
    model: Any,
    modules_to_fuse: Any,
    inplace: bool = False,
    fuser_func: Any = fuse_known_modules,
    fuse_custom_config_dict: Any = None,
) -> Any:
    """The model with modules put into rows that prepare_qat knows, to be trained.

    Args:
        model: a Module in training.
        modules_to_fuse: a list of names such as ["conv1", "bn1", "relu1"], or a list of such lists.
        inplace: whether `model` itself is changed, not a copy.
        fuser_func: makes a list of modules of a list of modules.
        fuse_custom_config_dict: `additional_fuser_method_mapping`: more functions that fuse.

    As torch.ao.quantization.fuse_modules_qat.
    """
    return _fuse_modules(model, modules_to_fuse, True, inplace, fuser_func, fuse_custom_config_dict)
