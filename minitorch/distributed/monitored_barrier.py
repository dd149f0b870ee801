"""A barrier that says which ranks have not come: each leaves word in the store of the group."""

from __future__ import annotations

import datetime
from time import monotonic
from typing import Any

_FAILED = (
    "Rank {rank} failed to pass monitoredBarrier in {limit} ms\n Original exception: \n{cause}"
)


def meet(
    store: Any, key: str, rank: int, size: int, timeout: datetime.timedelta, name_all: bool
) -> None:
    """Returns as soon as all ranks have called it.

    Args:
        store: of the group.
        key: of this meeting in the store.
        rank, size: of this process in the group, and how many there are.
        timeout: after which rank 0 gives up.
        name_all: whether it then names all ranks that have not come, not the first alone; each has
            the whole of the timeout then.

    Raises:
        RuntimeError: ranks have not come in time.

    Source: ProcessGroupGloo::monitoredBarrier in
    torch/csrc/distributed/c10d/ProcessGroupGloo.cpp.
    """
    if rank == 0:
        _await_others(store, key, size, timeout, name_all)
        store.set(f"{key}/all", b"1")
        return
    store.set(f"{key}/{rank}", b"1")
    try:
        store.wait([f"{key}/all"], timeout)
    except RuntimeError as error:
        raise RuntimeError(
            f"Rank {rank} successfully reached monitoredBarrier, but received errors while waiting "
            f"for send/recv from rank 0. Please check rank 0 logs for faulty rank.\n Original "
            f"exception: \n{error}"
        ) from None


def _await_others(
    store: Any, key: str, size: int, timeout: datetime.timedelta, name_all: bool
) -> None:
    limit = round(timeout.total_seconds() * 1000)
    began, late = monotonic(), []
    for rank in range(1, size):
        left = timeout.total_seconds() - (0 if name_all else monotonic() - began)
        if left < 0:
            cause = _out_of_time(limit, range(1, rank))
            raise RuntimeError("[Rank 0]: " + _FAILED.format(rank=rank, limit=limit, cause=cause))
        try:
            store.wait([f"{key}/{rank}"], datetime.timedelta(seconds=left))
        except RuntimeError:
            if not name_all:
                cause = (
                    f"[MPI] Timed out waiting {round(left * 1000)}ms for recv operation to complete"
                )
                text = _FAILED.format(rank=rank, limit=limit, cause=cause)
                raise RuntimeError("[Rank 0]: " + text) from None
            late.append(rank)
    if late:
        raise RuntimeError(
            f"[Rank 0]: Ranks {', '.join(map(str, late))} failed to pass monitoredBarrier in "
            f"{limit} ms"
        )


def _out_of_time(limit: int, met: range) -> str:
    came = f"Successfully processed ranks: {', '.join(map(str, met))}"
    return f"Rank 0 timed out in monitoredBarrier after {limit} ms.\n" + (
        came if met else "No ranks successfully processed in monitoredBarrier."
    )
