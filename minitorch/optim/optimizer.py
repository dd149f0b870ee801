"""Optimizer: parameter groups, their options, and the state of each parameter."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy

from minitorch._public.later import names_of as _names_of
from minitorch.autograd._named_blocks import named_block
from minitorch.autograd.grad_mode import enable_grad, no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, BEFORE_WRITES, SPARSE
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.graph.hooks import RemovableHandle
from minitorch.core.numbers.device import preserve_format
from minitorch.core.public_pickles import reduced
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.tensor.type_names import typename
from minitorch.utils._foreach_utils import _group_tensors_by_device_and_dtype as grouped

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class _Required:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


_before_all: dict[int, Callable[..., Any]] = OrderedDict()
_after_all: dict[int, Callable[..., Any]] = OrderedDict()


def _added(hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(optimizer, args, kwargs) before each step of any optimizer.

    Args:
        hook: hook(optimizer, args, kwargs); it may return other (args, kwargs) for the step.

    Returns:
        A handle, whose `remove()` takes the hook away.

    As torch.optim.optimizer.register_optimizer_step_pre_hook.
    """
    return _added(_before_all, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls hook(optimizer, args, kwargs) after each step of any optimizer.

    Args:
        hook: hook(optimizer, args, kwargs), whose result counts nothing.

    Returns:
        A handle, whose `remove()` takes the hook away.

    As torch.optim.optimizer.register_optimizer_step_post_hook.
    """
    return _added(_after_all, hook)


def zeros_alike(x: Any) -> Any:
    """Zeros for a state, of the shape and layout of a tensor, which modes see made."""
    return OPS.zeros_like(x, memory_format=preserve_format)


def _named(optimizer: Any, method: str) -> Any:
    """A block that profiles and modes see under the name of an optimizer's method."""
    return named_block(f"Optimizer.{method}#{type(optimizer).__name__}.{method}")


def _with_hooks(func: Callable[..., Any]) -> Callable[..., Any]:
    """`func` between the step hooks of its optimizer."""

    @functools.wraps(func)
    def hooked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if ASSEMBLED_GLOBALS["WATCHED"]:  # by a profile, or a mode
            with _named(self, "step"):
                return between_hooks(self, args, kwargs)
        before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        if not (before or after or _before_all or _after_all):
            return func(self, *args, **kwargs)
        return between_hooks(self, args, kwargs)

    def between_hooks(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        args = (self, *args)
        for hook in [*_before_all.values(), *before.values()]:
            returned = hook(self, args, kwargs)
            if returned is not None:
                if not (isinstance(returned, tuple) and len(returned) == 2):
                    raise RuntimeError(
                        f"{func} must return None or a tuple of (new_args, new_kwargs), but got "
                        f"{returned}."
                    )
                args, kwargs = returned
        result = func(*args, **kwargs)
        for hook in [*after.values(), *_after_all.values()]:
            hook(self, args, kwargs)
        return result

    return hooked


class Optimizer:
    """Updates parameters from their gradients.

    Args:
        params: the parameters: Tensors, (name, Tensor) pairs, or a dict for each group, with its
            `params` and options of its own.
        defaults: the options of groups that do not give their own.

    Raises:
        ValueError: for no parameters, a Tensor that is no leaf, and one in two groups.
        TypeError: for what is no Tensor, and for a set, which has no order.

    Subclasses define `step`.
    As torch.optim.Optimizer, https://docs.pytorch.org/docs/stable/optim.html.
    """

    __module__ = "torch.optim.optimizer"

    state: Any
    param_groups: list[dict[str, Any]]
    _sparse_refusal: str | None = "{} does not support sparse gradients"
    OptimizerPreHook = OptimizerPostHook = Callable[..., Any]
    profile_hook_step = staticmethod(_with_hooks)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("minitorch."):
            cls.__module__ = "torch" + cls.__module__.removeprefix("minitorch")

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._set_hooks()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or "
                f"dicts, but got {typename(params)}"
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        self._warned_capturable_if_run_uncaptured = True  # there is no capturing here

    def _set_hooks(self) -> None:
        for what in ("step", "state_dict", "load_state_dict"):
            for when in ("pre", "post"):
                self.__dict__.setdefault(f"_optimizer_{what}_{when}_hooks", OrderedDict())

    def _patch_step_function(self) -> None:
        """Gives the class's `step` hooks with the first instance.

        A class that wraps another optimizer, and is never initialised itself, keeps its own.
        """
        cls: Any = type(self)
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{cls.__name__}.zero_grad"
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    def __getstate__(self) -> dict[str, Any]:
        return {
            "defaults": self.defaults,
            "state": self.state,
            "param_groups": self.param_groups,
        }

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._set_hooks()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # ---- groups ---------------------------------------------------------------------------------

    @no_grad()
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters with options of its own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        param_group["params"] = params = list(params)
        names = [param[0] for param in params if isinstance(param, tuple)]
        if names:
            if len(names) != len(params):
                raise ValueError(
                    "all optimizer params should be with/without names. Some param names are "
                    "missing"
                )
            param_group["params"] = params = [param for _, param in params]
            param_group["param_names"] = names
        self._check_params(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    "parameter group didn't specify a value of required optimization parameter "
                    f"{name}"
                )
            param_group.setdefault(name, default)
        self._check_unique(param_group)
        self.param_groups.append(param_group)

    def _check_params(self, params: list[Any]) -> None:
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is "
                    f"{typename(param)}"
                )
            if not self.defaults.get("differentiable", None) and not (
                param.is_leaf or param.retains_grad
            ):
                raise ValueError("can't optimize a non-leaf Tensor")

    def _check_unique(self, group: dict[str, Any]) -> None:
        params = group["params"]
        if len(params) != len(set(params)):
            import warnings

            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this "
                "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
                "information",
                stacklevel=4,
            )
        if self.param_groups and ("param_names" in group) != (
            "param_names" in self.param_groups[0]
        ):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if 'param_names' in group else 'without'} names to the optimizer"
            )
        others = set(chain.from_iterable(other["params"] for other in self.param_groups))
        if not others.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")

    # ---- steps ----------------------------------------------------------------------------------

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        if ASSEMBLED_GLOBALS["WATCHED"]:  # by a profile, or a mode
            with _named(self, "zero_grad"):
                self._forget_gradients(set_to_none)
        else:
            self._forget_gradients(set_to_none)

    def _forget_gradients(self, set_to_none: bool) -> None:
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param._grad = None
                elif param._grad is not None:
                    grad = param._grad
                    if grad.grad_fn is not None:
                        grad.detach_()
                    else:
                        grad.requires_grad_(False)
                    grad.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates the parameters once. closure computes the loss anew and returns it."""
        raise NotImplementedError

    def _closure_loss(self, closure: Callable[[], Any] | None) -> Any:
        """The result of the closure, computed with grad mode on. RuntimeError if a gradient is then
        sparse and the optimizer does not take such."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        if SPARSE and self._sparse_refusal:
            for group in self.param_groups:
                if has_sparse(group):
                    raise RuntimeError(self._sparse_refusal.format(type(self).__name__))
        return loss

    # ---- state ----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Options and state, with parameters replaced by their numbers in order."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        result = {"state": state, "param_groups": groups}
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            returned = hook(self, result)
            if returned is not None:
                result = returned
        return result

    # ---- what optimizers that are written for torch call -----------------------------------------

    def _accelerator_graph_capture_health_check(self) -> None:
        """Checks the options of a step that a device records. Nothing is recorded on the CPU."""

    def _cuda_graph_capture_health_check(self) -> None:
        warnings.warn(
            "Use _accelerator_graph_capture_health_check instead",
            DeprecationWarning,
            stacklevel=2,
        )

    def _optimizer_step_code(self) -> None:
        """Marks the entry of a step for torch's tools. Nothing to do."""

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist: Any, with_indices: bool = False) -> Any:
        """Lists of tensors, cut by the device and dtype of the first list's tensors."""
        return grouped(tensorlistlist, with_indices)

    @staticmethod
    def _process_value_according_to_param_policy(
        param: Any,
        value: Any,
        param_id: int,
        param_groups: list[dict[str, Any]],
        key: Any = None,
    ) -> Any:
        """A tensor of the state, with the dtype and device that the parameter asks for."""
        return _cast(param, _rule_of(param_id, param_groups), value, key)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state of state_dict(), cast to the dtypes and devices of the parameters."""
        state_dict = state_dict.copy()
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            returned = hook(self, state_dict)
            if returned is not None:
                state_dict = returned
        saved = deepcopy(state_dict["param_groups"])
        if len(self.param_groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for group, new in zip(self.param_groups, saved):
            if len(group["params"]) != len(new["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
        params = {
            number: (param, new)
            for group, new in zip(self.param_groups, saved)
            for number, param in zip(new["params"], group["params"])
        }
        state: Any = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                param, group = params[key]
                state[param] = _cast(param, group, value)
            else:
                state[key] = value
        for group, new in zip(self.param_groups, saved):
            new["params"] = group["params"]
            if "param_names" in group and "param_names" not in new:
                new["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    # ---- hooks ----------------------------------------------------------------------------------

    def _add_hook(self, name: str, hook: Callable[..., Any], prepend: bool = False) -> Any:
        hooks = getattr(self, f"_optimizer_{name}_hooks")
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> Any:
        """Calls hook(optimizer, args, kwargs) before step. Returns a removable handle."""
        return self._add_hook("step_pre", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> Any:
        """Calls hook(optimizer, args, kwargs) after step. Returns a removable handle."""
        return self._add_hook("step_post", hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Any:
        """Calls hook(optimizer) before state_dict is made. Returns a removable handle."""
        return self._add_hook("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Any:
        """Calls hook(optimizer, state_dict) after it was made; what it returns replaces it."""
        return self._add_hook("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> Any:
        """Calls hook(optimizer, state_dict) before loading; what it returns is loaded instead."""
        return self._add_hook("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> Any:
        """Calls hook(optimizer) after loading. Returns a removable handle."""
        return self._add_hook("load_state_dict_post", hook, prepend)


def _rule_of(param_id: int, param_groups: list[dict[str, Any]]) -> dict[str, Any]:
    return next(group for group in param_groups if param_id in group["params"])


def _cast(param: Any, group: dict[str, Any], value: Any, key: Any = None) -> Any:
    """A loaded value, its tensors on the parameter's device and, but for `step`, in its dtype."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.to(device=param.device) if group.get("capturable") else value
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device)
        return value.to(device=param.device)
    if isinstance(value, dict):
        return {name: _cast(param, group, each, name) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_cast(param, group, each) for each in value)
    return value


def check_implementations(
    differentiable: bool, foreach: bool | None = None, fused: bool | None = None
) -> None:
    """Refuses options that exclude one another. There is one implementation, always fused."""
    if fused:
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


# The devices for which torch has the implementations.
FUSED_ON = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]
CAPTURABLE_ON = ["cuda", "xpu", "hpu", "privateuseone", "xla"]


def check_devices(
    group: dict[str, Any], together: str = "params and state_steps", on: list[str] = CAPTURABLE_ON
) -> None:
    """Refuses parameters that have gradients, but not what the group's implementation asks for.

    together: what has to be on one device, in words. on: the devices for capturable steps.
    """
    for param in group["params"]:
        if param._grad is None:
            continue
        kind = param.device.type
        if group.get("fused"):
            if not param.is_floating_point():
                raise RuntimeError(
                    "`fused=True` requires all the params to be floating point Tensors of "
                    f"supported devices: {FUSED_ON} but {param.dtype} and {kind}"
                )
        elif group.get("capturable") and kind not in on:
            if group.get("foreach"):
                on = [each for each in on if each != "xla"]
            raise AssertionError(
                f"If capturable=True, {together} must be on supported devices: {on}."
            )


def check_entries(state: dict[str, Any], names: tuple[str, ...]) -> None:
    """KeyError for the first of `names` that a state which was put there lacks."""
    for name in names:
        if name not in state:
            raise KeyError(name)


def has_sparse(group: dict[str, Any]) -> bool:
    """Whether a gradient of a group is sparse."""
    return any(p._grad is not None and p._grad.is_sparse for p in group["params"])


def number(value: Any) -> float:
    """An option that may be a Tensor of one element, as a number."""
    return value.item() if isinstance(value, Tensor) else value


def scalar(option: Any) -> Any:
    """An option that is a Tensor of one element without its dimensions; others as they are."""
    return option.squeeze() if isinstance(option, Tensor) and option.dim() else option


__getattr__ = _names_of("torch.optim.optimizer")


def announce_writes(optimizer: Optimizer, group: dict[str, Any]) -> None:
    """Calls BEFORE_WRITES for what a step of a group writes: its parameters, and their states."""
    for param in group["params"]:
        if param._grad is not None:
            states = [x for x in optimizer.state.get(param, {}).values() if isinstance(x, Tensor)]
            for each in (param, *states):
                for see in BEFORE_WRITES:
                    see(each)


def is_seen(group: dict[str, Any]) -> bool:
    """Whether modes see the operators of this thread, and a step is to call these: not of tensors
    without numbers, whose steps the modes are not asked for."""
    return bool(STACK.get()) and all(
        [type(each._array) is numpy.ndarray for each in group["params"]]
    )
