"""Messages from one rank to another, of torch.distributed."""

from __future__ import annotations

from typing import Any

from minitorch.distributed.collectives import _check_single_tensor, _coalescing_manager, _real
from minitorch.distributed.work import Work
from minitorch.distributed.world import (
    _canonicalize_group_rank,
    _check_not_self_rank,
    _group_or_default_group,
    _rank_not_in_group,
    _warn_not_in_group,
    get_global_rank,
    get_rank,
)

Tensor = Any


def isend(
    tensor: Tensor,
    dst: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> Work | None:
    """Starts to send a tensor.

    Args:
        dst, group_dst: the rank that gets it, in the world or in the group.
        tag: what the receiver asks for.

    As torch.distributed.isend.
    """
    group = _group_or_default_group(group)
    to = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("isend")
        return None
    return group.operations.send([_real(tensor)], to, tag)


def irecv(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_src: int | None = None,
) -> Work | None:
    """Starts to receive a tensor, from any rank if none is given. As torch.distributed.irecv."""
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("irecv")
        return None
    group = _group_or_default_group(group)
    source = None
    if src is not None or group_src is not None:
        source = _canonicalize_group_rank(group, src, group_src)
    return group.operations.recv([_real(tensor)], source, tag)


def send(
    tensor: Tensor,
    dst: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_dst: int | None = None,
) -> None:
    """Sends a tensor. ValueError if it is to this rank itself. As torch.distributed.send."""
    group = _group_or_default_group(group)
    to = _canonicalize_group_rank(group, dst, group_dst)
    _check_not_self_rank(group, to, "destination")
    work = isend(tensor, group=group, tag=tag, group_dst=to)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    tag: int = 0,
    group_src: int | None = None,
) -> int:
    """Receives a tensor, from any rank if none is given; the rank in the world that sent it.

    As torch.distributed.recv.
    """
    work = irecv(tensor, src=src, group=group, tag=tag, group_src=group_src)
    if work is None:
        return -1
    work.wait()
    if src is None:
        if group_src is None:
            group_src = work._source_rank()
        group = _group_or_default_group(group)
        _check_not_self_rank(group, group_src, "source")
        src = get_global_rank(group, group_src)
    return src


class P2POp:
    """A message for batch_isend_irecv. As torch.distributed.P2POp.

    Args:
        op: isend or irecv.
        peer, group_peer: the other rank, in the world or in the group.
    """

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(
        self,
        op: Any,
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        _check_single_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        self.group = _group_or_default_group(group)
        self.peer = _canonicalize_group_rank(self.group, peer, group_peer, return_global=True)
        self.group_peer = _canonicalize_group_rank(self.group, peer, group_peer)

    def __repr__(self) -> str:
        here, there = get_rank(self.group), self.group_peer
        source, target = (here, there) if self.op is isend else (there, here)
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, "
            f"group_dst={target},  {self.tensor.shape}, {self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Starts several messages; their handles. As torch.distributed.batch_isend_irecv."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(x, P2POp) for x in p2p_op_list):
        raise ValueError(
            "Invalid ``p2p_op_list``. Each op is expected to to be of type "
            "``torch.distributed.P2POp``."
        )
    if any(each.group != p2p_op_list[0].group for each in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    group, device = p2p_op_list[0].group, p2p_op_list[0].tensor.device
    if group.operations.of(device.type).supports_coalescing:
        with _coalescing_manager(group, device, async_ops=True) as manager:
            _start_each(p2p_op_list)
        return manager.works
    return _start_each(p2p_op_list)


def _start_each(messages: list[P2POp]) -> list[Work]:
    """Starts messages one after the other; their handles."""
    works = []
    for each in messages:
        peer = {"group_dst" if each.op is isend else "group_src": each.group_peer}
        work = each.op(each.tensor, group=each.group, tag=each.tag, **peer)
        if work:
            works.append(work)
    return works
