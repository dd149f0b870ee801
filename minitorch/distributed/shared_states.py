"""Values of one rank for all ranks of a group, in few messages."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import minitorch


def broadcast_coalesced(group: Any, tensors: list[Any], root: int) -> None:
    """Gives all ranks the tensors of one, in place, those of one dtype in one message.

    Args:
        root: the rank in the group.

    As torch.distributed._broadcast_coalesced; versions of the tensors stay as they are.
    """
    ordered = sorted(tensors, key=lambda each: each._array.dtype.name)
    works = []
    for _, members in groupby(ordered, key=lambda each: each._array.dtype.name):
        parts = [each.detach() for each in members]
        whole = minitorch.cat([each.reshape(-1) for each in parts])
        arrays = [each._array for each in parts]
        works.append((group.operations.broadcast([whole], root), whole, arrays))
    for work, whole, arrays in works:
        work.wait()
        at = 0
        for array in arrays:
            array[...] = whole._array[at : at + array.size].reshape(array.shape)
            at += array.size


def _sync_module_states(
    module: Any,
    process_group: Any,
    broadcast_bucket_size: int,
    src: int,
    params_and_buffers_to_ignore: Any,
    broadcast_buffers: bool = True,
) -> None:
    """Gives all ranks the parameters of one, and the buffers.

    Args:
        src: the rank, within the group.
        params_and_buffers_to_ignore: names of those that stay as they are.

    As torch.distributed.utils._sync_module_states.
    """
    named = [*module.named_parameters(), *(module.named_buffers() if broadcast_buffers else ())]
    kept = [each.detach() for name, each in named if name not in params_and_buffers_to_ignore]
    broadcast_coalesced(process_group, kept, src)
