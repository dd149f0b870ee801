"""torch.distributed.checkpoint.save: all ranks write a state, each what no other does."""

from __future__ import annotations

import enum
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from minitorch._public import outlines
from minitorch.distributed import distributed_c10d as dist
from minitorch.distributed.checkpoint.default_planner import DefaultSavePlanner
from minitorch.distributed.checkpoint.filesystem import FileSystemWriter
from minitorch.distributed.checkpoint.metadata import Metadata
from minitorch.distributed.checkpoint.staging import AsyncStager, DefaultStager, StagingOptions
from minitorch.distributed.checkpoint.stateful import Stateful
from minitorch.distributed.checkpoint.utils import _DistWrapper

__all__ = ["save_state_dict", "save", "async_save", "AsyncCheckpointerType", "AsyncSaveResponse"]


class AsyncCheckpointerType(enum.Enum):
    """The place where async_save runs. As torch's AsyncCheckpointerType."""

    THREAD = "thread"
    PROCESS = "process"


@dataclass
class AsyncSaveResponse:
    """The futures of async_save whose stager copies in a thread: of the copy, and of the save."""

    staging_completion: Future[None]
    upload_completion: Future[Any]


def storage_of(kind: Any, storage: Any, checkpoint_id: Any) -> Any:
    """The writer or reader of a checkpoint. RuntimeError if the arguments do not determine one."""
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
    state = _plain(state_dict)
    return _save_state_dict(state, writer, process_group, no_dist=alone, planner=planner)


def _plain(state_dict: dict[str, Any]) -> dict[str, Any]:
    """A state with the states of the objects that have one."""
    return {
        key: each.state_dict() if isinstance(each, Stateful) else each
        for key, each in state_dict.items()
    }


def async_save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: Any = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Any:
    """Copies a state, and writes the copy in a thread while the program goes on.

    All ranks call this, and wait for the future before they work together in that group again.

    Args:
        async_checkpointer_type: PROCESS is not there.
        async_stager: what copies; by default into the processor's memory, before this returns.
        state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist,
            use_collectives: as those of save.

    Returns:
        A future of the result of save; an AsyncSaveResponse where the stager copies in a thread.

    Raises:
        NotImplementedError: it shall save in a process.

    As torch.distributed.checkpoint.async_save.
    """
    if async_checkpointer_type is AsyncCheckpointerType.PROCESS:
        raise NotImplementedError(
            "torch.distributed.checkpoint.async_save with AsyncCheckpointerType.PROCESS is not "
            "implemented by minitorch"
        )
    if async_stager is None:
        writes = storage_writer is not None and isinstance(storage_writer, AsyncStager)
        plain = StagingOptions(False, False, False, False)
        async_stager = storage_writer if writes else DefaultStager(plain)
    copied = async_stager.stage(_plain(state_dict))
    how = {"checkpoint_id": checkpoint_id, "storage_writer": storage_writer, "planner": planner}
    how |= {"process_group": process_group, "no_dist": no_dist, "use_collectives": use_collectives}

    def write() -> Metadata:
        return save(copied.result() if isinstance(copied, Future) else copied, **how)

    executor = ThreadPoolExecutor(1, thread_name_prefix="AsyncCheckpointExecutor")
    saved = executor.submit(write)
    executor.shutdown(wait=False)
    if isinstance(copied, Future):
        return AsyncSaveResponse(_without_result(copied), saved)
    if async_stager.should_synchronize_after_execute:
        async_stager.synchronize_staging()
    return saved


def _without_result(future: Future[Any]) -> Future[None]:
    """A future that ends as another does, without its result."""
    ended: Future[None] = Future()

    def end(done: Future[Any]) -> None:
        error = done.exception()
        if error is None:
            ended.set_result(None)
        else:
            ended.set_exception(error)

    future.add_done_callback(end)
    return ended


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
