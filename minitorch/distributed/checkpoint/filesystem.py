"""Checkpoints in a folder: a file of each rank, and one that says where everything is.

Torch's format: `__0_0.distcp` has torch.save's files one after another; `.metadata` is a pickle of
Metadata by torch's names of classes, which either library reads.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import os
import pickle
import uuid
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import minitorch
from minitorch._public import outlines
from minitorch.distributed.checkpoint.default_planner import narrowed
from minitorch.distributed.checkpoint.metadata import Metadata, StorageMeta
from minitorch.distributed.checkpoint.planner import LoadItemType, WriteItemType
from minitorch.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from minitorch.futures import Future

__all__ = ["FileSystemWriter", "FileSystemReader"]

CURRENT_DCP_VERSION, DEFAULT_SUFFIX, _METADATA = "1.0.0", ".distcp", ".metadata"


@dataclass
class _StorageInfo:
    """The place of a part: the file, the first byte, and the number of bytes."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if value is not None}


@dataclass
class _StoragePrefix:
    """The prefix of the names of a rank's files."""

    prefix: str


# ---- pickles by torch's names

_NAMED = minitorch.dtype, minitorch.layout


class _Pickler(pickle._Pickler):  # type: ignore[name-defined]
    """Writes classes under the names that torch has for them."""

    def reducer_override(self, obj: Any) -> Any:
        """Dtypes and layouts go by their names, sizes are made of their numbers."""
        if isinstance(obj, minitorch.Size):
            return minitorch.Size, (tuple(obj),)
        if isinstance(obj, _NAMED):
            return str(obj).removeprefix("torch.")
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Writes a class, or what goes by a name in its module."""
        module = "torch" if isinstance(obj, _NAMED) or obj is minitorch.Size else obj.__module__
        own = name or getattr(obj, "__qualname__", "")
        if module.startswith("minitorch"):
            module = module.removeprefix("mini")
        if not module.startswith("torch"):
            super().save_global(obj, name)
            return
        self.save(module)
        self.save(own)
        self.write(pickle.STACK_GLOBAL)
        self.memoize(obj)

    dispatch = {**pickle._Pickler.dispatch, type: save_global}  # type: ignore[attr-defined]


class _Unpickler(pickle.Unpickler):
    """Finds classes by the names that torch has for them."""

    def find_class(self, module: str, name: str) -> Any:
        """The class or object of a name."""
        if module.partition(".")[0] == "torch":
            found: Any = importlib.import_module(f"mini{module}")
            for part in name.split("."):
                found = getattr(found, part)
            return found
        return super().find_class(module, name)


# ---- writing and reading


def _is_local(checkpoint_id: Any) -> bool:
    """Whether a checkpoint can be a folder of that name."""
    if isinstance(checkpoint_id, Path):
        return True
    if "://" in str(checkpoint_id):
        return False
    parents = Path(checkpoint_id).parents
    return any(each.exists() and os.access(str(each), os.W_OK) for each in parents)


class FileSystemWriter(StorageWriter):
    """Writes checkpoints into a folder.

    Args:
        path: the folder.
        single_file_per_rank: whether a rank writes one file, not one for each tensor.
        sync_files: whether it waits until the disk has them.
        thread_count: only 1 is implemented.
        overwrite: whether a checkpoint that is there may be replaced.

    As torch.distributed.checkpoint.FileSystemWriter.
    """

    def __init__(
        self,
        path: Any,
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
        _extensions: Any = None,
        serialization_format: Any = None,
    ) -> None:
        given = {
            "thread_count": thread_count != 1,
            "cache_staged_state_dict": cache_staged_state_dict,
            "_extensions": bool(_extensions),
            "serialization_format": getattr(serialization_format, "name", "") == "SAFETENSORS",
        }
        refused = [name for name, is_given in given.items() if is_given]
        if refused:
            raise NotImplementedError(
                f"torch.distributed.checkpoint.FileSystemWriter with {', '.join(refused)} is not "
                "implemented by minitorch"
            )
        self.path, self.overwrite = Path(path), overwrite
        self.single_file_per_rank, self.sync_files = single_file_per_rank, sync_files
        self.save_id = str(uuid.uuid4())
        self.rank: int | None = None

    def reset(self, checkpoint_id: Any = None) -> None:
        """Begins another checkpoint."""
        if checkpoint_id:
            self.path = Path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Takes the rank of this process."""
        self.rank = kwargs.get("rank")

    def prepare_local_plan(self, plan: Any) -> Any:
        """Makes the folder. RuntimeError if a checkpoint is there and must not be replaced."""
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / _METADATA).exists():
            if not self.overwrite:
                raise RuntimeError(
                    f"Checkpoint already exists and self.overwrite={self.overwrite!r}."
                )
            warnings.warn(
                f"Detected an existing checkpoint in {self.path}, overwriting since "
                f"self.overwrite={self.overwrite!r}. Past version 2.5 of PyTorch, `overwrite` will "
                "default to False. Set this variable to True to maintain this functionality or "
                "False to raise when an existing checkpoint is found.",
                stacklevel=2,
            )
        return plan

    def prepare_global_plan(self, plans: list[Any]) -> list[Any]:
        """Gives each rank the beginning of its files' names."""
        return [
            dataclasses.replace(plan, storage_data=_StoragePrefix(f"__{i}_"))
            for i, plan in enumerate(plans)
        ]

    def write_data(self, plan: Any, planner: Any) -> Any:
        """Writes the plan of this rank; a future of its WriteResults."""
        shares = [plan.items] if self.single_file_per_rank else [[each] for each in plan.items]
        results: list[WriteResult] = []
        for i, items in enumerate(shares):
            name = f"{plan.storage_data.prefix}{i}{DEFAULT_SUFFIX}"
            objects = [each for each in items if each.type == WriteItemType.BYTE_IO]
            tensors = [each for each in items if each.type != WriteItemType.BYTE_IO]
            with (self.path / name).open("wb") as stream:
                for item in objects + tensors:
                    results.append(_written(stream, name, item, planner.resolve_data(item)))
                self._sync(stream)
        future: Any = Future()
        future.set_result(results)
        return future

    def _sync(self, stream: Any) -> None:
        if self.sync_files:
            stream.flush()
            os.fsync(stream.fileno())

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Writes what the checkpoint says of itself, at last: without it there is none."""
        metadata.version = CURRENT_DCP_VERSION
        metadata.storage_data = {each.index: each.storage_data for own in results for each in own}
        metadata.storage_meta = self.storage_meta()
        written = self.path / f"{_METADATA}.tmp"
        with written.open("wb") as stream:
            _Pickler(stream, 4).dump(metadata)
            self._sync(stream)
        written.replace(self.path / _METADATA)

    def storage_meta(self) -> StorageMeta:
        """The identity of the checkpoint."""
        return StorageMeta(checkpoint_id=self.path, save_id=self.save_id)

    @property
    def checkpoint_id(self) -> Path:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        """Whether it can write there."""
        return _is_local(checkpoint_id)


def _written(stream: Any, name: str, item: Any, data: Any) -> WriteResult:
    start = stream.tell()
    if item.type != WriteItemType.BYTE_IO:
        tensor, data = data.detach().cpu(), io.BytesIO()
        if tensor.untyped_storage().nbytes() != tensor.nbytes:  # a part of a larger one
            tensor = tensor.clone()
        minitorch.save(tensor, data)
    stream.write(data.getbuffer())
    length = stream.tell() - start
    return WriteResult(item.index, length, _StorageInfo(name, start, length))


class FileSystemReader(StorageReader):
    """Reads checkpoints from a folder.

    As torch.distributed.checkpoint.FileSystemReader.
    """

    def __init__(self, path: Any, _extension_registry: Any = None) -> None:
        self.path, self.load_id = Path(path), str(uuid.uuid4())
        self.storage_data: dict[Any, Any] = {}

    def reset(self, checkpoint_id: Any = None) -> None:
        """Begins another checkpoint."""
        self.storage_data = {}
        if checkpoint_id:
            self.path = Path(checkpoint_id)
        self.load_id = str(uuid.uuid4())

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The metadata of the checkpoint. FileNotFoundError if there is none."""
        with (self.path / _METADATA).open("rb") as stream:
            metadata = _Unpickler(stream).load()
        if getattr(metadata, "storage_meta", None) is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Takes where the parts are."""
        self.storage_data = metadata.storage_data
        if self.storage_data is None:
            raise AssertionError("storage_data must not be None in metadata")

    def prepare_local_plan(self, plan: Any) -> Any:
        """The plan as it is."""
        return plan

    def prepare_global_plan(self, plans: list[Any]) -> list[Any]:
        """The plans as they are."""
        return plans

    def read_data(self, plan: Any, planner: Any) -> Any:
        """Reads the plan of this rank; a future of None."""
        by_file: dict[str, list[Any]] = {}
        for item in plan.items:
            place = self.storage_data[item.storage_index]
            by_file.setdefault(place.relative_path, []).append((item, place))
        for name, pairs in by_file.items():
            with (self.path / name).open("rb") as stream:
                for item, place in pairs:
                    stream.seek(place.offset)
                    self._take(item, io.BytesIO(stream.read(place.length)), planner)
        future: Any = Future()
        future.set_result(None)
        return future

    def _take(self, item: Any, data: io.BytesIO, planner: Any) -> None:
        if item.type == LoadItemType.BYTE_IO:
            planner.load_bytes(item, data)
            return
        tensor = minitorch.load(data, map_location="cpu", weights_only=True)
        tensor = narrowed(tensor, item.storage_offsets, item.lengths)
        target = planner.resolve_tensor(item).detach()
        if target.size() != tensor.size():
            raise AssertionError(
                f"req {item.storage_index} mismatch sizes {target.size()} vs {tensor.size()}"
            )
        target.copy_(tensor)
        planner.commit_tensor(item, target)

    @property
    def checkpoint_id(self) -> Path:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        """Whether it can read there."""
        return _is_local(checkpoint_id)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.filesystem")
