"""torch.distributed.checkpoint.state_dict: the state of models, by names free of wrappers.

DataParallel for several processes and torch.compile put a module into another one, so that its
parameters are called `module.weight` or `_orig_mod.weight`. Here they are called `weight` whatever
wraps the model. There is one process: nothing is gathered, and nothing is sent to others.
As torch/distributed/checkpoint/state_dict.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from minitorch._public import outlines
from minitorch.autograd.grad_mode import no_grad
from minitorch.compiler import OptimizedModule
from minitorch.core.base.fields import TensorBase
from minitorch.core.numbers.device import device
from minitorch.core.warning import warn
from minitorch.nn.modules.module import Module, _IncompatibleKeys

__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.state_dict")

_CHECKPOINT_PREFIX = "_checkpoint_wrapped_module."
_EXTRA_STATE_KEY = "_extra_state"


@dataclass
class StateDictOptions:
    """The options for collecting and loading the state of a model.

    full_state_dict: one that depends on no division among processes; here each one is.
    cpu_offload: put what is returned on the CPU.
    ignore_frozen_params: leave out parameters without requires_grad.
    keep_submodule_prefixes: names of chosen submodules begin with where they are in the model.
    strict: refuse to load states with a name too many or too few.
    broadcast_from_rank0: send the first process's state to the others.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


@no_grad()
def get_model_state_dict(
    model: Module,
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """Returns the state of a model by names without the wrappers.

    Raises:
        ValueError: there is none.
    """
    options = _checked(options)
    prefixes = _prefixes(model, submodules)
    state = model.state_dict()
    for key in list(state):
        if (plain := _plain_name(model, key)) != key:
            state[plain] = state.pop(key)
    if prefixes:
        kept = options.keep_submodule_prefixes
        state = {
            key if kept else key.removeprefix(prefix): value
            for key, value in state.items()
            for prefix in prefixes
            if key.startswith(prefix)
        }
    if options.ignore_frozen_params:
        for key, parameter in model.named_parameters():
            if not parameter.requires_grad:
                state.pop(_plain_name(model, key))
    if options.cpu_offload or options.full_state_dict:
        state = {key: _on_cpu(value, options.cpu_offload) for key, value in state.items()}
    _check_not_empty(state, options, prefixes)
    return state


def set_model_state_dict(
    model: Module,
    model_state_dict: dict[Any, Any],
    *,
    options: StateDictOptions | None = None,
) -> _IncompatibleKeys:
    """Loads a state by names without the wrappers. Returns the names that miss or are too many.

    Raises:
        RuntimeError: names or sizes do not fit; with strict also where one is missing.
    """
    state = _by_name(model, model_state_dict)
    options = _checked(options)
    _check_not_empty(state, options, set())
    if options.broadcast_from_rank0:
        raise _no_group()
    if not state:
        return _IncompatibleKeys({}, {})
    own = {}
    for key, value in _own_state(model):
        plain, wrapped = _plain_name(model, key), key.replace(_CHECKPOINT_PREFIX, "")
        if plain != wrapped:
            if (given := state.pop(plain, None)) is not None:
                state[wrapped] = given
            elif options.strict:
                raise RuntimeError(f"Missing key: {plain}.")
        own[wrapped] = value
    assign = False
    if options.full_state_dict:
        target, assign = _device_of(own)
        state.update(_completed(own, state, target))
    return model.load_state_dict(state_dict=state, strict=options.strict, assign=assign)


def _checked(options: StateDictOptions | None) -> StateDictOptions:
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _no_group() -> ValueError:
    """Returns torch's error where something is asked of other processes."""
    return ValueError(
        "Default process group has not been initialized, please make sure to call "
        "init_process_group."
    )


def _check_not_empty(state: dict[str, Any], options: StateDictOptions, prefixes: set[str]) -> None:
    may_be_empty = options.ignore_frozen_params or not options.strict
    may_be_empty |= options.broadcast_from_rank0 or (
        options.cpu_offload and options.full_state_dict
    )
    if not (state or prefixes or may_be_empty):
        raise _no_group()  # torch's own error would name the process


def _prefixes(model: Module, submodules: set[Module] | None) -> set[str]:
    """Returns how the names in some submodules begin."""
    if not submodules:
        return set()
    warn(
        "Getting submodules only model/optim state_dict is deprecated and will be removed in 2.5. "
        "This feature can be achieved by manually filtering out the state_dict returned from "
        "get_state_dict.",
        FutureWarning,
    )
    named = model.named_modules()
    return {f"{_plain_name(model, name)}." for name, module in named if module in submodules}


def _by_name(model: Module, state: dict[Any, Any]) -> dict[str, Any]:
    """Returns a state by name, also where it was given by submodule."""
    if not state or not isinstance(next(iter(state)), Module):
        return state
    warn(
        "Passing model_state_dict as a ``Dict[nn.Module, Dict[str, Any]]``is deprecated and will "
        "be removed in 2.5. If you need this feature, please preprocess the model_state_dict to "
        "achieve the same functionality.",
        FutureWarning,
    )
    return {
        f"{_plain_name(model, name)}.{key}": value
        for submodule, given in state.items()
        for name, module in model.named_modules()
        if module == submodule
        for key, value in given.items()
    }


def _plain_name(model: Module, name: str) -> str:
    """Returns the name of a parameter without those of the wrappers on the way to it."""
    name = name.replace(_CHECKPOINT_PREFIX, "")
    steps, kept, here = name.split("."), [], model
    if len(steps) == 1:
        return name
    for step in steps:
        if isinstance(here, OptimizedModule):
            here = here._orig_mod
            continue
        kept.append(step)
        if step != _EXTRA_STATE_KEY:
            here = getattr(here, step)
    return ".".join(kept)


def _own_state(model: Module) -> Iterator[tuple[str, Any]]:
    """Yields what the model's own state consists of, by name: each shared module once."""
    seen: set[Module] = set()

    def walk(module: Module, name: str) -> Iterator[tuple[str, Any]]:
        seen.add(module)
        start = f"{name}." if name else ""
        for step, child in module.named_children():
            if child not in seen:
                yield from walk(child, start + step)
        for step, buffer in module.named_buffers(recurse=False):
            if step not in module._non_persistent_buffers_set:
                yield start + step, buffer
        for step, parameter in module.named_parameters(recurse=False):
            yield start + step, parameter
        if type(module).get_extra_state is not Module.get_extra_state:
            yield start + _EXTRA_STATE_KEY, None

    yield from walk(model, "")


def _device_of(own: dict[str, Any]) -> tuple[device, bool]:
    """Returns the device of a model, and whether some of it has no numbers yet."""
    tensors = [value for value in own.values() if isinstance(value, TensorBase) and value.dim()]
    found = {value.device for value in tensors}
    real = found - {device("meta")}
    if len(real) > 1:
        raise ValueError("Multiple devices found")
    if not real:
        raise _no_group()  # which would have a device
    return real.pop(), device("meta") in found


def _completed(own: dict[str, Any], state: dict[str, Any], target: device) -> dict[str, Any]:
    """Returns the state to load: given values on the model's device, else the model's own."""
    full = dict(own)
    for key, value in state.items():
        if not isinstance(value, TensorBase):
            full[key] = value
        elif value.dim() == 0:
            full[key] = value.cpu()
        elif full.get(key) is not None:
            full[key] = value.detach().to(target)
    return full


def _on_cpu(value: Any, wanted: bool) -> Any:
    return value.cpu() if wanted and isinstance(value, TensorBase) else value
