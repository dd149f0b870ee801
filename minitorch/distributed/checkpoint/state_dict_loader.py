"""torch.distributed.checkpoint.load: all ranks read a state, in place."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch._public import outlines
from minitorch.distributed.checkpoint.default_planner import DefaultLoadPlanner
from minitorch.distributed.checkpoint.filesystem import FileSystemReader
from minitorch.distributed.checkpoint.state_dict_saver import is_alone, storage_of
from minitorch.distributed.checkpoint.stateful import Stateful
from minitorch.distributed.checkpoint.utils import _DistWrapper

__all__ = ["load_state_dict", "load"]


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Any = None,
    storage_reader: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Reads a state into the tensors of another one; all ranks call this.

    Args:
        state_dict: what is read into: tensors of the sizes that were saved, in dicts and lists,
            or what has a load_state_dict. Other objects are replaced.
        checkpoint_id: the folder.
        storage_reader: instead of one that reads from the folder.
        planner: instead of a DefaultLoadPlanner.
        process_group: the ranks; None for all of the world.
        no_dist: whether this rank loads alone.

    Raises:
        CheckpointException: a rank failed; on all ranks.

    As torch.distributed.checkpoint.load.
    """
    alone = is_alone(no_dist, "load")
    reader = storage_of(FileSystemReader, storage_reader, checkpoint_id)
    keys = sorted(state_dict)
    state = {}
    for key in keys:
        each = state_dict[key]
        state[key] = each.state_dict() if isinstance(each, Stateful) else each
    _load_state_dict(state, reader, process_group, no_dist=alone, planner=planner)
    for key in keys:
        if isinstance(state_dict[key], Stateful):
            state_dict[key].load_state_dict(state[key])
        else:
            state_dict[key] = state[key]


def load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> None:
    """Reads as load, and warns that the name is deprecated."""
    warnings.warn(
        "`load_state_dict` is deprecated and will be removed in future versions. Please use `load` "
        "instead.",
        FutureWarning,
        stacklevel=2,
    )
    storage_reader.reset()
    given = process_group, coordinator_rank, no_dist, planner
    _load_state_dict(state_dict, storage_reader, *given)


def _load_state_dict(
    state_dict: dict[str, Any],
    storage_reader: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> None:
    ranks = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = planner or DefaultLoadPlanner()

    def plan_own() -> Any:
        metadata = storage_reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, ranks.is_coordinator)
        storage_reader.set_up_storage_reader(metadata, ranks.is_coordinator, rank=ranks.rank)
        return storage_reader.prepare_local_plan(planner.create_local_plan())

    def plan_all(plans: list[Any]) -> list[Any]:
        return storage_reader.prepare_global_plan(planner.create_global_plan(plans))

    def read() -> None:
        storage_reader.read_data(planner.finish_plan(plan), planner).wait()

    plan = ranks.reduce_scatter("plan", plan_own, plan_all)
    ranks.all_gather("read", read)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.state_dict_loader")
