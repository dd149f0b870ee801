"""torch.ao.pruning.sparsifier.base_sparsifier: the ground of what chooses weights to be zero."""

from __future__ import annotations

import abc
import copy
from collections import defaultdict
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.pruning.sparsifier.utils import (
    FakeSparsity,
    get_arg_info_from_tensor_fqn,
    module_contains_param,
    module_to_fqn,
    swap_module,
)
from minitorch.nn.utils import parametrize
from minitorch.nn.utils.parametrize import type_before_parametrizations

__all__ = ["BaseSparsifier"]

SUPPORTED_MODULES = {nn.Linear}
KEYS_NOT_IN_STATE_DICT = ["module", "module_fqn", "tensor_name"]


class BaseSparsifier(abc.ABC):
    """Chooses, at each step, which elements of some tensors of a model are zero.

    A subclass defines `update_mask(module, tensor_name, **kwargs)`.

    Args:
        defaults: the options of every tensor, unless its own configuration has others.

    As torch.ao.pruning.BaseSparsifier.
    """

    def __init__(self, defaults: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.defaults: dict[str, Any] = defaults or {}
        self.state: dict[str, dict[str, Any]] = defaultdict(dict)
        self.groups: list[dict[str, Any]] = []
        self.enable_mask_update = True

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "groups": self.groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        text = self.__class__.__name__ + " ("
        for i, group in enumerate(self.groups):
            text += f"\n\tGroup {i}\n\t    module: {group['module']}\n"
            for key in sorted(group.keys() - {"module"}):
                text += f"\t    {key}: {group[key]}\n"
        return text + ")"

    def state_dict(self) -> dict[str, Any]:
        """The masks, and the options of each tensor."""
        groups = [
            {key: value for key, value in group.items() if key not in KEYS_NOT_IN_STATE_DICT}
            for group in self.groups
        ]
        return {"state": self.state, "groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> None:
        """Loads masks and options, and gives tensors without a mask one.

        Args:
            state_dict: what state_dict returned.
            strict: whether a tensor that is not in the model raises a RuntimeError.
        """
        groups = copy.deepcopy(state_dict["groups"])
        states = state_dict["state"]
        for tensor_fqn, state in states.items():
            info = get_arg_info_from_tensor_fqn(self.model, tensor_fqn)
            module, tensor_name = info["module"], info["tensor_name"]
            if strict and module is None:
                raise RuntimeError(f"Error loading {tensor_fqn} into the model")
            for each in module.parametrizations[tensor_name]:
                if isinstance(each, FakeSparsity):
                    part = each
                    break
            else:
                part = FakeSparsity(torch.ones(getattr(module, tensor_name).shape))
                parametrize.register_parametrization(module, tensor_name, part)
            if state.get("mask", None) is not None:
                part.mask = state.pop("mask")
            for group in groups:
                if group["tensor_fqn"] == tensor_fqn:
                    group.update(info)
        self.__setstate__({"state": states, "groups": groups})

    def make_config_from_model(
        self, model: Any, SUPPORTED_MODULES: Any = SUPPORTED_MODULES
    ) -> None:
        """Sets the configuration to the weights of all layers of some classes.

        Args:
            model: a Module.
            SUPPORTED_MODULES: the classes.
        """
        self.config = []
        waiting = [model]
        while waiting:
            for _, child in waiting.pop().named_children():
                if type(child) not in SUPPORTED_MODULES:
                    waiting.append(child)
                    continue
                name = module_to_fqn(model, child)
                if not isinstance(name, str):
                    raise AssertionError("module_fqn must be a string")
                self.config.append({"tensor_fqn": name + ".weight"})

    def prepare(self, model: Any, config: Any) -> None:
        """Gives tensors of a model masks of ones.

        Args:
            model: a Module, which is changed.
            config: a list of dicts with `tensor_fqn`, the name of a tensor, and options; None for
                the weights of all layers of SUPPORTED_MODULES.
        """
        self.model = model
        self.config = config
        if self.config is None:
            self.make_config_from_model(model)
        for each in self.config:
            self.groups.append(self._group(each))
        self._prepare()

    def _group(self, config: Any) -> dict[str, Any]:
        """The options of a tensor, with the module that has it."""
        if not isinstance(config, dict):
            raise AssertionError(
                "config elements should be dicts not modules i.e.:[{`tensor_fqn`: "
                "`foo.bar.weight`}, {`tensor_fqn`: ... }, ...]"
            )
        if not isinstance(self.defaults, dict):
            raise AssertionError("defaults must be a dict")
        group = copy.deepcopy(self.defaults)
        group.update(config)
        tensor_fqn = group.get("tensor_fqn", None)
        if tensor_fqn is None:
            raise AssertionError(
                "tensor_fqn is a required argument in the sparsity config which replaces previous "
                "`module` and [module]`fqn` arguments"
            )
        info = get_arg_info_from_tensor_fqn(self.model, tensor_fqn)
        for key, value in info.items():
            dotted = key == "tensor_fqn" and f".{value}" == group.get(key)
            if key in group and value != group[key] and not dotted:
                raise AssertionError(
                    f"Given both `{key}` and `tensor_fqn` in the config, it is expected them to "
                    "agree!"
                )
        group.update(info)
        return group

    def _prepare(self, *args: Any, **kwargs: Any) -> None:
        for group in self.groups:
            module, tensor_name = group["module"], group["tensor_name"]
            parametrization = group.get("parametrization", FakeSparsity)
            mask = group.get("mask", torch.ones_like(getattr(module, tensor_name)))
            self.state[group["tensor_fqn"]]["mask"] = mask
            parametrize.register_parametrization(module, tensor_name, parametrization(mask))

    def squash_mask(
        self,
        params_to_keep: Any = None,
        params_to_keep_per_layer: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Makes the tensors of the model parameters again, with zeros where the masks have them.

        Args:
            params_to_keep: names of options that each module gets as `sparse_params`.
            params_to_keep_per_layer: such names, by names of modules.
        """
        for group in self.groups:
            module, tensor_name = group["module"], group["tensor_name"]
            parametrize.remove_parametrizations(module, tensor_name, leave_parametrized=True)
            names = [*(params_to_keep or ())]
            if params_to_keep_per_layer is not None:
                names += params_to_keep_per_layer.get(group["module_fqn"], None) or ()
            if names:
                module.sparse_params = {name: group[name] for name in names}

    def convert(
        self,
        module: Any,
        mapping: Any = None,
        inplace: bool = False,
        parameterization: Any = FakeSparsity,
    ) -> Any:
        """The module, in which layers with masks are exchanged for those of a mapping.

        Args:
            module: a Module.
            mapping: classes by plain ones, whose `from_dense` makes a layer.
            inplace: whether `module` itself is changed, not a copy.
            parameterization: the class of masks.

        Raises:
            NotImplementedError: without a mapping.
        """
        if mapping is None:
            raise NotImplementedError("Need to auto generate mapping ")
        if not inplace:
            module = copy.deepcopy(module)
        found = {}
        for name, child in module.named_children():
            masked = module_contains_param(child, parameterization)
            if masked and type_before_parametrizations(child) in mapping:
                found[name] = swap_module(child, mapping)
            else:
                found[name] = self.convert(
                    child, mapping=mapping, inplace=True, parameterization=parameterization
                )
        module._modules.update(found)
        return module

    def step(self, use_path: bool = True) -> None:
        """Chooses anew which elements are zero.

        Args:
            use_path: not used.
        """
        if not self.enable_mask_update:
            return
        with torch.no_grad():
            for group in self.groups:
                self.update_mask(**group)

    @abc.abstractmethod
    def update_mask(self, module: Any, tensor_name: str, **kwargs: Any) -> None:
        """Chooses anew which elements of a tensor are zero."""
