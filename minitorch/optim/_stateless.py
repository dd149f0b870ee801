"""Steps of an optimizer on other parameters and another state than its own."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from minitorch.core.tensor.tensor import Tensor

_NAME = "swap_in_optimizer_params_and_state requires"


def _checked_state(given: Any) -> Any:
    """(state, groups) of a state_dict. RuntimeError if it is none."""
    if not isinstance(given, dict):
        raise RuntimeError(f"{_NAME} a DCP-style optimizer state_dict.")
    state, groups = given.get("state"), given.get("param_groups")
    if not isinstance(state, dict):
        raise RuntimeError(
            f"{_NAME} swapin_optim_state['state'] to be a dict mapping packed parameter ids to "
            f"per-param state dicts, got {type(state).__name__}."
        )
    if any(isinstance(key, Tensor) for key in state):
        raise RuntimeError(
            f"{_NAME} optimizer.state_dict()-style state keyed by packed parameter ids."
        )
    if any(isinstance(k, int) and not isinstance(v, dict) for k, v in state.items()):
        raise RuntimeError(f"{_NAME} per-parameter optimizer state entries to be dictionaries.")
    if not isinstance(groups, list):
        raise RuntimeError(
            f"{_NAME} swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
            f"{type(groups).__name__}."
        )
    return state, groups


def _check_group(number: int, group: dict[str, Any], given: Any) -> None:
    """RuntimeError unless `given` is such a group as the optimizer's own."""
    if not isinstance(given, dict):
        raise RuntimeError(f"{_NAME} each optimizer param group to be a dictionary.")
    ids = given.get("params")
    if not isinstance(ids, list) or not all(isinstance(each, int) for each in ids):
        raise RuntimeError(
            f"{_NAME} optimizer.state_dict()-style param_groups[*]['params'] entries keyed by "
            "packed parameter ids."
        )
    if len(group["params"]) != len(ids):
        raise RuntimeError(
            f"swapin_optim_state param group {number} has a different number of params than the "
            "live optimizer param group."
        )
    if group.keys() != given.keys():
        raise RuntimeError(
            f"{_NAME} optimizer.state_dict()-style param group keys to exactly match the live "
            f"optimizer group keys for group {number}. "
            f"Keys only in swap-in: {[key for key in given if key not in group]}. "
            f"Keys only in live: {[key for key in group if key not in given]}."
        )


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Any, swapin_parameters: dict[str, Any], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """A block in which an optimizer has other parameters, and the state of a state_dict.

    Args:
        optimizer: one that has made a step.
        swapin_parameters: the parameters by their names, in the order of its groups.
        swapin_optim_state: a state_dict of such an optimizer.

    Raises:
        RuntimeError: for an optimizer without a state, and a state_dict that is not like its own.

    As torch.optim.swap_in_optimizer_params_and_state.
    """
    if not optimizer.state:
        raise RuntimeError(f"{_NAME} initialized optimizer state.")
    state, groups = _checked_state(swapin_optim_state)
    if len(optimizer.param_groups) != len(groups):
        raise RuntimeError(
            "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    parameters, start = list(swapin_parameters.values()), 0
    new: list[dict[str, Any]] = []
    for i, (group, given) in enumerate(zip(optimizer.param_groups, groups)):
        _check_group(i, group, given)
        end = start + len(given["params"])
        if end > len(parameters):
            raise RuntimeError(
                f"{_NAME} the explicit parameter state to match optimizer.param_groups ordering."
            )
        new.append({**given, "params": parameters[start:end]})
        start = end
    ids = [each for given in groups for each in given["params"]]
    extra = [key for key in state if key not in ids]
    if extra:
        raise RuntimeError(
            f"{_NAME} swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}."
        )
    before = optimizer.state, [dict(group) for group in optimizer.param_groups]
    held: Any = defaultdict(dict)
    for group, given in zip(new, groups):
        for parameter, number in zip(group["params"], given["params"]):
            held[parameter] = dict(state.get(number, {}))
    try:
        _put(optimizer, held, new)
        yield
    finally:
        _put(optimizer, *before)


def _put(optimizer: Any, state: Any, groups: list[dict[str, Any]]) -> None:
    optimizer.state = state
    for group, other in zip(optimizer.param_groups, groups):
        group.clear()
        group.update(other)
