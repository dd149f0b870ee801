"""torch.distributed.checkpoint.save: all ranks write a state, each what no other does."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch._public import outlines
from minitorch.distributed import distributed_c10d as dist
from minitorch.distributed.checkpoint.default_planner import DefaultSavePlanner
from minitorch.distributed.checkpoint.filesystem import FileSystemWriter
from minitorch.distributed.checkpoint.metadata import Metadata
from minitorch.distributed.checkpoint.stateful import Stateful
from minitorch.distributed.checkpoint.utils import _DistWrapper

__all__ = ["save_state_dict", "save"]


def storage_of(kind: Any, storage: Any, checkpoint_id: Any) -> Any:
    """What writes or reads a checkpoint. RuntimeError if that cannot be told."""
    if storage:
        if checkpoint_id is not None:
            storage.reset(checkpoint_id)
        return storage
    if not checkpoint_id:
        raise RuntimeError(
            "`checkpoint_id` must be specified if storage_reader/storage_writer is None."
        )
    if not kind.validate_checkpoint_id(checkpoint_id):
        raise RuntimeError(
            "Cannot detect which StorageReader or StorageWriter to use. Please specify the "
            "storage_reader/storage_writer."
        )
    return kind(checkpoint_id)


def is_alone(no_dist: bool, what: str) -> bool:
    """Whether there is no world; warns then."""
    if not no_dist and dist.is_initialized():
        return False
    warnings.warn(
        "torch.distributed is disabled, unavailable or uninitialized, assuming the intent is to "
        f"{what} in a single process.",
        stacklevel=3,
    )
    return True


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Any = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:
    """Writes a state; all ranks call this.

    Args:
        state_dict: tensors and other objects, in dicts and lists, or what has a state_dict.
        checkpoint_id: the folder.
        storage_writer: instead of one that writes into the folder.
        planner: instead of a DefaultSavePlanner.
        process_group: the ranks; None for all of the world.
        no_dist: whether this rank saves alone.

    Returns:
        What the checkpoint says of itself.

    Raises:
        CheckpointException: a rank failed; on all ranks.

    As torch.distributed.checkpoint.save.
    """
    if not use_collectives:
        raise NotImplementedError(
            "torch.distributed.checkpoint.save with use_collectives=False is not implemented by "
            "minitorch"
        )
    alone = is_alone(no_dist, "save")
    writer = storage_of(FileSystemWriter, storage_writer, checkpoint_id)
    state = {
        key: each.state_dict() if isinstance(each, Stateful) else each
        for key, each in state_dict.items()
    }
    return _save_state_dict(state, writer, process_group, no_dist=alone, planner=planner)


def save_state_dict(
    state_dict: dict[str, Any],
    storage_writer: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> Metadata:
    """Writes as save, and warns that the name is deprecated."""
    warnings.warn(
        "`save_state_dict` is deprecated and will be removed in future versions.Please use `save` "
        "instead.",
        FutureWarning,
        stacklevel=2,
    )
    storage_writer.reset()
    given = process_group, coordinator_rank, no_dist, planner
    return _save_state_dict(state_dict, storage_writer, *given)


def _save_state_dict(
    state_dict: dict[str, Any],
    storage_writer: Any,
    process_group: Any = None,
    coordinator_rank: int = 0,
    no_dist: bool = False,
    planner: Any = None,
) -> Metadata:
    ranks = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = planner or DefaultSavePlanner()
    metadata: list[Metadata] = []

    def plan_own() -> Any:
        meta = storage_writer.storage_meta()
        planner.set_up_planner(
            state_dict=state_dict, storage_meta=meta, is_coordinator=ranks.is_coordinator
        )
        storage_writer.set_up_storage_writer(ranks.is_coordinator, rank=ranks.rank)
        return storage_writer.prepare_local_plan(planner.create_local_plan())

    def plan_all(plans: list[Any]) -> list[Any]:
        shared, made = planner.create_global_plan(plans)
        metadata.append(made)
        return storage_writer.prepare_global_plan(shared)

    def write() -> Any:
        return storage_writer.write_data(planner.finish_plan(plan), planner).wait()

    def finish(results: list[Any]) -> Metadata:
        storage_writer.finish(metadata=metadata[0], results=results)
        return metadata[0]

    plan = ranks.reduce_scatter("plan", plan_own, plan_all)
    return ranks.all_reduce("write", write, finish)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.state_dict_saver")
