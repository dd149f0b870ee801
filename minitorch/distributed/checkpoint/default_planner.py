"""The planners of plain and replicated states: each tensor is written once, by one rank.

Nested dicts, and lists with tensors in them, are made flat: "a.b.0". The rank that has fewest
bytes so far writes what several have.
"""

from __future__ import annotations

import dataclasses
import io
from collections import ChainMap
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import minitorch
from minitorch._public import outlines
from minitorch.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from minitorch.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)
from minitorch.distributed.checkpoint.utils import find_state_dict_object

__all__ = [
    "DefaultSavePlanner",
    "DefaultLoadPlanner",
    "create_default_local_load_plan",
    "create_default_global_load_plan",
    "create_default_local_save_plan",
    "create_default_global_save_plan",
]

State = dict[str, Any]


# ---- flat names


def _is_whole(value: Any) -> bool:
    """Whether a value has no tensors in dicts or lists, and is kept as it is."""
    if isinstance(value, Mapping):
        return False
    if not isinstance(value, list):
        return True
    return not any(
        isinstance(each, minitorch.Tensor)
        or (isinstance(each, (Mapping, list)) and not _is_whole(each))
        for each in value
    )


def flatten(state: State) -> tuple[State, dict[str, tuple[Any, ...]]]:
    """A state with flat names, and the way to each of them. ValueError if two are alike."""
    flat: State = {}
    ways: dict[str, tuple[Any, ...]] = {}

    def visit(way: tuple[Any, ...], value: Any) -> None:
        if isinstance(value, Mapping):
            for key, each in value.items():
                visit((*way, str(key)), each)
        elif _is_whole(value):
            name = ".".join(map(str, way))
            if name in flat:
                raise ValueError(f"duplicated flatten key {name}")
            flat[name], ways[name] = value, way
        else:
            for i, each in enumerate(value):
                visit((*way, i), each)

    for key, value in state.items():
        visit((str(key),), value)
    return flat, ways


def put(state: Any, way: tuple[Any, ...], value: Any) -> None:
    """Writes a value where a way leads, through dicts and lists that are made as needed."""
    for here, after in pairwise(way):
        made: Any = {} if isinstance(after, str) else []
        if isinstance(state, list):
            state.extend([None] * (here + 1 - len(state)))
            state[here] = made if state[here] is None else state[here]
        else:
            state.setdefault(here, made)
        state = state[here]
    last = way[-1]
    if isinstance(state, list):
        state.extend([None] * (last + 1 - len(state)))
    state[last] = value


# ---- saving


def _write_item(name: str, value: Any) -> WriteItem:
    if not isinstance(value, minitorch.Tensor):
        return WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO)
    start = minitorch.Size([0] * value.dim())
    chunk = ChunkStorageMetadata(start, value.size())
    properties = TensorProperties.create_from_tensor(value)
    data = TensorWriteData(chunk, properties, value.size())
    return WriteItem(MetadataIndex(name, start), WriteItemType.TENSOR, tensor_data=data)


def create_default_local_save_plan(state_dict: State, is_coordinator: bool) -> SavePlan:
    """A plan that writes all of a state."""
    return SavePlan([_write_item(name, value) for name, value in state_dict.items()])


def _shared_out(plans: list[SavePlan], lowest: bool) -> list[SavePlan]:
    """The plans of all ranks without what another one writes, too."""
    owners: dict[MetadataIndex, list[int]] = {}
    items: dict[MetadataIndex, WriteItem] = {}
    for rank, plan in enumerate(plans):
        for item in plan.items:
            owners.setdefault(item.index, []).append(rank)
            items[item.index] = item
    sizes, chosen = [0] * len(plans), {}
    for index, ranks in owners.items():
        rank = min(ranks) if lowest else min(ranks, key=lambda each: sizes[each])
        sizes[rank] += items[index].tensor_storage_size() or 1
        chosen[index] = rank
    return [
        dataclasses.replace(plan, items=[each for each in plan.items if chosen[each.index] == rank])
        for rank, plan in enumerate(plans)
    ]


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """The plans of all ranks, and the checkpoint's metadata. AssertionError for doubles."""
    found: dict[str, Any] = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            name, data = item.index.fqn, item.tensor_data
            if item.type != WriteItemType.SHARD and name in found:
                raise AssertionError("item.index.fqn not in md")
            if data is None:
                found[name] = BytesStorageMetadata()
                items.append(item)
                continue
            whole = found.setdefault(name, TensorStorageMetadata(data.properties, data.size, []))
            index = dataclasses.replace(item.index, index=len(whole.chunks))
            items.append(dataclasses.replace(item, index=index) if rewrite_index_hints else item)
            whole.chunks.append(data.chunk)
        plans.append(dataclasses.replace(plan, items=items))
    return plans, Metadata(found)


class DefaultSavePlanner(SavePlanner):
    """Plans how to write plain and replicated states.

    Args:
        flatten_state_dict: whether nested dicts and lists are made flat.
        dedup_save_to_lowest_rank: whether the lowest rank writes what several have.
        enable_plan_caching: only False is implemented.

    As torch.distributed.checkpoint.DefaultSavePlanner.
    """

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:
        if enable_plan_caching:
            raise NotImplementedError(
                "torch.distributed.checkpoint.DefaultSavePlanner with enable_plan_caching=True is "
                "not implemented by minitorch"
            )
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings: dict[str, tuple[Any, ...]] = {}

    def set_up_planner(
        self, state_dict: State, storage_meta: Any = None, is_coordinator: bool = False
    ) -> None:
        """Takes the state to write."""
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten(state_dict)
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self) -> SavePlan:
        """A plan that writes all."""
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        if self.flatten_state_dict:
            plan = dataclasses.replace(plan, planner_data=self.mappings)
        self.plan = plan
        return plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """The plan of each rank, and the metadata of the whole checkpoint."""
        shared = _shared_out(all_plans, self.dedup_save_to_lowest_rank)
        self.global_plan, self.metadata = create_default_global_save_plan(shared)
        if self.flatten_state_dict:
            ways = dict(ChainMap(*[plan.planner_data for plan in self.global_plan]))
            self.metadata = dataclasses.replace(self.metadata, planner_data=ways)
        return self.global_plan, self.metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """The plan of this rank."""
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Any:
        """The tensor, or the bytes, of one thing to write."""
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """The object of a name."""
        return find_state_dict_object(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """The object as it is written."""
        if write_item.type != WriteItemType.BYTE_IO:
            return object
        stream = io.BytesIO()
        minitorch.save(object, stream)
        return stream


# ---- loading


def _read_items(name: str, stored: Any, value: Any) -> list[ReadItem]:
    """The items to read for a value. ValueError if a tensor is stored but the value is none."""
    if isinstance(stored, BytesStorageMetadata):
        nothing, index = minitorch.Size((0,)), MetadataIndex(name)
        return [ReadItem(LoadItemType.BYTE_IO, index, nothing, index, nothing, nothing)]
    if not isinstance(value, minitorch.Tensor):
        raise ValueError(
            f"Invalid checkpoint metadata for {name}, expected BytesStorageMetadata but found "
            f"{type(stored)}"
        )
    return [
        ReadItem(
            LoadItemType.TENSOR,
            MetadataIndex(name, [0] * value.dim(), 0),
            chunk.offsets,
            MetadataIndex(name, chunk.offsets, i),
            minitorch.Size([0] * value.dim()),
            chunk.sizes,
        )
        for i, chunk in enumerate(stored.chunks)
    ]


def create_default_local_load_plan(
    state_dict: State, metadata: Metadata, strict: bool = True
) -> LoadPlan:
    """A plan that reads all of a state.

    Args:
        strict: whether all of it must be stored.

    Raises:
        RuntimeError: something is not stored.
        ValueError: a tensor has another size.
    """
    items: list[ReadItem] = []
    for name, value in state_dict.items():
        stored = metadata.state_dict_metadata.get(name)
        if stored is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        sized = isinstance(stored, TensorStorageMetadata) and hasattr(value, "size")
        if sized and stored.size != value.size():
            raise ValueError(
                f"Size mismatch between saved {stored.size} and current: {value.size()} for {name}"
            )
        items += _read_items(name, stored, value)
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """The plans of all ranks as they are."""
    return all_plans


class DefaultLoadPlanner(LoadPlanner):
    """Plans how to read into a state, in place.

    Args:
        flatten_state_dict: whether nested dicts and lists were made flat.
        allow_partial_load: whether values that are not stored stay as they are.

    As torch.distributed.checkpoint.DefaultLoadPlanner.
    """

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ) -> None:
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.original_state_dict: State = {}
        self.mappings: dict[str, tuple[Any, ...]] = {}
        self.allow_partial_load = allow_partial_load

    def set_up_planner(
        self, state_dict: State, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Takes the state to read into, and the metadata of the checkpoint."""
        self.original_state_dict = state_dict
        if self.flatten_sharded_tensors:  # which makes a new dict, with torch as well
            state_dict = dict(state_dict)
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten(state_dict)
        self.state_dict, self.metadata = state_dict, metadata
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """The plan of this rank: the items that it reads."""
        if self.metadata is None:
            raise AssertionError("self.metadata is not None")
        strict = not self.allow_partial_load
        return create_default_local_load_plan(self.state_dict, self.metadata, strict)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """The plans of all ranks as they are."""
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        """The plan of this rank."""
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Puts an object that was read in its place."""
        name, loaded = read_item.dest_index.fqn, minitorch.load(value, weights_only=False)
        if self.flatten_state_dict:
            put(self.original_state_dict, self.mappings[name], loaded)
        else:
            self.state_dict[name] = loaded

    def resolve_tensor(self, read_item: ReadItem) -> Any:
        """The part of a tensor that is read into."""
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Any) -> None:
        """Does nothing more."""

    def lookup_tensor(self, index: MetadataIndex) -> Any:
        """The tensor of a name."""
        return find_state_dict_object(self.state_dict, index)

    def transform_tensor(self, read_item: ReadItem, tensor: Any) -> Any:
        """The part of a tensor."""
        return narrowed(tensor, read_item.dest_offsets, read_item.lengths)


def narrowed(tensor: Any, offsets: Any, sizes: Any) -> Any:
    """A box of a tensor."""
    for dim, (offset, size) in enumerate(zip(offsets, sizes)):
        if size < tensor.size(dim):
            tensor = tensor.narrow(dim, offset, size)
    return tensor


__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint.default_planner")
