"""Averages of parameters over ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import minitorch
from minitorch.distributed import distributed_c10d as dist
from minitorch.distributed.distributed_c10d import ProcessGroup as ProcessGroup
from minitorch.distributed.distributed_c10d import group as group

__all__ = ["average_parameters", "get_params_to_average", "average_parameters_or_parameter_groups"]


def average_parameters(params: Iterable[Any], process_group: Any) -> None:
    """Averages parameters over the ranks of a group, as one flat tensor.

    Their data are parts of that tensor then. Does nothing on a rank outside the group.

    As torch.distributed.algorithms.model_averaging.utils.average_parameters.
    """
    group = process_group if process_group is not None else dist._get_default_group()
    if dist._rank_not_in_group(group):
        return
    averaged = list(params)
    flat = minitorch.cat([each.data.reshape(-1) for each in averaged])
    flat /= dist.get_world_size(group)
    dist.all_reduce(flat, group=group)
    at = 0
    for each in averaged:
        each.data = flat[at : at + each.numel()].view_as(each).type_as(each)
        at += each.numel()


def get_params_to_average(params: Iterable[Any]) -> list[Any]:
    """The parameters that have gradients.

    Args:
        params: parameters, or the groups of an optimizer.

    Raises:
        NotImplementedError: they are neither.
    """
    found: list[Any] = []
    for each in params:
        if isinstance(each, minitorch.nn.Parameter):
            found.append(each)
        elif isinstance(each, dict):
            found.extend(each["params"])
        else:
            raise NotImplementedError(f"Parameter input of type {type(each)} is not supported")
    return [each for each in found if each.grad is not None]


def average_parameters_or_parameter_groups(params: Iterable[Any], process_group: Any) -> None:
    """Averages those parameters that have gradients; of a module, or of an optimizer's groups."""
    average_parameters(get_params_to_average(params), process_group)
