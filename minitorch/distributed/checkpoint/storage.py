"""Storages of checkpoints: what writes plans somewhere, and reads them back."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

from minitorch._public import outlines
from minitorch.distributed.checkpoint.metadata import Metadata, MetadataIndex

__all__ = ["WriteResult", "StorageWriter", "StorageReader"]


@dataclass(frozen=True)
class WriteResult:
    """The record of one written item: where it is, and its size."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    """The base of checkpoint writers. As torch.distributed.checkpoint.StorageWriter."""

    @abc.abstractmethod
    def reset(self, checkpoint_id: Any = None) -> None:
        """Begins another checkpoint."""

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Begins a save; called first, on all ranks."""

    @abc.abstractmethod
    def prepare_local_plan(self, plan: Any) -> Any:
        """The plan of this rank, with what the storage adds."""

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[Any]) -> list[Any]:
        """The plans of all ranks, with what the storage adds; on one rank."""

    @abc.abstractmethod
    def write_data(self, plan: Any, planner: Any) -> Any:
        """A future of the WriteResults of this rank's plan."""

    @abc.abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Writes the metadata; on one rank."""

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        """Whether the writer can write there."""

    def storage_meta(self) -> Any:
        """The identity of the checkpoint."""
        return None


class StorageReader(abc.ABC):
    """The base of checkpoint readers. As torch.distributed.checkpoint.StorageReader."""

    @abc.abstractmethod
    def reset(self, checkpoint_id: Any = None) -> None:
        """Begins another checkpoint."""

    @abc.abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The metadata of the checkpoint."""

    @abc.abstractmethod
    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Begins a load; called before plans are made, on all ranks."""

    @abc.abstractmethod
    def prepare_local_plan(self, plan: Any) -> Any:
        """The plan of this rank, with what the storage adds."""

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[Any]) -> list[Any]:
        """The plans of all ranks, with what the storage adds; on one rank."""

    @abc.abstractmethod
    def read_data(self, plan: Any, planner: Any) -> Any:
        """Reads this rank's plan; a future of None."""

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        """Whether it can read there."""


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.storage")
