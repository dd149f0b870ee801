"""Collective operations of torch.distributed on any objects, which cross as pickles."""

from __future__ import annotations

import pickle
from typing import Any

import numpy

import minitorch
from minitorch.distributed.collectives import (
    _validate_output_list_for_rank,
    all_gather,
    broadcast,
    gather,
    scatter,
)
from minitorch.distributed.point_to_point import recv, send
from minitorch.distributed.world import (
    _canonicalize_group_rank,
    _check_not_self_rank,
    _get_object_coll_device,
    _group_or_default_group,
    _rank_not_in_group,
    _warn_not_in_group,
    get_world_size,
)

Tensor = Any


def _object_to_tensor(obj: Any, device: Any = None, group: Any = None) -> tuple[Tensor, Tensor]:
    """The pickle of an object as bytes on a device, and how many there are."""
    data = minitorch.from_numpy(numpy.frombuffer(pickle.dumps(obj), numpy.uint8).copy())
    return data.to(device), minitorch.tensor([data.numel()], device=device)


def _tensor_to_object(tensor: Tensor, tensor_size: Any, group: Any = None) -> Any:
    """The object of a pickle of so many bytes."""
    return pickle.loads(tensor.cpu().numpy().tobytes()[: int(tensor_size)])


def _gathered(obj: Any, group: Any) -> tuple[Tensor, list[int], int]:
    """The pickle of an object in the length of the longest of all ranks, and their lengths."""
    device = _get_object_coll_device(group)
    data, size = _object_to_tensor(obj, device)
    sizes = minitorch.zeros(get_world_size(group), dtype=minitorch.int64, device=device)
    all_gather([sizes[i : i + 1] for i in range(sizes.numel())], size, group=group)
    lengths = sizes.tolist()
    padded = minitorch.zeros(max(lengths), dtype=minitorch.uint8, device=device)
    padded[: data.numel()] = data
    return padded, lengths, max(lengths)


def _rows(count: int, length: int, device: Any) -> list[Tensor]:
    return [minitorch.empty(length, dtype=minitorch.uint8, device=device) for _ in range(count)]


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Gives all ranks the objects of all, in `object_list`. As torch.distributed's."""
    if _rank_not_in_group(group):
        _warn_not_in_group("all_gather_object")
        return
    data, lengths, longest = _gathered(obj, group)
    rows = _rows(len(lengths), longest, data.device)
    all_gather(rows, data, group=group)
    for i, (row, length) in enumerate(zip(rows, lengths)):
        object_list[i] = _tensor_to_object(row, length)


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Gives one rank the objects of all, in its `object_gather_list`. As torch.distributed's."""
    group = _group_or_default_group(group)
    if dst is None and group_dst is None:
        dst = 0
    root = _canonicalize_group_rank(group, dst, group_dst)
    if _rank_not_in_group(group):
        _warn_not_in_group("gather_object")
        return
    _validate_output_list_for_rank(group.rank(), root, object_gather_list)
    data, lengths, longest = _gathered(obj, group)
    rows = _rows(len(lengths), longest, data.device) if group.rank() == root else None
    gather(data, rows, group_dst=root, group=group)
    if rows is not None and object_gather_list is not None:
        for i, (row, length) in enumerate(zip(rows, lengths)):
            object_gather_list[i] = _tensor_to_object(row, length)


def _joined(objects: list[Any], device: Any) -> tuple[Tensor, Tensor]:
    """The pickles of several objects, one after another, and their lengths."""
    pairs = [_object_to_tensor(obj, device) for obj in objects]
    data, sizes = zip(*pairs)
    return minitorch.cat(data), minitorch.cat(sizes)


def _take_apart(objects: list[Any], data: Tensor, sizes: Tensor) -> None:
    at = 0
    for i, size in enumerate(sizes.tolist()):
        objects[i] = _tensor_to_object(data[at : at + size], size)
        at += size


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Gives all ranks the objects in the list of one. As torch.distributed's.

    Args:
        device: where the bytes are sent from and received; by default one that the group sends for.
    """
    group = _group_or_default_group(group)
    if src is None and group_src is None:
        src = 0
    root = _canonicalize_group_rank(group, src, group_src)
    if _rank_not_in_group(group):
        _warn_not_in_group("broadcast_object_list")
        return
    device = device or _get_object_coll_device(group)
    if group.rank() == root:
        data, sizes = _joined(object_list, device)
        broadcast(sizes, group_src=root, group=group)
        broadcast(data, group_src=root, group=group)
        return
    sizes = minitorch.empty(len(object_list), dtype=minitorch.int64, device=device)
    broadcast(sizes, group_src=root, group=group)
    (data,) = _rows(1, int(sizes.sum()), device)
    broadcast(data, group_src=root, group=group)
    _take_apart(object_list, data, sizes)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Gives each rank one object of the list of one rank. As torch.distributed's."""
    group = _group_or_default_group(group)
    if src is None and group_src is None:
        src = 0
    root = _canonicalize_group_rank(group, src, group_src)
    if _rank_not_in_group(group):
        _warn_not_in_group("scatter_object_list")
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError(
            "Expected argument scatter_object_output_list to be a list of size at least 1."
        )
    rows = sizes = None
    device = _get_object_coll_device(group)
    longest = minitorch.zeros(1, dtype=minitorch.int64, device=device)
    if group.rank() == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        pairs = [_object_to_tensor(obj, device) for obj in scatter_object_input_list]
        sizes = [size for _, size in pairs]
        longest = max(sizes).clone()
        rows = _rows(len(pairs), int(longest), device)
        for row, (data, _) in zip(rows, pairs):
            row.zero_()[: data.numel()] = data
    broadcast(longest, group_src=root, group=group)
    (out,) = _rows(1, int(longest), device)
    scatter(out, rows, group_src=root, group=group)
    length = minitorch.zeros(1, dtype=minitorch.int64, device=device)
    scatter(length, sizes, group_src=root, group=group)
    scatter_object_output_list[0] = _tensor_to_object(out, length)


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Sends the objects of a list. As torch.distributed.send_object_list."""
    group = _group_or_default_group(group)
    to = _canonicalize_group_rank(group, dst, group_dst)
    _check_not_self_rank(group, to, "destination")
    if _rank_not_in_group(group):
        _warn_not_in_group("send_object_list")
        return
    data, sizes = _joined(object_list, device or _get_object_coll_device(group))
    send(sizes, group_dst=to, group=group)
    send(data, group_dst=to, group=group)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receives as many objects as a list has; the rank that sent them.

    As torch.distributed.recv_object_list.
    """
    group = _group_or_default_group(group)
    source = _canonicalize_group_rank(group, src, group_src)
    _check_not_self_rank(group, source, "source")
    if _rank_not_in_group(group):
        _warn_not_in_group("recv_object_list")
        return -1
    device = device or _get_object_coll_device(group)
    sizes = minitorch.empty(len(object_list), dtype=minitorch.int64, device=device)
    recv(sizes, group=group, group_src=source)
    (data,) = _rows(1, int(sizes.sum()), device)
    rank = recv(data, group=group, group_src=source)
    _take_apart(object_list, data, sizes)
    return rank
