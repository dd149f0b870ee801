"""The metadata of a checkpoint: which tensors it has, and where their parts are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import minitorch
from minitorch._public import outlines

__all__ = [
    "ChunkStorageMetadata",
    "TensorStorageMetadata",
    "BytesStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "TensorProperties",
    "StorageMeta",
]


@dataclass
class ChunkStorageMetadata:
    """A part of a tensor: where it begins along each dimension, and its size."""

    offsets: Any
    sizes: Any


class _MEM_FORMAT_ENCODING(Enum):
    """Memory formats as pickles of TensorProperties name them."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


@dataclass
class TensorProperties:
    """The properties of a tensor besides its size."""

    dtype: Any = field(default_factory=minitorch.get_default_dtype)
    layout: Any = field(default=minitorch.strided)
    requires_grad: bool = False
    memory_format: Any = field(default=minitorch.contiguous_format)
    pin_memory: bool = False

    def __getstate__(self) -> tuple[Any, ...]:
        names = {
            minitorch.contiguous_format: _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT,
            minitorch.channels_last: _MEM_FORMAT_ENCODING.TORCH_CHANNELS_LAST,
            minitorch.preserve_format: _MEM_FORMAT_ENCODING.TORCH_PRESERVE_FORMAT,
        }
        if self.memory_format not in names:
            raise RuntimeError(f"Invalid torch.memory_format: {self.memory_format}")
        kind = names[self.memory_format]
        return self.dtype, self.layout, self.requires_grad, kind, self.pin_memory

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.dtype, self.layout, self.requires_grad, kind, self.pin_memory = state
        formats = ("contiguous_format", "channels_last", "preserve_format")
        self.memory_format = getattr(minitorch, formats[kind.value])

    @staticmethod
    def create_from_tensor(tensor: Any) -> TensorProperties:
        """The properties of a tensor."""
        return TensorProperties(
            dtype=tensor.dtype,
            layout=tensor.layout,
            requires_grad=tensor.requires_grad,
            memory_format=minitorch.contiguous_format,
            pin_memory=tensor.is_pinned(),
        )


@dataclass
class TensorStorageMetadata:
    """A tensor of a checkpoint."""

    properties: TensorProperties
    size: Any
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """Any other object of a checkpoint."""


@dataclass
class StorageMeta:
    """The identity of a checkpoint."""

    checkpoint_id: str | os.PathLike[str] | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """A checkpoint.

    state_dict_metadata: what it has, by name.
    planner_data: for names that were made flat, the way to each object.
    storage_data: where the parts are.
    """

    state_dict_metadata: dict[str, Any]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """A part of a checkpoint: the name, where the part begins, and a hint at its number."""

    fqn: str
    offset: Any = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None):
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        if offset is not None:
            object.__setattr__(self, "offset", minitorch.Size(offset))


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.metadata")
