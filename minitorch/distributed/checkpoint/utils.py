"""Steps that all ranks of a checkpoint take together, and fail together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch._public import outlines
from minitorch.distributed import distributed_c10d as dist
from minitorch.distributed.checkpoint.api import (
    CheckpointException,
    _is_wrapped_exception,
    _wrap_exception,
)


def find_state_dict_object(state_dict: dict[str, Any], index: Any) -> Any:
    """The object of a name.

    Raises:
        ValueError: there is none, or it is asked for a part that it has not.
    """
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    found = state_dict[index.fqn]
    if index.offset is not None and any(index.offset):
        raise ValueError(
            f"FQN: '{index.fqn}' is not a ShardedTensor, can't find by offset: '{index.offset}'"
        )
    return found


def _caught(function: Callable[..., Any], *args: Any) -> Any:
    """The result of a function, or the exception that it raises, wrapped."""
    try:
        return function(*args)
    except BaseException as error:
        return _wrap_exception(error)


def _failures(results: Any) -> dict[int, Any]:
    return {rank: each for rank, each in enumerate(results) if _is_wrapped_exception(each)}


class _DistWrapper:
    """The ranks of a checkpoint; one of them, where there is no world.

    Args:
        group: the ranks; None for all of the world.
        use_dist: whether there are others.
        coordinator_rank: in the group, of that which plans for all.
    """

    def __init__(self, group: Any, use_dist: bool, coordinator_rank: int) -> None:
        self.group, self.use_dist, self.coordinator_rank = group, use_dist, coordinator_rank
        self.rank = dist.get_rank(group) if use_dist else 0
        self.is_coordinator = self.rank == coordinator_rank
        self.global_coordinator_rank = coordinator_rank
        if use_dist and group is not None:
            self.global_coordinator_rank = dist.get_global_rank(group, coordinator_rank)

    def get_rank(self) -> int:
        """The rank of this process."""
        return self.rank

    def get_world_size(self) -> int:
        """The number of ranks."""
        return dist.get_world_size(self.group) if self.use_dist else 1

    def broadcast_object(self, object: Any) -> Any:
        """The coordinator's object."""
        told = [object]
        if self.use_dist:
            dist.broadcast_object_list(told, self.global_coordinator_rank, group=self.group)
        return told[0]

    def gather_object(self, object: Any) -> list[Any] | None:
        """The objects of all ranks, on the coordinator."""
        if not self.use_dist:
            return [object]
        rows = [None] * self.get_world_size() if self.is_coordinator else None
        dist.gather_object(object, rows, dst=self.global_coordinator_rank, group=self.group)
        return rows

    def all_gather_object(self, object: Any) -> list[Any]:
        """The objects of all ranks."""
        rows: list[Any] = [object]
        if self.use_dist:
            rows = [None] * self.get_world_size()
            dist.all_gather_object(rows, object, group=self.group)
        return rows

    def scatter_object(self, object_list: list[Any] | None) -> Any:
        """This rank's object of the coordinator's list."""
        if not self.use_dist:
            return (object_list or [None])[0]
        given = object_list if self.is_coordinator else None
        told: list[Any] = [None]
        root = self.global_coordinator_rank
        dist.scatter_object_list(told, given, src=root, group=self.group)
        return told[0]

    def _combined(self, step: str, rows: Any, combine: Callable[[list[Any]], Any]) -> Any:
        """The result of `combine` for all ranks' values; an exception if a rank has failed."""
        failures = _failures(rows)
        if not failures:
            result = _caught(combine, rows)
            if not _is_wrapped_exception(result):
                return result
            failures[self.rank] = result
        return CheckpointException(step, failures)

    def reduce_scatter(self, step: str, map_fun: Any, reduce_fun: Any) -> Any:
        """This rank's share of what `reduce_fun` returns on the coordinator for all ranks' values.

        Raises:
            CheckpointException: one of them failed; on all ranks.
        """
        rows, results = self.gather_object(_caught(map_fun)), None
        if self.is_coordinator:
            results = self._combined(step, rows, reduce_fun)
            if isinstance(results, CheckpointException):
                results = [results] * self.get_world_size()
        return _raised(self.scatter_object(results))

    def all_reduce(self, step: str, map_fun: Any, reduce_fun: Any) -> Any:
        """The result of `reduce_fun` for the values of all ranks. CheckpointException as above."""
        rows, result = self.gather_object(_caught(map_fun)), None
        if self.is_coordinator:
            result = self._combined(step, rows, reduce_fun)
        return _raised(self.broadcast_object(result))

    def all_gather(self, step: str, map_fun: Any) -> list[Any]:
        """The values of all ranks. CheckpointException as above."""
        rows = self.all_gather_object(_caught(map_fun))
        failures = _failures(rows)
        if failures:
            raise CheckpointException(step, failures)
        return rows

    def broadcast(self, step: str, map_fun: Any) -> Any:
        """The value that the coordinator computes. CheckpointException as above."""
        result = None
        if self.is_coordinator:
            result = _caught(map_fun)
            if _is_wrapped_exception(result):
                result = CheckpointException(step, {self.rank: result})
        return _raised(self.broadcast_object(result))

    def barrier(self) -> None:
        """Waits for all ranks."""
        if self.use_dist:
            dist.barrier(group=self.group)


def _raised(result: Any) -> Any:
    if isinstance(result, CheckpointException):
        raise result
    return result


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.utils")
